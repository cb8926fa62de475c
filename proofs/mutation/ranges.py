"""A design -> ranges of its registers, each inductive: it holds what a cycle of reset leaves, and no cycle under any inputs leaves it.

The range of a register grows from its value after reset to what counterexamples reach, a few times; then nothing is claimed of it.  What is known of others
may be used, so all are tried again as long as another one was found.
"""

from __future__ import annotations

import z3

from lift.crosscheck.decide import decide
from lift.crosscheck.meaning import Meaning, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from proofs.mutation.control import Bound, after_reset

RLIMIT = 2_000_000
GROWTHS = 8


def ranges(netlist: Netlist, contract: Contract) -> list[Bound]:
    """Upper bounds of registers that reset gives a constant; none without a reset.  What is undecided is not claimed."""
    meaning, state = Meaning(netlist), {n: variable(n, r.width) for n, r in netlist.registers.items()}
    left, found = after_reset(netlist, contract), list[Bound]()
    while True:
        known = [each.over(state) for each in found]
        new = [bound for name, value in left.items() if (bound := _grown(netlist, meaning, name, value, known)) is not None]
        if not new:
            return found
        found += new
        left = {name: value for name, value in left.items() if name not in {each.register for each in new}}


def _grown(netlist: Netlist, meaning: Meaning, name: str, most: int, known: list[z3.BoolRef]) -> Bound | None:
    """The smallest range that counterexamples lead to; None when it is everything, or not found."""
    register = netlist.registers[name]
    now, after = variable(name, register.width), meaning.value(register.next)
    if after.unknown is not None:
        return None
    for _ in range(GROWTHS):
        answer, model = decide(z3.ULE(after.bits, most), [*known, z3.ULE(now, most)], RLIMIT)
        if answer == "agreed":
            return Bound(name, most)
        if model is None:
            return None
        most = model.eval(after.bits, model_completion=True).as_long()
        if most == (1 << register.width) - 1:
            return None
    return None
