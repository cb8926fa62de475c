"""Values as bodies: masks become paddings, sums keep the width in which they can wrap, and unlike things are refused."""

from __future__ import annotations

import pytest

from act.taidl import Expr, Int, Name
from lift.assemble.errors import NoTemplate
from lift.assemble.guards import below
from lift.assemble.integers import Reading, index
from lift.assemble.leaves import Leaves, Registers
from lift.assemble.places import Storage, split
from lift.assemble.reads import Operands
from lift.assemble.unify import coordinate
from lift.assemble.values import Body
from lift.unroll import terms
from lift.unroll.terms import Term

ROW, COLUMN, K = coordinate(0), coordinate(1), index("k")
AXES = (index("row0"), index("column1"))
SIZE = 4
FIELDS = {("rs1", 0, 16): "rows", ("rs1", 16, 16): "cols", ("rs2", 0, 16): "depth", ("rs2", 16, 16): "more"}
WORDS = {"rs1": 32, "rs2": 32}
STORAGE = {"pad": Storage("pad", "s8", 8, (SIZE,), 64), "sums": Storage("sums", "s32", 32, (SIZE,), 16), "mem": Storage("mem", "u8", 8, (), 1 << 16, host=True)}


def n(value: int, width: int = 32) -> Term:
    return terms.const(value, width)


def field(name: str) -> Term:
    ((word, low, width),) = (p for p, label in FIELDS.items() if label == name)
    return terms.extract(terms.sym(word, WORDS[word]), low, width)


def element(memory: str, address: Term, lane: Term) -> Term:
    storage = STORAGE[memory]
    word = terms.load(memory, storage.bits * SIZE, terms.extract(address, 0, STORAGE[memory].address_bits))
    return terms.make("lane", storage.bits, (word, lane))


def under(condition: Term, value: Term) -> Term:
    return terms.mux(condition, value, terms.const(0, value.width))


def less(a: Term, name: str) -> Term:
    return terms.apply("ult", 1, (a, terms.apply("zext", 32, (field(name),))))


def dot(a: Term, b: Term, width: int, count: int = SIZE, initial: Term | None = None) -> Term:
    return terms.make("dot", width, (initial if initial is not None else terms.const(0, width), a, b, n(count)), str(K.attr))


def body(size: int = SIZE) -> Body:
    leaves = Leaves(WORDS, Registers({}), FIELDS)
    leaves.axes.update(zip(AXES, "ij", strict=True))
    indices = {ROW: {(AXES[0],): 1}, COLUMN: {(AXES[1],): 1}}
    reading = Reading({ROW: size - 1, COLUMN: size - 1})
    return Body(Operands(leaves, STORAGE, indices, AXES, dict.fromkeys(AXES, size), reading), below([(ROW, size), (COLUMN, size)]))


ALL: dict[Term, Expr] = {AXES[0]: Int(SIZE), AXES[1]: Int(SIZE)}
SOME: dict[Term, Expr] = {AXES[0]: Name("rows"), AXES[1]: Name("cols")}


def text(value: Term, element: str, want: dict[Term, Expr]) -> list[str]:
    made = body()
    made.stored(value, want, element)
    return made.text()


def test_an_element_is_read_over_the_ranges_of_the_result() -> None:
    assert text(element("pad", ROW, COLUMN), "s8", SOME) == ["%x0 = s8[`rows`, `cols`] parameter(0)", "%v0 = s8[`rows`, `cols`] copy(%x0)"]


def test_a_mask_becomes_a_padding() -> None:
    masked = under(terms.both(less(ROW, "rows"), less(COLUMN, "cols")), element("pad", ROW, COLUMN))
    assert text(masked, "s8", ALL)[-1] == "%v1 = s8[4, 4] pad(%x0, %v0), padding=0_`4 - rows`x0_`4 - cols`"


def test_a_mask_with_the_bounds_of_the_result_vanishes() -> None:
    masked = under(terms.both(less(ROW, "rows"), less(COLUMN, "cols")), element("pad", ROW, COLUMN))
    assert text(masked, "s8", SOME) == text(element("pad", ROW, COLUMN), "s8", SOME)


def test_a_mask_with_other_bounds_than_the_result_is_refused() -> None:
    with pytest.raises(NoTemplate, match="other bounds"):
        text(under(less(ROW, "depth"), element("pad", ROW, COLUMN)), "s8", SOME)


def test_a_mask_whose_bound_wraps_is_refused() -> None:
    wraps = terms.apply("zext", 32, (terms.apply("add", 16, (field("rows"), field("cols"))),))
    with pytest.raises(NoTemplate):
        text(under(terms.apply("ult", 1, (ROW, wraps)), element("pad", ROW, COLUMN)), "s8", ALL)


def product(width: int, count: int = SIZE, guard_a: str = "depth", guard_b: str = "depth", initial: Term | None = None) -> Term:
    a = under(less(K, guard_a), element("pad", ROW, K))
    b = under(less(K, guard_b), element("pad", K, COLUMN))
    return dot(a, b, width, count, initial)


