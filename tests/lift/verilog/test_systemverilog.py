"""Constructs of SystemVerilog mean what Icarus Verilog computes, or where it lacks them what Python computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lift.netlist.arrays import walk
from lift.netlist.fold import signed
from lift.netlist.simulate import Simulator
from lift.verilog import read
from tests.lift.verilog import icarus, truths

FOLDER = Path(__file__).parent / "systemverilog"
Row = dict[str, int]
# Beyond Icarus Verilog 11: inputs -> outputs.
IN_PYTHON: dict[str, Callable[[Row], Row]] = {
    "casts": lambda r: {
        "x": r["a"] << 4 & 0xFFF,
        "y": signed(r["b"], 4) - signed(r["a"] & 15, 4) & 0xFFF,
        "z": r["a"],
    },
    "packed_array": lambda r: {
        "x": (r["a"] >> 8 * r["i"] & 0xFF) + (r["a"] >> 28) & 0xFF,
        "y": r["a"] & ~(0xFF << 8 * r["i"]) | r["d"] << 8 * r["i"],
        "b": r["a"] >> 8 * r["i"] + (r["d"] & 7) & 1,
    },
    "wild_equality": lambda r: {"y": (r["a"] & 0b1010 == 0b1000) << 2 | (r["a"] & 3 != 3) << 1 | (r["a"] in (3, 9, 12))},
    "interfaces": lambda r: {
        "x": r["a"] + (r["a"] ^ r["b"]) + r["b"] - (r["a"] & r["b"]) & 15,
        "y": r["c"] + 3 + r["d"] - (r["c"] & r["d"]) & 255,
        "odd": r["c"].bit_count() % 2 << 1 | r["a"].bit_count() % 2,
    },
    "tasks": lambda r: {"less": min(r["a"], r["b"]), "more": max(r["a"], r["b"])},
}
IN_PYTHON |= truths.TRUTHS
IN_ICARUS = [file for file in sorted(FOLDER.glob("*.sv")) if file.stem not in IN_PYTHON and file.stem != "unpacked_struct"]


@pytest.mark.parametrize("name", IN_PYTHON)
def test_construct_agrees_with_python(name: str) -> None:
    netlist = read([FOLDER / f"{name}.sv"], name)
    simulator = Simulator(netlist)
    for row in icarus.vectors(netlist, seed=3, cycles=80):
        assert simulator.outputs(row) == IN_PYTHON[name](row), row


def test_structure_that_is_not_packed_agrees_with_python() -> None:
    simulator = Simulator(read([FOLDER / "unpacked_struct.sv"], "unpacked_struct"))
    state = truths.Entry()
    for row in icarus.vectors(read([FOLDER / "unpacked_struct.sv"], "unpacked_struct"), seed=5, cycles=80):
        assert simulator.step(row) == state.step(row)


@pytest.mark.parametrize("file", IN_ICARUS, ids=lambda file: file.stem)
def test_construct_agrees_with_icarus(file: Path, tmp_path: Path) -> None:
    icarus.require()
    netlist = read([file], file.stem)
    rows = icarus.vectors(netlist, seed=4)
    expected = icarus.simulate([file], {file.stem: (netlist, rows)}, tmp_path, standard="2012")[file.stem]
    wrong, compared = icarus.differences(netlist, rows, expected)
    assert not wrong, "\n".join(wrong[:5])
    assert compared > 50


def test_enumerators_label_their_constants() -> None:
    netlist = read([FOLDER / "enum_states.sv"], "enum_states")
    assert {n.label for n in walk(netlist.registers["state"].next) if n.op == "const"} >= {"IDLE", "RUN", "DONE"}
