"""Public suites of Verilog: what is read agrees with a simulator or with the test's own assertions; what is refused has a reason.

`TENSORLIFT_REAL_RTL` names a folder with the suites in `iverilog`, `yosys` and `sv-tests`, and generated designs in `chipyard`.
`scripts/bench_readers.py` prints the same as a table, with one simulator more.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lift.errors import UserError
from lift.verilog import read
from tests.lift.verilog.suites.collect import files_by_verdict, suites
from tests.lift.verilog.suites.run import AGREED, QUICK, WRONG, judge_file

ROOT = os.environ.get("TENSORLIFT_REAL_RTL")
pytestmark = pytest.mark.skipif(ROOT is None, reason="TENSORLIFT_REAL_RTL is not set")
LEAST_AGREED = {"ivtest regress-synth": 56, "yosys tests/simple": 85}  # files of which every module agrees


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ivtest regress-synth", "yosys tests/simple", "sv-tests chapter-10", "sv-tests chapter-11", "sv-tests chapter-12"])
def test_nothing_of_the_suite_is_read_wrongly(name: str) -> None:
    (suite,) = [s for s in suites(Path(ROOT or "")) if s.name == name]
    verdicts = [v for file in suite.files for v in judge_file(file, QUICK)]
    assert [v for v in verdicts if v.status == WRONG] == []
    assert files_by_verdict(verdicts)[AGREED] >= LEAST_AGREED.get(name, 1)


@pytest.mark.slow
@pytest.mark.parametrize("top", ["Gemmini", "ExecuteController", "LoadController", "StoreController", "Mesh", "PE_256"])
def test_module_of_a_generated_folder_is_read(top: str) -> None:
    netlist = read([Path(ROOT or "") / "chipyard"], top)
    assert netlist.top == top
    assert netlist.registers or netlist.outputs


@pytest.mark.parametrize("top", ["pe", "pu_alu", "mem_walker_stride", "decoder", "systolic_array"])
def test_module_of_a_hand_written_accelerator_is_read(top: str) -> None:
    assert read([Path(ROOT or "") / "dnnweaver2" / "hardware" / "rtl"], top).clock == "clk"


@pytest.mark.parametrize("top", ["rdh", "rcdbpot"])
def test_combinational_module_of_a_function_unit_is_read(top: str) -> None:
    assert read([Path(ROOT or "") / "cfu" / "proj" / "kws_micro_accel"], top).outputs


@pytest.mark.parametrize("top", ["mac", "Cfu"])
def test_variable_that_its_declaration_computes_from_inputs_is_refused(top: str) -> None:
    with pytest.raises(UserError, match=r"mac\.sv:28:22: error: the initial value of 'InputOffest' is not a constant"):
        read([Path(ROOT or "") / "cfu" / "proj" / "kws_micro_accel"], top)
