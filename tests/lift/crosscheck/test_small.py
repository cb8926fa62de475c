"""What readings of Verilog disagree about, on small modules: all of it agrees with yosys, or is said not to be comparable."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.crosscheck import yosys
from lift.crosscheck.verdicts import Verdict
from lift.errors import UserError
from lift.verilog import read
from tests.lift.crosscheck import small
from tests.lift.crosscheck.small import compared, needs_icarus, needs_yosys, statuses, verdicts

AGREEING = {
    "signs": small.SIGNS,
    "masked": small.MASKED,
    "nested": small.NESTED,
    "asynchronous": small.ASYNCHRONOUS,
    "packed": small.PACKED,
    "product": small.PRODUCT,
    "constants": small.CONSTANTS,
}


def by_target(found: list[Verdict], target: str) -> Verdict:
    return next(v for v in found if v.target == target)


@needs_yosys
@pytest.mark.parametrize("name", AGREEING)
def test_agrees_everywhere(name: str, tmp_path: Path) -> None:
    found = verdicts(AGREEING[name], tmp_path)
    assert found
    assert {v.status for v in found} == {"agreed"}


@needs_yosys
def test_every_register_output_and_memory_has_a_verdict(tmp_path: Path) -> None:
    assert statuses(verdicts(small.MASKED, tmp_path)) == {"q": "agreed", "mem": "agreed"}


@needs_yosys
def test_each_set_of_parameters_is_a_definition_of_its_own(tmp_path: Path) -> None:
    subjects = {v.subject for v in verdicts(small.NESTED, tmp_path)}
    assert subjects == {"Top", "Child (first)", "Child (second)"}


@needs_yosys
def test_inputs_of_instances_are_compared(tmp_path: Path) -> None:
    targets = {v.target for v in verdicts(small.NESTED, tmp_path) if v.subject == "Top"}
    assert targets == {"y", "z", "first.clock", "first.x", "second.clock", "second.x"}


@needs_yosys
def test_what_lies_beyond_an_array_is_not_compared(tmp_path: Path) -> None:
    assert {v.status for v in verdicts(small.BEYOND, tmp_path)} == {"agreed"}


@needs_yosys
def test_undefined_values_agree_where_they_are_defined(tmp_path: Path) -> None:
    found = by_target(verdicts(small.UNDEFINED, tmp_path), "y")
    assert found.status == "agreed"


@needs_yosys
@needs_icarus
def test_what_yosys_does_not_read_is_tested(tmp_path: Path) -> None:
    found = verdicts(small.FUNCTION, tmp_path)
    assert {v.status for v in found} == {"tested"}
    assert all(v.trials and "yosys: syntax error" in v.reason for v in found)


@needs_yosys
@needs_icarus
def test_what_the_solver_does_not_finish_is_tested_and_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lift.crosscheck.compare.decide_equal", lambda a, b, assuming, rlimit: ("undecided", None))
    found = by_target(verdicts(small.SIGNS, tmp_path), "sum")
    assert (found.status, found.trials > 0) == ("tested", True)
    assert "undecided after 20000000 resource units" in found.reason


@needs_yosys
def test_a_module_that_yosys_and_icarus_do_not_read_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lift.crosscheck.icarus.is_installed", lambda: False)
    (tmp_path / "inner.sv").write_text(small.FUNCTION.replace("Top", "Inner"))
    outer = "module Top (input wire clock, input wire [7:0] a, output wire [7:0] y); Inner i (.clock(clock), .a(a + 8'd1), .y(y)); endmodule"
    (tmp_path / "outer.sv").write_text(outer)
    found = compared(read([tmp_path], "Top"))
    assert {v.status for v in found if v.subject == "Top"} == {"agreed"}
    assert {v.status for v in found if v.subject == "Inner"} == {"not comparable"}
    assert all("Icarus Verilog (iverilog) is not installed" in v.reason for v in found if v.subject == "Inner")


def test_without_yosys_the_advice_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lift.crosscheck.yosys.shutil.which", lambda name: None)
    with pytest.raises(UserError, match=r"yosys was not found(.|\n)*install yosys"):
        yosys.require()
