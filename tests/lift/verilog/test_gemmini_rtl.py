"""The netlists of the RTL in the tree behave as Icarus Verilog does, for random inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.verilog import read
from tests.lift.verilog import icarus

RTL = Path(__file__).parents[3] / "rtl" / "gemmini"
MODULES = [file.stem for file in sorted(RTL.glob("*.v"))]
SMALL = 4
CYCLES = 100


@pytest.mark.parametrize("name", MODULES)
def test_module_agrees_with_icarus(name: str, tmp_path: Path) -> None:
    icarus.require()
    scaled = "DIM" in (RTL / f"{name}.v").read_text()
    netlist = read([RTL], name, parameters={"DIM": SMALL} if scaled else {})
    rows = icarus.vectors(netlist, seed=1, cycles=CYCLES)
    expected = icarus.simulate(sorted(RTL.glob("*.v")), {name: (netlist, rows)}, tmp_path, {"DIM": SMALL} if scaled else {})[name]
    wrong, compared = icarus.differences(netlist, rows, expected)
    assert not wrong, "\n".join(wrong[:5])
    assert compared > CYCLES
