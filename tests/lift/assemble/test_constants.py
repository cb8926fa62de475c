"""Rows of which some elements are always the same number: padding, or a choice by the place, and what was lifted."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from act.taidl import Accelerator
from lift.assemble.constants import with_constants
from lift.assemble.errors import NoTemplate
from lift.assemble.rewriting import substitute
from lift.assemble.unify import coordinate
from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term
from tests.specification import CheckedMachine, Reference, lifted

ROWS = Path(__file__).parents[1] / "designs/lanes/Rows.sv"
Design = tuple[Lift, Accelerator]

PADDING = {
    "above": ["2 0 0_0x0_2"],
    "below": ["3 0 0_0x1_0"],
    "last": ["3 1 0_0x0_1"],
    "both": ["2 3 0_0x1_0", "3 1 0_0x0_1"],
    "sum": ["2 0 0_0x0_2"],
    "wide": [],
    "copy": [],
}
CHANGES = {
    "above": ("{16'd0, x[15:0]}", "{14'd0, x[17:0]}"),
    "below": ("{x[23:0], 8'd0}", "{x[31:8], 8'd0}"),
    "last": ("{8'd1, x[23:0]}", "{8'd2, x[23:0]}"),
    "both": ("{8'd1, x[15:0], 8'd3}", "{8'd3, x[15:0], 8'd1}"),
    "between": ("{x[31:24], 8'd1, x[15:0]}", "{x[31:16], 8'd1, x[7:0]}"),
    "sum": ("{16'd0, sums[31:16]}", "{sums[31:16], 16'd0}"),
    "wide": ("x[31:24], 8'd0, x[23:16], 8'd0", "x[23:16], 8'd0, x[31:24], 8'd0"),
}


def design(file: Path) -> Design:
    lift, accelerator, opaque = lifted(file, "Rows")
    assert not opaque
    return lift, accelerator


@pytest.fixture(scope="module", name="rows")
def fixture_rows() -> Design:
    return design(ROWS)


@pytest.fixture(scope="module", name="changed")
def fixture_changed(tmp_path_factory: pytest.TempPathFactory) -> Lift:
    file, text = tmp_path_factory.mktemp("changed") / "Rows.sv", ROWS.read_text()
    for old, new in CHANGES.values():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return lifted(file, "Rows")[0]


def paddings(accelerator: Accelerator, name: str) -> list[str]:
    """How many elements of a row are padded, with which number, and where."""
    body = accelerator.instructions[name].body
    constants = dict(re.findall(r"(%\w+) = \S+ constant\((\S+)\)", body))
    extents = dict(re.findall(r"(%\w+) = \w+\[.*, (\d+)\]", body))
    return [f"{extents[x]} {constants[c]} {where}" for x, c, where in re.findall(r"pad\((%\w+), (%\w+)\), padding=(\S+)", body)]


@pytest.mark.parametrize("name", PADDING)
def test_constants_at_the_ends_are_padding(rows: Design, name: str) -> None:
    assert paddings(rows[1], name) == PADDING[name]


def test_a_constant_between_is_chosen_where_it_is(rows: Design) -> None:
    body = rows[1].instructions["between"].body
    assert "iota()" in body and "direction=EQ" in body and "pad" not in body


def test_zeros_above_each_part_make_it_wider(rows: Design) -> None:
    assert {n: f"{b.element}{b.unit}" for n, b in rows[1].buffers.items()} == {"rows": "u8(4,)", "results": "u8(4,)", "wide": "u16(4,)"}


def step(rows: Design, name: str, reference: Lift) -> None:
    machine = CheckedMachine(rows[1], Reference(reference), {}, seed=3)
    machine.buffers["rows"][:] = np.arange(256).reshape(64, 4)
    machine.step(name, {"count": 20, "from": 30, "to": 3})


@pytest.mark.parametrize("name", [*PADDING, "between"])
def test_the_instruction_does_what_was_lifted(rows: Design, name: str) -> None:
    step(rows, name, rows[0])


@pytest.mark.parametrize("name", CHANGES)
def test_it_does_something_else_than_other_rows(rows: Design, changed: Lift, name: str) -> None:
    with pytest.raises(AssertionError):
        step(rows, name, changed)


def lane(k: int) -> Term:
    return terms.extract(terms.sym("word", 64), 8 * k, 8)


@pytest.mark.parametrize("fixed", [{0: 0}, {0: 1, 1: 2}, {3: 5}, {0: 7, 1: 7, 7: 7}, {2: 1, 5: 9}, {0: 4, 1: 5, 4: 6, 6: 7, 7: 7}])
def test_each_element_is_what_the_template_is_at_its_place(fixed: dict[int, int]) -> None:
    values = [terms.const(fixed[k], 8) if k in fixed else lane(k) for k in range(8)]
    found = with_constants([(k,) for k in range(8)], values)
    assert [substitute(found, {coordinate(0): terms.const(k, INDEX_WIDTH)}) for k in range(8)] == values


def test_constants_along_a_diagonal_are_no_template() -> None:
    points = [(i, j) for i in range(3) for j in range(3)]
    values = [terms.const(0, 8) if i == j else terms.extract(terms.sym(f"word{i}", 64), 8 * j, 8) for i, j in points]
    with pytest.raises(NoTemplate):
        with_constants(points, values)
