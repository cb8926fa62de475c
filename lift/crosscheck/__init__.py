"""Our reading of the RTL, and our unrolling of it, against tools that share nothing with them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from lift.crosscheck.check import Given, compare_definitions
from lift.crosscheck.icarus import NotSimulated
from lift.crosscheck.invariant import stays_at_rest
from lift.crosscheck.outside import OnIcarus
from lift.crosscheck.replay import replayed
from lift.crosscheck.simulated import simulated
from lift.crosscheck.verdicts import Report, Verdict
from lift.discover.environment import SCHEDULE
from lift.netlist.model import Netlist
from lift.unroll.extract import Lift

__all__ = ["Given", "Report", "check_lift", "check_reading", "compare_definitions", "replay_lift", "simulated"]

READING = (
    "definitions: inputs, registers, memories and the outputs of instances are free; flattening is not part of it",
    "definitions: what the RTL leaves undefined may be anything; asynchronous resets are over after the clock edge",
)
UNROLLING = (
    "rest: nothing is offered or answered; inputs without a meaning at the time may be anything",
    f"replay: {SCHEDULE}; a command is offered once the one before it is done",
    "replay: random states and commands within each mode's facts, domain and assumptions",
)


def check_reading(netlist: Netlist, given: Given, progress: Callable[[str], None] = lambda _: None) -> Report:
    """Every definition of `netlist`.  Raises UserError when yosys is missing."""
    return Report(tuple(compare_definitions(netlist, given, progress)), (), (), READING)


def check_lift(netlist: Netlist, lift: Lift, given: Given, progress: Callable[[str], None] = lambda _: None) -> Report:
    """The state at rest of `lift`, and every instruction on the RTL of `netlist`."""
    invariant = () if lift.unit.contract.command is None else tuple(stays_at_rest(lift, given.rlimit))
    return Report((), invariant, tuple(replay_lift(netlist, lift, given, progress)), UNROLLING)


def replay_lift(
    netlist: Netlist, lift: Lift, given: Given, progress: Callable[[str], None] = lambda _: None, only: Collection[str] | None = None
) -> list[Verdict]:
    """Every instruction (or each of `only`) on Icarus Verilog; not comparable, with the reason, where that does not take the design."""
    try:
        with simulated(netlist, given) as machine:
            return list(replayed(lift, OnIcarus(machine), "Icarus Verilog", given.seed, progress, only))
    except NotSimulated as error:
        return [Verdict(name, "", "not comparable", str(error)) for name in lift.unit.executions]
