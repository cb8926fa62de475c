"""One cycle of the processing element as this project reads it is one cycle of it as yosys reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs import pe, yosys
from proofs.designs import RTL, Cycle, cycle, netlist
from proofs.meaning import meaning
from proofs.solve import Refuted, prove_equal, satisfiable

pytestmark = pytest.mark.skipif(not yosys.is_installed(), reason="yosys is not installed: the independent reading of the RTL is not compared")

OUTPUTS = {"out_a": 8, "out_b": 20, "out_c": 20, "out_control_dataflow": 1, "out_control_propagate": 1, "out_control_shift": 5, "out_valid": 1}


def read(folder: Path) -> yosys.Reading:
    return yosys.read(folder, "PE", pe.INPUTS | pe.REGISTERS, tuple(pe.REGISTERS), OUTPUTS)


@pytest.fixture(scope="module")
def reading() -> yosys.Reading:
    return read(RTL)


@pytest.fixture(scope="module")
def element() -> Cycle:
    return cycle(netlist("PE"))


@pytest.mark.parametrize("mode", pe.MODES.values(), ids=[f"gemmini-PE-step-{name}" for name in pe.MODES])
@pytest.mark.parametrize("target", pe.TARGETS)
def test_unlifted_is_the_reading_by_yosys(element: Cycle, reading: yosys.Reading, target: str, mode: tuple[int, int]) -> None:
    ours = meaning(element.all[target].raw).results[0]
    prove_equal(f"PE {target} in mode {mode}", reading.values[target], ours, [*reading.axioms, *pe.in_mode(*mode)])


def test_the_reading_by_yosys_is_not_contradictory(reading: yosys.Reading) -> None:
    satisfiable("yosys", reading.axioms)


def test_a_difference_between_the_readings_is_found(element: Cycle, tmp_path: Path) -> None:
    for name in ("PE.v", "MacUnit.v"):
        (tmp_path / name).write_text((RTL / name).read_text().replace("passive >>> shift", "passive >> shift"))
    changed = read(tmp_path)
    with pytest.raises(Refuted, match="last_s = "):
        prove_equal("PE out_c", changed.values["out_c"], meaning(element.outputs["out_c"].raw).results[0], [*changed.axioms, *pe.in_mode(0, 0)])
