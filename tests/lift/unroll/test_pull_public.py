"""Pulled functions of public RTL are what Icarus Verilog shows; needs TENSORLIFT_REAL_RTL, a folder with that RTL."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lift.ir.build import build
from lift.ir.operations import functions, walk
from lift.passes import PASSES, run_passes
from lift.passes.c7_lift_to_linalg import LINALG_OP
from lift.prove import Prover
from lift.unroll import terms
from lift.unroll.past import AGE_BITS
from lift.unroll.pull import modes, pulled, series
from lift.unroll.series import gathered
from lift.unroll.terms import Term
from lift.verilog import read
from tests.lift.unroll.icarus_traces import recorded
from tests.lift.unroll.traces import check_by_simulation, moments

MODULES = {
    "TensorGemm": ("vta", ["IntelShell.sv"]),
    "TensorAlu": ("vta", ["IntelShell.sv"]),
    "PE_256": ("chipyard", ["PE_256.sv", "MacUnit.sv"]),
}
ICARUS = tuple(MODULES)
MODULES["Mesh"] = ("chipyard", [""])
RUNS, CYCLES = 4, 12


def sources(module: str) -> list[Path]:
    root = os.environ.get("TENSORLIFT_REAL_RTL")
    if root is None:
        pytest.skip("TENSORLIFT_REAL_RTL is not set")
    folder, files = MODULES[module]
    return [Path(root) / folder / file for file in files]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("module", ICARUS)
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


def test_a_column_of_a_systolic_array_is_a_dot_product_in_one_of_its_modes() -> None:
    """16 rows, 32 cycles from the first input to the output; the weights are registers of the rows."""
    netlist = read(sources("Mesh"), "Mesh")
    target = "io_out_b_15_0"
    whole = gathered(netlist, pulled(netlist, [target]))[target]
    assert whole.cycles == 32
    dots = 0
    for mode in modes(netlist, whole):
        module = build(mode)
        reports = run_passes(module, [each() for each in PASSES], Prover())
        assert not any(r.refuted or r.unknown for r in reports)
        dots += sum(LINALG_OP in op.attributes for f in functions(module) for op in walk(f.body.block))
    assert dots == 2, "one for each of the two registers that hold the weights in turn"


def test_an_arithmetic_unit_has_a_mode_for_each_operation() -> None:
    netlist = read(sources("TensorAlu"), "TensorAlu")
    target = "io_acc_wr_0_bits_data_0_0"
    split = modes(netlist, pulled(netlist, [target])[target])
    a, b = past("io_acc_rd_0_data_bits_0_0", 32, 1), past("io_acc_rd_0_data_bits_0_0", 32, 2)
    less = terms.apply("slt", 1, (a, b))
    assert {terms.apply("add", 32, (a, b)), terms.mux(less, a, b), terms.mux(less, b, a)} <= {m.result for m in split}


def past(name: str, width: int, age: int) -> Term:
    return terms.load(name, width, terms.const(age, AGE_BITS))


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
