"""A design -> invariants of its state: bounds of registers, values that control never has, and pairs of values of control that never meet.

What a simulation under random inputs does not contradict is a candidate. Those that a cycle of reset does not establish, or a cycle under any inputs
does not keep, are dropped, counterexample by counterexample, until none is left; what remains is inductive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

import z3

from lift.crosscheck.bits import Bits, const, extract
from lift.crosscheck.meaning import Meaning, Value, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator

WHOLE, WIDEST = 2, 4
"""Registers of so many bits are looked at whole; up to so many, bit by bit."""
RLIMIT = 40_000_000
ROUNDS = 400
SMALL = 64
"""A bound may be so large."""
STEPS, RUN, AFTER = 1600, 80, 12
"""Cycles that are simulated, cycles between two resets, cycles after a counterexample."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Bits [low, low + width) of `register` are `value`."""

    register: str
    low: int
    width: int
    value: int

    def over(self, state: Mapping[str, Bits]) -> Bits:
        return extract(state[self.register], self.low, self.width) == const(self.value, self.width)

    def holds(self, values: Mapping[str, int]) -> bool:
        return (values[self.register] >> self.low) & ((1 << self.width) - 1) == self.value


@dataclass(frozen=True, slots=True)
class Clause:
    """Not all of `literals` hold."""

    literals: tuple[Literal, ...]

    def over(self, state: Mapping[str, Bits]) -> Bits:
        return z3.Not(z3.And(*(each.over(state) for each in self.literals)))

    def holds(self, values: Mapping[str, int]) -> bool:
        return not all(each.holds(values) for each in self.literals)


@dataclass(frozen=True, slots=True)
class Bound:
    """`register` is at most `most`."""

    register: str
    most: int

    def over(self, state: Mapping[str, Bits]) -> Bits:
        held = state[self.register]
        return z3.ULE(held, const(self.most, held.size()))

    def holds(self, values: Mapping[str, int]) -> bool:
        return values[self.register] <= self.most


Invariant = Clause | Bound
Values = Mapping[str, int]


def literals(netlist: Netlist, contract: Contract) -> list[Literal]:
    """What can be said of each control register."""
    found = []
    for name in control_registers(netlist, contract):
        width = netlist.registers[name].width
        size = width if width <= WHOLE else 1
        found += [Literal(name, low, size, value) for low in range(0, width, size) for value in range(1 << size)]
    return found


def control_registers(netlist: Netlist, contract: Contract) -> list[str]:
    """Those of few bits that reset gives a constant, and those of one bit."""
    known = reset_registers(netlist, contract)
    return [n for n, r in netlist.registers.items() if r.width == 1 or (r.width <= WIDEST and n in known)]


def reset_registers(netlist: Netlist, contract: Contract) -> set[str]:
    if contract.reset is None:
        return set()
    in_reset = Meaning(netlist, {contract.reset: Value(const(contract.reset_active, 1))})
    return {n for n, r in netlist.registers.items() if z3.is_bv_value(z3.simplify(in_reset.value(r.next).bits))}


