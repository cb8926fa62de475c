"""One mode of one instruction, twice on random concrete values: its update functions evaluated, and the netlist simulated clock by clock."""

from __future__ import annotations

from lift.crosscheck.outside import OnNetlist, executed
from lift.crosscheck.predicted import After, differences, predicted
from lift.crosscheck.sample import Before, assumed, sample
from lift.unroll.extract import Lift, Mode

__all__ = ["After", "Before", "assumed", "differences", "predicted", "sample", "simulated"]


def simulated(lift: Lift, mode: Mode, before: Before) -> After:
    """The state after the instruction by simulation of the netlist."""
    return executed(lift, mode, before, OnNetlist(lift.unit.machine.netlist))
