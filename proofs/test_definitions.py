"""Each module of the RTL, as this project reads it, is the module as yosys reads it: next state, memories, outputs, and what instances get.

One step, from any state under any inputs, instances with free outputs. Their number does not matter: a definition is read and compared once.
"""

from __future__ import annotations

from functools import cache

import pytest

from lift.crosscheck import Given, compare_definitions
from lift.crosscheck.verdicts import Verdict
from lift.verilog import read
from proofs import yosys
from proofs.designs import RTL

pytestmark = pytest.mark.skipif(not yosys.is_installed(), reason="yosys is not installed: the independent reading of the RTL is not compared")

MODULES = sorted(file.stem for file in RTL.glob("*.v"))
SIZES = [pytest.param(4, id="4x4"), pytest.param(16, id="16x16", marks=pytest.mark.slow)]


@cache
def verdicts(dim: int) -> tuple[Verdict, ...]:
    return tuple(compare_definitions(read([RTL], "Gemmini", parameters={"DIM": dim}), Given({"DIM": dim})))


@pytest.mark.parametrize("module", [pytest.param(name, id=f"gemmini-{name}-step") for name in MODULES])
@pytest.mark.parametrize("dim", SIZES)
def test_a_definition_is_the_reading_by_yosys(dim: int, module: str) -> None:
    own = [v for v in verdicts(dim) if v.subject.split(" ")[0] == module]
    assert own
    assert [v for v in own if v.status != "agreed"] == []
