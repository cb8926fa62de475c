"""Pulled functions of public RTL are what Icarus Verilog shows; needs TENSORLIFT_REAL_RTL, a folder with that RTL."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lift.unroll import terms
from lift.unroll.pull import pulled, series
from lift.verilog import read
from tests.lift.unroll.icarus_traces import recorded
from tests.lift.unroll.traces import check_by_simulation, moments

MODULES = {
    "TensorGemm": ("vta", ["IntelShell.sv"]),
    "TensorAlu": ("vta", ["IntelShell.sv"]),
    "PE_256": ("chipyard", ["PE_256.sv", "MacUnit.sv"]),
}
RUNS, CYCLES = 4, 12


def sources(module: str) -> list[Path]:
    root = os.environ.get("TENSORLIFT_REAL_RTL")
    if root is None:
        pytest.skip("TENSORLIFT_REAL_RTL is not set")
    folder, files = MODULES[module]
    return [Path(root) / folder / file for file in files]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("module", MODULES)
def test_functions_are_what_icarus_shows(module: str, exact: bool, tmp_path: Path) -> None:
    files = sources(module)
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    netlist = read(files, module)
    traces = recorded(netlist, files, tmp_path, random.Random(1), RUNS, CYCLES)
    for target, function in pulled(netlist, exact=exact).items():
        verdicts = [moment.agrees(function) for trace in traces for moment in moments(trace, function)]
        assert len(verdicts) >= 10 and all(verdicts), f"{target}: {verdicts.count(False)} of {len(verdicts)}"


def test_a_dot_product_through_an_adder_tree_is_one_function_of_operands_three_cycles_back() -> None:
    netlist = read(sources("TensorGemm"), "TensorGemm")
    function = pulled(netlist, ["io_acc_wr_0_bits_data_0_3"])["io_acc_wr_0_bits_data_0_3"]
    assert function.result is not None
    assert sum(t.op == "mul" for t in terms.walk(function.result)) == 16
    operands = {name: age for name, age in series(function).items() if "inp_rd" in name or "wgt_rd" in name}
    assert len(operands) == 32 and len(set(operands.values())) == 1
    assert series(function)["io_acc_rd_0_data_bits_0_3"] == 0


def test_a_mistake_in_the_delay_is_noticed_on_a_dot_product() -> None:
    netlist = read(sources("TensorGemm"), "TensorGemm")
    target = "io_acc_wr_0_bits_data_0_0"
    function = pulled(netlist, [target])[target]
    assert function.result is not None
    operand = next(t for t in terms.walk(function.result) if t.op == "load" and t.attr == "io_inp_rd_0_data_bits_0_7")
    late = terms.load("io_inp_rd_0_data_bits_0_7", 8, terms.const(int(operand.args[0].attr or 0) - 1, operand.args[0].width))
    wrong = replace(function, result=terms.substitute(function.result, {operand: late}))
    compared, differ = check_by_simulation(netlist, {target: wrong}, runs=4)[target]
    assert compared and differ
