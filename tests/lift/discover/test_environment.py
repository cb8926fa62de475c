"""The world around a unit: one command, a memory that answers by contract."""

from __future__ import annotations

from lift.discover.environment import Surroundings
from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.terms import FALSE, TRUE


def surroundings(lift: Lift) -> Surroundings:
    return Surroundings(lift.unit.machine.netlist, lift.unit.contract, lift.unit.executions["mvin"].opcode.payload)


def test_the_command_is_offered_in_the_first_cycle_alone(gemmini: Lift) -> None:
    world = surroundings(gemmini)
    assert world.first()["cmd_valid"] is TRUE
    assert world.idle()["cmd_valid"] is FALSE
    assert world.first()["cmd_funct"] is terms.const(2, 7)


def test_reset_is_active_in_reset_alone(gemmini: Lift) -> None:
    world = surroundings(gemmini)
    assert (world.in_reset()["reset"], world.idle()["reset"]) == (TRUE, FALSE)


def test_nothing_is_answered_before_it_is_asked(gemmini: Lift) -> None:
    assert surroundings(gemmini).first()["mem_resp_valid"] is FALSE


def test_every_byte_of_an_answer_is_the_memory_at_its_address(gemmini: Lift) -> None:
    """A row of mvin in mode "not zeros, scratchpad" is loads of the host's memory at consecutive addresses."""
    written = [m.functions["scratchpad.bank.memory.mem"] for m in gemmini.modes["mvin"] if "scratchpad.bank.memory.mem" in m.functions]
    (arguments,) = [found for f in written if "mem" in (found := {a.name: a for a in f.arguments})]
    assert (arguments["mem"].width, arguments["mem"].depth) == (8, 1 << 40)
