"""One mode of one instruction, twice on random concrete values: its update functions evaluated, and the netlist simulated clock by clock."""

from __future__ import annotations

import random

from lift.crosscheck.outside import OnNetlist, executed
from lift.crosscheck.predicted import After, differences, predicted
from lift.crosscheck.sample import Before, assumed, sample
from lift.unroll.extract import Lift, Mode

__all__ = ["After", "Before", "agree", "assumed", "differences", "draw", "predicted", "sample", "simulated"]

TRIES = 200


def simulated(lift: Lift, mode: Mode, before: Before) -> After:
    """The state after the instruction by simulation of the netlist."""
    return executed(lift, mode, before, OnNetlist(lift.unit.machine.netlist))


def draw(lift: Lift, mode: Mode, rng: random.Random) -> Before:
    """A state and a command within what the mode takes as given."""
    for _ in range(TRIES):
        before = sample(lift, mode, rng)
        if before is not None:
            return before
    raise AssertionError("no state within the assumptions was drawn")


def agree(lift: Lift, mode: Mode, rng: random.Random) -> After:
    """The state after a mode from a random one, which simulation confirms."""
    before = draw(lift, mode, rng)
    found = simulated(lift, mode, before)
    assert differences(lift, predicted(lift, mode, before), found, before) == []
    return found
