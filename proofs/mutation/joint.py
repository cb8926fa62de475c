"""A design -> which values two control registers have together, each inductive: reset leaves such a pair, and no cycle under any inputs leaves them.

The set of pairs grows from the values after reset to what counterexamples reach; what is known of others may be used, so all are tried again as long as one
was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import z3

from lift.crosscheck.bits import Bits, const
from lift.crosscheck.decide import decide
from lift.crosscheck.meaning import Meaning, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from proofs.mutation.control import Invariant, after_reset, control_registers, registers_of

RLIMIT = 2_000_000
GROWTHS = 40


@dataclass(frozen=True, slots=True)
class Joint:
    """`first` and `second` have one of the pairs of `values`."""

    first: str
    second: str
    values: frozenset[tuple[int, int]]

    def over(self, state: Mapping[str, Bits]) -> Bits:
        a, b = state[self.first], state[self.second]
        return z3.Or(*(z3.And(a == const(x, a.size()), b == const(y, b.size())) for x, y in sorted(self.values)))


def joints(netlist: Netlist, contract: Contract, known: list[Invariant]) -> list[Joint]:
    """Of registers one of which looks at the other.  What is undecided, or allows everything, is not claimed."""
    reset, meaning = after_reset(netlist, contract), Meaning(netlist)
    state = {n: variable(n, r.width) for n, r in netlist.registers.items()}
    control = [n for n in control_registers(netlist, contract) if n in reset]
    reads = {n: registers_of(netlist.registers[n].next) for n in control}
    left = [(a, b) for a, b in combinations(control, 2) if a in reads[b] or b in reads[a]]
    found: list[Joint] = []
    while True:
        held = [each.over(state) for each in (*known, *found)]
        new = [each for a, b in left if (each := _grown(meaning, netlist, a, b, (reset[a], reset[b]), held)) is not None]
        left = [pair for pair in left if pair not in {(each.first, each.second) for each in new}]
        if not (telling := [each for each in new if not _says_nothing(each)]):
            return found
        found += telling


def _grown(meaning: Meaning, netlist: Netlist, first: str, second: str, start: tuple[int, int], held: list[Bits]) -> Joint | None:
    """The pairs that counterexamples lead to."""
    registers = [netlist.registers[name] for name in (first, second)]
    now, after = [variable(r.name, r.width) for r in registers], [meaning.value(r.next) for r in registers]
    if any(value.unknown is not None for value in after):
        return None
    state, then = {r.name: v for r, v in zip(registers, now, strict=True)}, {r.name: v.bits for r, v in zip(registers, after, strict=True)}
    values = {start}
    for _ in range(min(GROWTHS, 1 << sum(r.width for r in registers))):
        joint = Joint(first, second, frozenset(values))
        answer, model = decide(joint.over(then), [*held, joint.over(state)], RLIMIT)
        if answer == "agreed":
            return joint
        if model is None:
            return None
        x, y = (model.eval(value.bits, model_completion=True).as_long() for value in after)
        values.add((x, y))
    return None


def _says_nothing(joint: Joint) -> bool:
    """Does each value of one register go with every value of the other?"""
    return len(joint.values) == len({x for x, _ in joint.values}) * len({y for _, y in joint.values})
