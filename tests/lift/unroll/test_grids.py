"""Which registers are seen as one array."""

from __future__ import annotations

from itertools import product

import pytest

from lift.netlist.model import Netlist, Register
from lift.unroll.grids import register_arrays
from tests.lift.unroll.conftest import Reader

GRID = list(product(range(2), range(3)))


def arrays(*names: str, width: int = 8) -> dict[str, tuple[tuple[int, ...], tuple[str, ...]]]:
    registers = {n: Register(n, width, None, None) for n in names}  # type: ignore[arg-type]
    netlist = Netlist("Top", {}, {}, registers, {}, {}, {}, {}, None, None)
    return {name: (a.shape, a.members) for name, a in register_arrays(netlist).items()}


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("acc[{}][{}]", "acc"),
        ("row[{}].col[{}].acc", "row.col.acc"),
        ("acc_{}_{}", "acc"),
        ("acc_0{}_0{}", "acc"),
        ("acc{}{}", "acc"),
        ("acc_r{}c{}", "acc_rc"),
        ("mesh.pe_{}_{}.acc", "mesh.pe.acc"),
        ("mesh.lane_{}.acc_{}", "mesh.lane.acc"),
    ],
)
def test_rows_and_columns_in_names_are_directions(spelled: str, name: str) -> None:
    names = [spelled.format(*place) for place in GRID]
    assert arrays(*reversed(names)) == {name: ((2, 3), tuple(names))}


def test_two_digits_may_be_one_number() -> None:
    names = [f"acc{n:02}" for n in range(12)]
    assert arrays(*names) == {"acc": ((12,), tuple(names))}


def test_numbers_that_do_not_count_from_zero_tell_arrays_apart() -> None:
    assert {n: a[0] for n, a in arrays(*(f"row[{i}].col[{j}].c{k}" for i, j in GRID for k in (1, 2))).items()} == {"row.col.c1": (2, 3), "row.col.c2": (2, 3)}
    assert {n: a[0] for n, a in arrays("fp16_0", "fp16_1", "fp32_0", "fp32_1").items()} == {"fp16": (2,), "fp32": (2,)}


@pytest.mark.parametrize("names", [("w_1", "w_2"), ("acc_0", "acc_2"), ("acc_1", "acc_01"), ("base0", "base1"), ("acc_0", "acc_1", "acc"), ("a_0", "b_1")])
def test_gaps_doubts_and_names_that_are_taken_make_no_array(names: tuple[str, ...]) -> None:
    assert arrays(*names) == {}


def test_registers_of_different_widths_are_no_array(design: Reader) -> None:
    netlist = design("module Pipeline(input clk, input [7:0] x); reg [7:0] a_0; reg [6:0] a_1; always @(posedge clk) begin a_0 <= x; a_1 <= x; end endmodule")
    assert register_arrays(netlist) == {}
