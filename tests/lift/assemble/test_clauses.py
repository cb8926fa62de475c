"""Modes, names of leaves, encodings, merges of instructions, parts of composites and names of instructions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from act.taidl import Binary, Field, Instruction, Int, Name, Set, Use
from act.taidl.expr import evaluate
from lift.assemble.conditions import truth
from lift.assemble.effects import Effect, Reading
from lift.assemble.errors import NoTemplate
from lift.assemble.integers import index
from lift.assemble.labels import Label, named, unique
from lift.assemble.leaves import Leaves, Registers
from lift.assemble.merge import merge_fields, merge_registers
from lift.assemble.modes import cases
from lift.assemble.parts import part_of
from lift.unroll import terms
from lift.unroll.terms import Term

RS1 = terms.sym("rs1", 32)
FLAG, MODE = terms.extract(RS1, 0, 1), terms.extract(RS1, 1, 2)
DATA = terms.load("pad", 8, terms.const(0, 4))


def is_mode(value: int) -> Term:
    return terms.equal(MODE, terms.const(value, 2))


def reading(*conditions: Term, data: Term = DATA) -> dict[str, Reading]:
    return {"pad": Reading((Effect("pad", (), conditions, terms.const(0, 4), data),), None)}


def choices(readings: dict[str, Reading], known: list[Term] | None = None) -> list[tuple[tuple[bool, ...], int]]:
    """The choices with the number of stores in each."""
    found = cases(readings, lambda name: name == "pad", known or [], lambda _: None)
    return [(tuple(h for _, h in case.choice), len(case.readings["pad"].effects)) for case in found]


def test_each_consistent_choice_of_conditions_is_a_mode() -> None:
    assert choices(reading(is_mode(1), FLAG)) == [((False,), 0), ((True, False), 0), ((True, True), 1)]


def test_choices_that_contradict_each_other_or_what_is_known_are_none() -> None:
    exclusive = terms.mux(is_mode(1), DATA, terms.mux(is_mode(2), terms.const(1, 8), terms.const(2, 8)))
    assert [c for c, _ in choices(reading(data=exclusive))] == [(False, False), (False, True), (True, False)]
    assert [c for c, _ in choices(reading(FLAG), [FLAG])] == [(True,)]


def test_conditions_on_data_or_indices_are_no_modes() -> None:
    data = terms.equal(DATA, terms.const(0, 8))
    bound = terms.equal(index("loop0"), terms.const(0, 32))
    assert choices(reading(data, bound)) == [((), 1)]


def leaves() -> Leaves:
    registers = Registers({"unit.row": ("row", None), "unit.strides": ("strides", 3)}, frozenset({"unit.row"}))
    return Leaves({"rs1": 32}, registers, {("rs1", 8, 16): "rows", ("rs1", 0, 8): "i"})


def test_fields_have_the_names_of_the_design_and_never_that_of_an_axis() -> None:
    found = leaves()
    assert found.expr(terms.extract(RS1, 8, 16)) == Name("rows")
    assert found.expr(terms.extract(RS1, 0, 8)) == Name("i_0")


def test_fields_that_overlap_are_refused() -> None:
    found = leaves()
    found.expr(terms.extract(RS1, 8, 16))
    found.expr(terms.extract(RS1, 10, 4))
    with pytest.raises(NoTemplate, match="overlap"):
        found.encoding({})


def test_the_opcode_is_never_a_field() -> None:
    found = leaves()
    found.expr(terms.extract(RS1, 0, 8))
    with pytest.raises(NoTemplate, match="overlap"):
        found.encoding({("rs1", 0, 8): 3})


def test_low_bits_of_a_register_are_the_register_only_where_the_buffer_is_no_larger() -> None:
    low, found = terms.extract(terms.sym("unit.row", 16), 0, 10), leaves()
    assert found.within(10, lambda: found.expr(low)) == Name("row")
    cut = Binary("%", Name("row"), Int(1024))
    assert found.within(12, lambda: found.expr(low)) == cut == found.expr(low)


def test_comparisons_are_said_exactly() -> None:
    rows = terms.extract(RS1, 8, 16)
    assert truth(terms.apply("ult", 1, (rows, terms.const(5, 16))), False, leaves()) == Binary(">=", Name("rows"), Int(5))
    doubled = truth(terms.equal(terms.apply("add", 16, (rows, rows)), terms.const(0, 16)), True, leaves())
    assert [evaluate(doubled, {"rows": n}) for n in (0, 1, 1 << 15)] == [1, 0, 1]
    less = truth(terms.apply("slt", 1, (rows, terms.const(5, 16))), True, leaves())
    assert [evaluate(less, {"rows": n}) for n in (4, 5, (1 << 16) - 1)] == [1, 0, 1]


def test_a_register_whose_low_bits_address_a_buffer_decides_by_its_low_bits() -> None:
    """In an address the whole register may stand for its low bits, as it must lie in the buffer; in a condition inside it may not."""
    low = terms.extract(terms.sym("base", 32), 0, 14)
    chosen = terms.make("mux", 14, (terms.apply("ult", 1, (low, terms.const(5, 14))), terms.const(7, 14), terms.const(9, 14)))
    found = Leaves({}, Registers({"base": ("base", None)}, frozenset({"base"})), {})
    assert found.within(14, lambda: found.expr(low)) == Name("base")
    said = found.within(14, lambda: found.expr(chosen))
    assert [evaluate(said, {"base": n}) for n in (4, 5, (1 << 14) + 4)] == [7, 9, 7]


# merges


def config(bank: int, **given: object) -> Instruction:
    encode = (Field("rs1", 1, 0, Int(bank)), Field("rs1", 31, 2, Name("stride")))
    made = Instruction(f"config@0.{bank}", ("stride",), (), encode, sets=(Set("strides", Int(bank), Name("stride")),))
    return replace(made, **given)  # type: ignore[arg-type]


def test_instructions_that_count_with_a_field_are_one() -> None:
    (merged,) = merge_fields([config(b) for b in range(3)])
    assert merged.sets == (Set("strides", Name("bank"), Name("stride")),)
    assert merged.when == (Binary("<", Name("bank"), Int(3)),)


def test_a_field_of_which_all_values_are_there_needs_no_limit() -> None:
    assert merge_fields([config(b) for b in range(4)])[0].when == ()


def test_an_instruction_that_does_not_count_along_stays() -> None:
    odd = config(2, sets=(Set("strides", Int(0), Name("stride")),))
    assert merge_fields([config(0), config(1), odd]) == [config(0), config(1), odd]
    assert merge_fields([config(0), config(2)]) == [config(0), config(2)]


def test_fields_of_other_widths_or_places_are_not_merged() -> None:
    other = config(1, encode=(Field("rs1", 2, 0, Int(1)), Field("rs1", 31, 3, Name("stride"))))
    assert merge_fields([config(0), other]) == [config(0), other]


def toggled(value: int, plane: int) -> Instruction:
    return Instruction(f"swap@{value}.0", (), (), uses=(Use("half", None, equals=Int(value)),), sets=(Set("half", None, Int(plane)),))


def test_both_values_of_a_ping_pong_bit_are_one_instruction() -> None:
    (merged,) = merge_registers([toggled(0, 1), toggled(1, 0)], {"half"})
    assert merged.uses == (Use("half", None, name="half"),)
    assert merged.sets == (Set("half", None, Binary("-", Int(1), Name("half"))),)


def test_instructions_that_do_not_follow_the_bit_stay() -> None:
    apart = [toggled(0, 1), toggled(1, 2)]
    assert merge_registers(apart, {"half"}) == apart
    taken = [replace(each, alpha=("half",)) for each in (toggled(0, 1), toggled(1, 0))]
    assert merge_registers(taken, {"half"}) == taken


# parts of composites

PRELOAD = Instruction("preload", ("where",), (), (Field("funct", 6, 0, Int(6)), Field("rs1", 31, 0, Name("where"))))


def test_a_part_gets_what_the_composite_knows_of_its_fields() -> None:
    part, limits = part_of(PRELOAD, "preload.", {("preload.rs1", 0, 10): "row", ("rs1", 0, 10): "other"}, {("preload.rs1", 31, 1): 1})
    assert part.arguments == {"where": Binary("+", Name("row"), Int(1 << 31))}
    assert limits == [Binary("<=", Int(0), Name("row")), Binary("<", Name("row"), Int(1 << 10))]


def test_what_is_in_no_field_of_a_part_is_not_dropped() -> None:
    with pytest.raises(NoTemplate, match="in no field"):
        part_of(PRELOAD, "preload.", {("preload.rs2", 0, 10): "row"}, {})
    with pytest.raises(NoTemplate, match="another encoding"):
        part_of(PRELOAD, "preload.", {}, {("preload.funct", 0, 7): 5})


# names


def labelled(**labels: Label) -> list[str]:
    found = [Instruction(f"move@{n}", (), ()) for n in labels]
    return [i.name for i in named(found, lambda i: labels[i.name.split("@")[1]])]


def test_modes_are_told_apart_by_what_they_write_then_by_their_conditions() -> None:
    found = labelled(a=Label(("pad", ""), ("flag",)), b=Label(("sums", ""), ("flag",)), c=Label(("sums", ""), ("flag", "relu")))
    assert found == ["move_pad", "move_sums", "move_sums_relu"]


def test_modes_that_write_alike_are_told_apart_by_what_they_read() -> None:
    assert labelled(a=Label(("", "pad"), ()), b=Label(("", "sums"), ())) == ["move_pad", "move_sums"]


def test_the_only_mode_has_the_name_of_its_opcode() -> None:
    assert labelled(a=Label(("pad", "sums"), ("flag",))) == ["move"]


def test_names_that_repeat_are_numbered() -> None:
    assert unique(["a", "b", "a"]) == ["a", "b", "a_2"]
