"""The state at rest: proved to stay as it is without a command, reached by reset, and come back to by every instruction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lift.crosscheck import Given, replay_lift
from lift.crosscheck.invariant import at_rest, stays_at_rest
from lift.crosscheck.replay import OTHERS, RESET
from lift.netlist.model import Netlist, Node
from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.machine import Machine
from tests.lift.crosscheck.machine import UNIT, lifted
from tests.lift.crosscheck.small import needs_icarus


@pytest.fixture
def unit(tmp_path: Path) -> Lift:
    file = tmp_path / "small.v"
    file.write_text(UNIT)
    return lifted(file)


def with_next(unit: Lift, register: str, value: Node) -> Lift:
    """The unit with another next value of a register."""
    netlist: Netlist = unit.unit.machine.netlist
    registers = {**netlist.registers, register: replace(netlist.registers[register], next=value)}
    machine = Machine(replace(netlist, registers=registers))
    return replace(unit, unit=replace(unit.unit, machine=machine))


def test_rest_is_proved_to_last(unit: Lift) -> None:
    found = {v.target: v.status for v in stays_at_rest(unit)}
    assert set(found.values()) == {"agreed"}
    assert {"busy", "waiting", "i", "step", "mem", "cmd_ready", "tell_valid"} <= found.keys()


def test_the_accelerator_is_proved_to_stay_at_rest(gemmini: Lift) -> None:
    found = list(stays_at_rest(gemmini))
    assert [v for v in found if v.status != "agreed"] == []
    assert {"scratchpad.bank[0].memory.mem", "cmd_ready", "mem_req_valid"} <= {v.target for v in found}


def test_what_an_input_without_meaning_reaches_is_not_claimed(unit: Lift) -> None:
    assert "tell_bits" not in at_rest(unit)


def test_a_register_that_moves_at_rest_is_different(unit: Lift, monkeypatch: pytest.MonkeyPatch) -> None:
    values = at_rest(unit)
    netlist = unit.unit.machine.netlist
    step = Node("reg", 8, (), "step")
    moving = with_next(unit, "step", Node("add", 8, (step, Node("const", 8, (), 1))))
    monkeypatch.setattr("lift.crosscheck.invariant.at_rest", lambda lift: values)
    wrong = [v for v in stays_at_rest(moving) if v.status == "different"]
    assert [v.target for v in wrong] == ["step"]
    assert wrong[0].counterexample is not None
    assert [row.name for row in wrong[0].counterexample.given] == ["step"]
    assert netlist.registers["step"].width == 8


@needs_icarus
def test_reset_leads_to_rest(unit: Lift) -> None:
    (found,) = [v for v in replay_lift(unit.unit.machine.netlist, unit, Given(), only=[]) if v.subject == RESET]
    assert (found.target, found.status) == (OTHERS, "tested")


@needs_icarus
def test_an_instruction_that_does_not_come_back_to_rest_is_different(unit: Lift, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {**at_rest(unit), "i": terms.const(3, 8)}
    monkeypatch.setattr("lift.crosscheck.replay.at_rest", lambda lift: values)
    found = replay_lift(unit.unit.machine.netlist, unit, Given(), only=["set"])
    wrong = {(v.subject, v.target) for v in found if v.status == "different"}
    assert wrong == {(RESET, OTHERS), ("set", OTHERS)}
