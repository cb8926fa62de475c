"""The judge of public suites finds what is wrong, and says why a module is not judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.verilog import read
from tests.lift.verilog import icarus
from tests.lift.verilog.suites import bench
from tests.lift.verilog.suites.collect import verdict_of
from tests.lift.verilog.suites.design_only import without_test_bench
from tests.lift.verilog.suites.run import AGREED, QUICK, REFUSED, WRONG, judge_file

COUNTER = "module counter(input clk, rst, output reg [3:0] n); always @(posedge clk or posedge rst) if (rst) n <= 3; else n <= n + STEP; endmodule\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "design.v"
    path.write_text(text)
    return path


def test_netlist_of_another_design_is_found_wrong(tmp_path: Path) -> None:
    icarus.require()
    one, two = tmp_path / "one.v", tmp_path / "two.v"
    one.write_text(COUNTER.replace("STEP", "1"))
    two.write_text(COUNTER.replace("STEP", "2"))
    plan = bench.plan(read([one], "counter"), one.read_text())
    assert bench.compare(plan, bench.run_icarus(plan, [one], tmp_path)).wrong == []
    assert bench.compare(plan, bench.run_icarus(plan, [two], tmp_path)).wrong


def test_module_that_agrees_is_counted_with_its_bits(tmp_path: Path) -> None:
    icarus.require()
    (verdict,) = judge_file(write(tmp_path, COUNTER.replace("STEP", "1")), QUICK)
    assert verdict.status == AGREED
    assert verdict.bits > 100


def test_module_that_is_refused_has_a_reason(tmp_path: Path) -> None:
    (verdict,) = judge_file(write(tmp_path, "module m(input a, inout y); assign y = a; endmodule\n"), QUICK)
    assert (verdict.status, verdict.reason) == (REFUSED, "error: unsupported: InOut port 'y'")


@pytest.mark.parametrize(("value", "status"), [(11, AGREED), (12, WRONG)])
def test_assertions_of_the_test_itself_are_evaluated(tmp_path: Path, value: int, status: str) -> None:
    text = f'module m; integer a = 12; initial begin a = a - 1; $display(":assert: ({value} == %d)", a); end endmodule\n'
    (verdict,) = judge_file(write(tmp_path, text), QUICK)
    assert verdict.status == status


def test_what_a_test_bench_drives_becomes_inputs(tmp_path: Path) -> None:
    text = "module m; reg clk, a, q; always @(posedge clk) q <= a; initial begin clk = 0; a = 1; #1 clk = 1; $finish; end endmodule\n"
    design = without_test_bench(write(tmp_path, text), tmp_path)
    assert design is not None
    netlist = read([design], "m")
    assert (list(netlist.inputs), list(netlist.registers), netlist.clock) == (["clk", "a"], ["q"], "clk")


def test_verdict_about_a_file_is_the_worst_about_its_modules() -> None:
    assert verdict_of([AGREED, REFUSED, AGREED]) == REFUSED
    assert verdict_of([AGREED, WRONG, REFUSED]) == WRONG