def test_a_product_of_operands_masked_alike_is_one_over_their_range() -> None:
    lines = text(terms.apply("sext", 32, (product(20),)), "s32", SOME)
    assert lines[:2] == ["%x0 = s8[`rows`, `depth`] parameter(0)", "%x1 = s8[`depth`, `cols`] parameter(1)"]
    assert not any("pad(" in line for line in lines)


def test_a_product_of_operands_masked_differently_pads_them() -> None:
    lines = text(terms.apply("sext", 32, (product(20, guard_b="more"),)), "s32", SOME)
    assert sum("pad(" in line for line in lines) == 2


def test_a_sum_that_cannot_wrap_is_computed_in_the_wider_type() -> None:
    assert "s32[4, 4] dot(" in text(terms.apply("sext", 32, (product(20),)), "s32", ALL)[-1]


def test_a_sum_that_can_wrap_keeps_its_width() -> None:
    # 32 * (-128)**2 is 2**19, which is negative in 20 bits.
    lines = text(terms.apply("sext", 32, (product(20, 32),)), "s32", ALL)
    assert "s20[4, 4] dot(" in lines[-2] and "s32[4, 4] convert(" in lines[-1]


def test_one_element_less_cannot_wrap() -> None:
    assert "s32[4, 4] dot(" in text(terms.apply("sext", 32, (product(20, 31),)), "s32", ALL)[-1]


def test_a_wide_initial_value_counts_when_a_sum_can_wrap() -> None:
    initial = terms.extract(element("sums", ROW, COLUMN), 0, 20)
    assert any("s20[4, 4] dot(" in line for line in text(terms.apply("sext", 32, (product(20, initial=initial),)), "s32", ALL))


def test_zero_extension_of_a_sum_sees_its_low_bits_only() -> None:
    lines = text(terms.apply("zext", 32, (product(20),)), "s32", ALL)
    assert [line.split(" = ")[1].split("(")[0] for line in lines[-4:]] == [
        "s32[4, 4] dot",
        "s20[4, 4] convert",
        "u20[4, 4] bitcast-convert",
        "s32[4, 4] convert",
    ]


def test_a_saturated_product_is_a_clamp() -> None:
    clamped = terms.make("clamp", 8, (product(20),), "-128:127:1")
    assert "clamp(%v3, %v2, %v4)" in text(clamped, "s8", ALL)[-2]


def test_a_maximum_with_zero_is_one() -> None:
    x = element("sums", ROW, COLUMN)
    relu = terms.mux(terms.apply("slt", 1, (x, n(0))), n(0), x)
    assert "maximum(%x0, %v1)" in text(relu, "s32", ALL)[-1]


def test_bytes_at_consecutive_addresses_are_one_element() -> None:
    base = terms.sym("rs2", 32)
    at = [terms.load("mem", 8, terms.apply("add", 16, (terms.extract(base, 0, 16), terms.const(k, 16)))) for k in range(4)]
    lines = text(terms.concat(*reversed(at)), "s32", ALL)
    assert lines[:2] == ["%x0 = u8[4] parameter(0)", "%v0 = s32[] bitcast-convert(%x0)"]
    with pytest.raises(NoTemplate):
        text(terms.concat(*at), "s32", ALL)


def test_half_an_element_is_shifted_down() -> None:
    lines = text(terms.extract(element("sums", ROW, COLUMN), 16, 16), "s16", ALL)
    assert any("shift-right-logical(" in line for line in lines)


def test_an_address_that_wraps_is_said_with_its_wrap() -> None:
    at = terms.apply("zext", 32, (terms.apply("add", 3, (THREE, n(1, 3))),))
    assert text(element("pad", at, COLUMN), "s8", ALL)


THREE = terms.extract(field("rows"), 0, 3)
REFUSED = {
    "a word of several elements": lambda: terms.load("pad", 32, n(0, 6)),
    "elements that lie across lanes": lambda: terms.extract(terms.load("pad", 32, n(0, 6)), 4, 8),
    "an operator without a form": lambda: terms.apply("udiv", 8, (element("pad", ROW, COLUMN), element("pad", ROW, COLUMN))),
    "some bits of an index": lambda: element("pad", ROW, terms.apply("zext", 32, (terms.extract(COLUMN, 0, 1),))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_form_is_refused(what: str) -> None:
    with pytest.raises(NoTemplate):
        text(REFUSED[what](), "s8", ALL)


def test_an_index_of_an_array_is_split_by_the_ranges_of_its_parts() -> None:
    reading = Reading({ROW: 3, K: 3})
    assert split({(ROW,): 4, (K,): 1}, (4, 4), reading) == ({(ROW,): 1}, {(K,): 1})
    assert split({(): 3, (K,): -1}, (4, 4), reading) == ({}, {(): 3, (K,): -1})
    with pytest.raises(NoTemplate):
        split({(ROW,): 1, (K,): 1}, (4, 4), reading)
