"""Inputs that tell of events elsewhere: counters follow them, and nothing else does.

While nothing happens such an input is 0: with any other value the unit would never be at rest.  Performance counters and counts of what neighbours have
done are of this kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lift.discover.environment import UNUSED, Surroundings
from lift.discover.ports import Contract
from lift.discover.rest import own, settle
from lift.unroll import terms
from lift.unroll.machine import Machine
from lift.unroll.terms import TRUE, Term


def events(machine: Machine, contract: Contract) -> frozenset[str]:
    """The inputs without a handshake that only counters depend on, each of which holds its value where they are 0: in the idle state, or whatever the
    unit has in registers that an instruction may set."""
    inputs = Surroundings(machine.netlist, contract, None).idle()
    loose = {t: n for n, t in inputs.items() if t.op == "sym" and t.attr == f"{UNUSED}{n}" and _counted(machine, n)} if contract.command else {}
    if not loose:
        return frozenset()
    idle = settle(machine, Surroundings(machine.netlist, replace(contract, quiet=tuple(loose.values())), None))
    free = {n: own(n, t) for n, t in idle.items() if t.is_const and n not in machine.structure.machines - machine.structure.counters}
    moving = sorted(free.keys() & frozenset().union(*(machine.structure.dependents[n] for n in loose.values())))
    found: set[str] = set()
    for registers in ({**idle, **free}, {**idle, **{n: free[n] for n in moving}}):
        cycle = machine.cycle(machine.state(registers), inputs, {})
        found |= {loose[t] for said in _said({n: cycle.next_of(n) for n in moving}, loose) for t in said}
    return frozenset(found)


def posted(machine: Machine, contract: Contract, idle: dict[str, Term]) -> frozenset[str]:
    """The counters of what neighbours have said on channels without payload: any number of times before an instruction."""
    answers = {a.channel.name for a in contract.answers}
    channels = [c for c in contract.channels if not c.output and c.valid and not c.payload and c.name not in answers]
    inputs = Surroundings(machine.netlist, contract, None).idle()
    found: set[str] = set()
    for channel in channels:
        cycle = machine.cycle(machine.state(idle), {**inputs, str(channel.valid): TRUE}, {})
        counters = machine.structure.counters & machine.structure.dependents.get(str(channel.valid), frozenset())
        found |= {n for n in counters if idle[n].is_const and cycle.next_of(n).is_const and cycle.next_of(n) is not idle[n]}
    return frozenset(found)


def _counted(machine: Machine, name: str) -> bool:
    """Do counters depend on an input, and no other registers?"""
    dependents = machine.structure.dependents.get(name, frozenset())
    return bool(dependents) and dependents <= machine.structure.counters


def _said(following: dict[str, Term], loose: dict[Term, str]) -> Iterator[set[Term]]:
    """The inputs that each counter follows, which moves by them alone."""
    for name, value in following.items():
        said = {t for t in terms.walk(value) if t in loose}
        if said and terms.substitute(value, {t: terms.const(0, t.width) for t in said}) is own(name, value):
            yield said
