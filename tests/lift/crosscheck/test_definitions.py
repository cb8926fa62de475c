"""Every module of the systolic accelerator (4 x 4) as we read it is the module as yosys reads it: next state, outputs, memories, instances' inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.crosscheck import Given, compare_definitions
from lift.crosscheck.verdicts import Verdict
from lift.verilog import read
from tests.lift.crosscheck.small import needs_yosys

pytestmark = needs_yosys

RTL = Path(__file__).parents[3] / "rtl" / "gemmini"
MODULES = sorted(file.stem for file in RTL.glob("*.v"))


@pytest.fixture(scope="module")
def found() -> list[Verdict]:
    return list(compare_definitions(read([RTL], "Gemmini", parameters={"DIM": 4}), Given({"DIM": 4})))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_proved_to_agree(module: str, found: list[Verdict]) -> None:
    own = [v for v in found if v.subject.split(" ")[0] == module]
    assert own
    assert [v for v in own if v.status != "agreed"] == []
