"""The report: what is opaque, which condition it is because of, where in the RTL that stands, and everything that was taken as given."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from act.taidl import parse
from lift.assumptions import of_every_instruction
from lift.cli import main
from lift.netlist.model import Assertion, Location
from tests.lift.lifted import lift_of
from tests.lift.small import FILL, NEVER_READY, TEMPLATE, UNTIL_ZERO

TOY = Path(__file__).parent / "designs" / "toy"
Run = Callable[[str], tuple[str, str]]

@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The report and the instruction set of the small machine with a body."""
    monkeypatch.chdir(tmp_path)

    def work(body: str) -> tuple[str, str]:
        Path("small.v").write_text(TEMPLATE % body)
        assert main(["small.v", "--top", "Small", "-o", "a.taidl", "--report", ".", "--no-cache", "--allow-partial"]) == 0
        return Path("report.txt").read_text(), Path("a.taidl").read_text()

    return work


@pytest.mark.parametrize(("body", "named"), [(UNTIL_ZERO, "left"), (NEVER_READY, "cmd_ready")])
def test_an_instruction_that_cannot_be_executed_is_told_with_lines_of_the_rtl(run: Run, body: str, named: str) -> None:
    report, _ = run(body)
    told = report[report.index("  opaque: ") :].split("\n\n")[0]
    assert re.search(rf"    from {named} \(small\.v:\d+", told)


def test_a_value_without_a_tensor_operation_is_told_with_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(TOY, "rtl")
    text = Path("rtl/Toy.v").read_text()
    Path("rtl/Toy.v").write_text(text.replace("<= mem_resp_data[31:0]", "<= mem_resp_data[31:0] % {16'd0, origin}"))
    assert main(["rtl", "--top", "Toy", "-o", "a.taidl", "--report", ".", "--no-cache", "--allow-partial"]) == 0
    report = Path("report.txt").read_text()
    told = report[report.index("lifted, but not said") :]
    number = next(n for n, line in enumerate(text.splitlines(), 1) if "cmd_rs1," in line)
    unsaid = re.search(r"^  (weights)@0\.0: .* \(in what it does to .*\)\n    it is .*\n", told, re.MULTILINE)
    assert unsaid and f"    from rs1 (rtl/Toy.v:{number}:" in told
    assert parse(Path("a.taidl").read_text()).instructions[unsaid.group(1)].opaque


def test_what_is_assumed_of_every_instruction_is_in_the_report_and_in_the_instruction_set(run: Run) -> None:
    for text in run(FILL):
        assert "ssumed of every instruction" in text
        assert "after reset, a command is offered once the one before it is done" in text
        assert "addresses stay within their memory" in text


def test_the_schedule_of_memory_is_assumed_where_there_is_memory(tmp_path: Path, run: Run) -> None:
    schedule = "requests to memory are accepted at once and answered in the next cycle"
    assert main([str(TOY), "--top", "Toy", "-o", "toy.taidl", "--report", "toy", "--no-cache"]) == 0
    for text in (Path("toy.taidl").read_text(), Path("toy/report.txt").read_text()):
        assert schedule in text
    assert schedule not in run(FILL)[1]


def test_inputs_that_nothing_drives_are_listed(tmp_path: Path) -> None:
    (tmp_path / "small.v").write_text((TEMPLATE % FILL).replace("input wire clock,", "input wire clock, input wire [3:0] mode,"))
    found = of_every_instruction(lift_of([tmp_path / "small.v"], "Small"))
    assert "inputs without a contract are stable during an instruction: mode" in found


def test_assertions_of_the_design_are_listed_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "small.v").write_text(TEMPLATE % FILL)
    lift = lift_of([tmp_path / "small.v"], "Small")
    machine = lift.unit.machine
    holds = next(iter(machine.netlist.outputs.values()))
    machine.netlist = replace(machine.netlist, assertions=(Assertion(holds, Location("small.v", 41, 9)),))
    assert "the assertion of the design at small.v:41:9 holds" in of_every_instruction(lift)