class Miner:
    """Finds the invariants of one design."""

    def __init__(self, netlist: Netlist, contract: Contract, seed: int = 1) -> None:
        self.netlist, self.contract, self.random = netlist, contract, Random(seed)
        self.simulator = Simulator(netlist)

    def invariants(self) -> list[Invariant]:
        """Inductive together, and true after a cycle of reset."""
        found = self.candidates(list(self.simulated()))
        meaning = Meaning(self.netlist)
        names = list(dict.fromkeys(name for each in found for name in _registers(each)))
        before = {n: variable(n, self.netlist.registers[n].width) for n in names}
        after = {n: meaning.value(self.netlist.registers[n].next).bits for n in names}
        reset = variable(str(self.contract.reset), 1)
        found = self.surviving(found, after, [reset == self.contract.reset_active], {})
        return self.surviving(found, after, [], before)

    # simulation

    def inputs(self, reset: bool) -> dict[str, int]:
        """Words of which each half is small or anything."""
        found = {name: self.value(width) for name, width in self.netlist.inputs.items()}
        if self.contract.reset:
            found[self.contract.reset] = self.contract.reset_active if reset else 1 - self.contract.reset_active
        return found

    def value(self, width: int) -> int:
        total = 0
        for low in range(0, width, 16):
            bits = min(16, width - low)
            total |= self.random.getrandbits(self.random.choice((bits, min(3, bits), min(2, bits)))) << low
        return total

    def simulated(self) -> Iterator[Values]:
        """States after reset."""
        for step in range(STEPS):
            self.simulator.step(self.inputs(step % RUN < 1))
            yield self.simulator.registers

    def following(self, model: z3.ModelRef) -> Iterator[Values]:
        """The states after one that is no counterexample to what is left; each must keep what is inductive."""
        self.simulator.registers = {n: model.eval(variable(n, r.width), model_completion=True).as_long() for n, r in self.netlist.registers.items()}  # type: ignore[union-attr]
        self.simulator.step({n: model.eval(variable(n, w), model_completion=True).as_long() for n, w in self.netlist.inputs.items()})  # type: ignore[union-attr]
        yield self.simulator.registers
        for _ in range(AFTER):
            self.simulator.step(self.inputs(False))
            yield self.simulator.registers

    # candidates

    def candidates(self, states: Sequence[Values]) -> list[Invariant]:
        known, settled = literals(self.netlist, self.contract), reset_registers(self.netlist, self.contract)
        seen = {each: sum(1 << place for place, state in enumerate(states) if each.holds(state)) for each in known}
        found: list[Invariant] = [Clause((each,)) for each in known if not seen[each]]
        for a, b in combinations([each for each in known if seen[each]], 2):
            if not seen[a] & seen[b] and (a.register, a.low) != (b.register, b.low) and settled & {a.register, b.register}:
                found.append(Clause((a, b)))
        most = {n: max(state[n] for state in states) for n in self.netlist.registers}
        return found + [Bound(n, most[n]) for n, r in self.netlist.registers.items() if n in settled and r.width > WIDEST and most[n] <= SMALL]

    def surviving(self, found: list[Invariant], after: Mapping[str, Bits], assuming: list[Bits], before: Mapping[str, Bits]) -> list[Invariant]:
        """Those that hold afterwards, given that all that are left hold before (if `before` says what that is).  Raises ArithmeticError without one."""
        then, now = {each: each.over(after) for each in found}, {each: each.over(before) for each in found if before}
        for _ in range(ROUNDS):
            solver = z3.SolverFor("QF_AUFBV")
            solver.set("rlimit", RLIMIT)
            solver.add(*assuming, *(now[each] for each in found if before), z3.Not(z3.And(*(then[each] for each in found))))
            answer = solver.check()
            if answer == z3.unsat:
                return found
            if answer != z3.sat:
                break
            kept = found
            for values in self.following(solver.model()) if before else self.reset_state(solver.model(), after):
                kept = [each for each in kept if each.holds(values)]
            if len(kept) == len(found):
                break
            found = kept
        raise ArithmeticError("no inductive invariant of the control was found within the limits")

    def reset_state(self, model: z3.ModelRef, after: Mapping[str, Bits]) -> Iterator[Values]:
        yield {name: _number(model, value) for name, value in after.items()}


def _number(model: z3.ModelRef, value: Any) -> int:
    return model.eval(value, model_completion=True).as_long()  # type: ignore[union-attr]


def _registers(each: Invariant) -> list[str]:
    return [each.register] if isinstance(each, Bound) else [literal.register for literal in each.literals]


def control_invariants(netlist: Netlist, contract: Contract) -> list[Invariant]:
    """Invariants of a design, none without a reset."""
    return Miner(netlist, contract).invariants() if contract.reset else []
