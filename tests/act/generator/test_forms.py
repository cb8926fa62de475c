"""What stands for an instruction with a form that selection has no words for does what the instruction does, on any contents of memories."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from act.backend.compile import Backend
from act.backend.microcode import word_of
from act.generator.address import NotSelectable
from act.generator.blocks import with_matrices
from act.generator.derive import Derived, derived
from act.generator.model import TableWord
from act.oracle import Machine, MachineError
from act.records import replace
from act.taidl import parse
from act.taidl.encode import expand
from act.taidl.expr import evaluate, names
from act.taidl.model import Accelerator, Binary, Composite, Int, Name, Slice
from tests.act.backend.backends import REFERENCE, ROOT, backend_of, error_of, hlo

MICRO = (ROOT / "tests/act/backend/machines/micro.taidl").read_text()
MEMORY = 4096
TRIES = 3000
GOOD = 25
"""Executions of each form that are compared."""


@dataclass(frozen=True)
class Pair:
    """A form, and the words in which its instruction finds addresses."""

    composite: Composite
    words: tuple[TableWord, ...]


@cache
def pairs(text: str) -> dict[str, Pair]:
    """By name; also of forms that are not selected after all."""
    accelerator = parse(text)
    found = [each for name in accelerator.instructions for each in _derived(accelerator, name)]
    return {each.composite.operation.name: Pair(each.composite, each.words) for each in found}


def _derived(accelerator: Accelerator, name: str) -> list[Derived]:
    try:
        return [] if accelerator.instructions[name].part_only else derived(accelerator, accelerator.instructions[name], with_matrices(accelerator))
    except NotSelectable:
        return []


def machines(backend: Backend, name: str, seed: int) -> tuple[Machine, Machine]:
    """One with the instruction set, and one in which the form is an instruction, with the same contents."""
    planned = backend.target.composites[name].operation
    target = replace(backend.target, instructions={planned.name: replace(planned, pops=(), pushes=())}, composites={})
    memory = np.random.default_rng(seed).integers(0, 256, MEMORY, np.uint8)
    (host,) = [each.name for each in backend.accelerator.buffers.values() if each.hbm]
    real, form = Machine(backend.accelerator, {host: memory.copy()}, seed), Machine(target, {host: memory.copy()}, seed)
    for buffer, contents in real.buffers.items():
        form.buffers[buffer] = contents.reshape(form.buffers[buffer].shape).copy()
    real.tokens = dict.fromkeys(real.tokens, 9)
    return real, form


def drawn(pair: Pair, order: random.Random) -> dict[str, int]:
    """Values for the attributes: small ones, and addresses in the first half of small memories."""
    operation = pair.composite.operation
    fields = {each.attribute for word in pair.words for each in word.fields}
    values = {name: order.choice((0, 1, 1, 2, 3, 5, 16)) for name in operation.alpha}
    values |= {name: order.randrange(30) if name in fields else order.randrange(8) for name in operation.beta}
    return values | {name: order.choice((-5, 3, -32768, 32767, 100)) for name in operation.alpha if name in ("imm", "bound")}


def executed(backend: Backend, pair: Pair, seed: int) -> Iterator[tuple[Machine, Machine]]:
    """Both machines after an execution, for attributes with which the form can be executed and that leave the rows of a result apart from
    those that are read."""
    order, name = random.Random(seed), pair.composite.operation.name
    for number in range(TRIES):
        values = drawn(pair, order)
        real, form = machines(backend, name, number)
        try:
            form.step(name, values)
        except MachineError:
            continue
        if overlapping(pair, values):
            continue
        for word in pair.words:
            real.buffers[word.table][values[word.slot]] = word_of(word, values)
        for instruction, attributes in expand(backend.target, name, values):
            real.step(instruction, attributes)
        yield real, form


def overlapping(pair: Pair, values: dict[str, int]) -> bool:
    """Whether rows are read that are written, and not in the same order."""
    operation = pair.composite.operation
    written = [operation.writes[0].slice, *operation.clobbers]
    return any(
        each.slice.buffer == piece.buffer and each.slice.coordinates != piece.coordinates and rows(each.slice, values) & rows(piece, values)
        for each in operation.reads
        for piece in written
    )


def rows(piece: Slice, values: dict[str, int]) -> set[int]:
    extents = {index.name: evaluate(index.extent, values) for index in piece.indices}
    first = evaluate(piece.coordinates[0], {**values, **dict.fromkeys(extents, 0)})
    along = [extents[index.name] for index in piece.indices if index.name in names(piece.coordinates[0])]
    return set(range(first, first + (along[0] if along else 1)))


def differences(backend: Backend, pair: Pair, real: Machine, form: Machine) -> list[str]:
    """The memories that are not the same, but for those of words and those that are overwritten besides."""
    ignored = {word.table for word in pair.words} | {piece.buffer for piece in pair.composite.operation.clobbers}
    return [name for name, contents in real.buffers.items() if name not in ignored and contents.tobytes() != form.buffers[name].tobytes()]


OTHERS = {name: (ROOT / f"tests/act/backend/machines/{name}.taidl").read_text() for name in ("rows", "banks", "requant")}
TEXTS = {"micro": MICRO, "decoupled": (REFERENCE / "decoupled.taidl").read_text(), **OTHERS}
FORMS = [(isa, each.operation.name) for isa, text in TEXTS.items() for each in backend_of(text).rules.derived]


@pytest.mark.parametrize(("isa", "name"), FORMS)
def test_a_form_does_what_its_instruction_does(isa: str, name: str) -> None:
    backend, pair = backend_of(TEXTS[isa]), pairs(TEXTS[isa])[name]
    compared = 0
    for real, form in executed(backend, pair, seed=5):
        assert differences(backend, pair, real, form) == []
        compared += 1
        if compared == GOOD:
            break
    assert compared >= 5


WRONG = [("product_0", "s1", 0), ("product_0", "d1", 2), ("most_2", "s1", 1), ("load_inp_0", "nx", 2), ("load_inp_1", "ny", 2)]


@pytest.mark.parametrize(("name", "attribute", "wrong"), WRONG)
def test_a_wrong_value_of_an_attribute_is_seen(name: str, attribute: str, wrong: int) -> None:
    backend, pair = backend_of(MICRO), pairs(MICRO)[name]
    (part,) = pair.composite.parts
    assert isinstance(part.arguments[attribute], Int)
    damaged = replace(pair.composite, parts=(replace(part, arguments={**part.arguments, attribute: Int(wrong)}),))
    rules = replace(backend.rules, derived=tuple(damaged if each.operation.name == name else each for each in backend.rules.derived))
    broken, found = replace(backend, rules=rules), 0
    for (real, form), _ in zip(executed(broken, pair, seed=5), range(GOOD), strict=False):
        found += bool(differences(broken, pair, real, form))
    assert found


def test_a_field_with_a_sign_is_a_number_with_a_sign() -> None:
    pair = pairs(MICRO)["shifted_sum_0"]
    (issued,) = expand(backend_of(MICRO).target, "shifted_sum_0", dict.fromkeys(pair.composite.operation.attributes, 1) | {"imm": -5})
    assert issued[1]["imm"] == 65531


def test_rows_that_are_not_next_to_each_other_have_no_form() -> None:
    """Every second row: what is left is the step alone, for loops that run once."""
    text = MICRO.replace("d1 * r", "2 * d1 * r").replace("d0 * o", "2 * d0 * o")
    rank = {name: len(each.composite.operation.writes[0].slice.indices) for name, each in pairs(text).items()}
    assert (rank["product_0"], rank["clear_0"]) == (1, 1)
    assert len(pairs(MICRO)["product_0"].composite.operation.writes[0].slice.indices) == 2


def test_a_row_that_another_row_may_have_written_is_not_read() -> None:
    """The row before the one that is written: with several rows it would be one that was just written."""
    text = MICRO.replace("%y = acc[s0 * o + s1 * r + uop[u + first] / 64 % 64]", "%y = acc[d0 * o + d1 * r + uop[u + first] % 64 - 1]")
    assert all(len(each.composite.operation.writes[0].slice.indices) == 1 for name, each in pairs(text).items() if name.startswith("most"))
    assert "at places that depend on each other" in dict(backend_of(text).rules.unused)["most_0"]


def test_rows_that_are_written_to_one_place_have_no_form() -> None:
    """Every row over the one before: what is left of that loop is that it runs once."""
    text = MICRO.replace("write   acc[d0 * o + d1 * r + uop[u + first] % 64][l : l < 4] = %v", "write   acc[d0 * o + uop[u + first] % 64][l : l < 4] = %v")
    forms = [each.composite.operation for name, each in pairs(text).items() if name.startswith("clear")]
    assert forms
    assert all(Binary("==", Name("rows"), Int(1)) in each.when for each in forms)


def test_rows_with_a_matrix_each_have_no_form() -> None:
    """The weights move on with the row, in both loops."""
    text = MICRO.replace("w0 * (o % 16) + w1 * (r % 16) + ", "o + r + ")
    ranks = [len(each.composite.operation.writes[0].slice.indices) for name, each in pairs(text).items() if name.startswith("product")]
    assert ranks == [1, 1]


def test_rows_are_matrices_only_where_every_instruction_sees_them_so() -> None:
    assert [(each.name, each.unit) for each in backend_of(MICRO).rules.buffers] == [("wgt", (4, 4))]
    assert backend_of(MICRO.replace("[4 * j + k : j < 4, k < 4]", "[4 * j + k : j < 2, k < 4]")).rules.buffers == ()


GENERATED = backend_of((ROOT / "isas/generated/vta.taidl").read_text())


@pytest.mark.parametrize(("name", "buffer"), [("gemm_0", "out"), ("alu_max_0", "out"), ("alu_max_use_imm_0", "out"), ("alu_max_use_imm_1", "acc")])
def test_what_a_macro_writes_besides_its_result_is_overwritten(name: str, buffer: str) -> None:
    (selector, *_) = (each for each in GENERATED.rules.selectors if each.name == name)
    assert buffer in [each.buffer for each in selector.clobbers]


def test_a_value_stays_where_no_macro_overwrites_it_until_it_is_stored_again() -> None:
    lines = ("a = s8[2,12,16] parameter(0)", "l = s8[] constant(0)", "h = s8[] constant(15)", "c = s8[2,12,16] clamp(l, a, h)")
    moved = ("n = s5[2,12,16] convert(c)", "w = s8[2,12,16] convert(n)", "both = (s8[2,12,16], s8[2,12,16]) tuple(w, c)")
    assert error_of(GENERATED, hlo(*lines, *moved)) is None
