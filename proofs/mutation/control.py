"""A design -> invariants of its control: values that a control register never has after reset, and pairs of values that never meet.

All pairs are candidates. Those that a cycle of reset does not establish, or a cycle under any inputs does not keep, are dropped, counterexample by
counterexample, until none is left; what remains is inductive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import z3

from lift.crosscheck.bits import Bits, const, extract
from lift.crosscheck.meaning import Meaning, Value, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist

WHOLE, WIDEST = 2, 4
"""Registers of so many bits are looked at whole; up to so many, bit by bit."""
RLIMIT = 20_000_000
ROUNDS = 400


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

    def broken(self, values: Mapping[str, int]) -> bool:
        return all(each.holds(values) for each in self.literals)


def literals(netlist: Netlist, contract: Contract) -> list[Literal]:
    """What can be said of each control register: those of few bits that reset gives a constant."""
    found = []
    for name in control_registers(netlist, contract):
        width = netlist.registers[name].width
        size = width if width <= WHOLE else 1
        found += [Literal(name, low, size, value) for low in range(0, width, size) for value in range(1 << size)]
    return found


def control_registers(netlist: Netlist, contract: Contract) -> list[str]:
    if contract.reset is None:
        return []
    in_reset = Meaning(netlist, {contract.reset: Value(const(contract.reset_active, 1))})
    small = [n for n, r in netlist.registers.items() if r.width <= WIDEST]
    return [n for n in small if z3.is_bv_value(z3.simplify(in_reset.value(netlist.registers[n].next).bits))]


def control_invariants(netlist: Netlist, contract: Contract) -> list[Clause]:
    """The largest inductive set of the candidates."""
    known = literals(netlist, contract)
    pairs = [Clause((a, b)) for a, b in combinations(known, 2) if (a.register, a.low) != (b.register, b.low)]
    clauses = [*(Clause((each,)) for each in known), *pairs]
    registers = list(dict.fromkeys(each.register for each in known))
    free = {name: variable(name, netlist.registers[name].width) for name in registers}
    meaning = Meaning(netlist)
    after = {name: meaning.value(netlist.registers[name].next).bits for name in registers}
    reset = variable(str(contract.reset), 1)
    clauses = _surviving(clauses, after, [reset == contract.reset_active], {})
    return _surviving(clauses, after, [], free)


def _surviving(clauses: list[Clause], after: Mapping[str, Bits], assuming: list[Bits], before: Mapping[str, Bits]) -> list[Clause]:
    """Clauses that hold afterwards, given that all that are left hold before (if `before` says what that is).  Raises ArithmeticError for an answer
    that is none."""
    for _ in range(ROUNDS):
        solver = z3.SolverFor("QF_AUFBV")
        solver.set("rlimit", RLIMIT)
        solver.add(*assuming, *(each.over(before) for each in clauses if before))
        solver.add(z3.Or(*(z3.Not(each.over(after)) for each in clauses)))
        answer = solver.check()
        if answer == z3.unsat:
            return clauses
        if answer != z3.sat:
            raise ArithmeticError("no inductive invariant of the control was found within the solver's limit")
        model = solver.model()
        values = {name: model.eval(value, model_completion=True).as_long() for name, value in after.items()}
        clauses = [each for each in clauses if not each.broken(values)]
    raise ArithmeticError(f"no inductive invariant of the control was found in {ROUNDS} rounds")
