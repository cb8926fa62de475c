"""Whether it makes no difference that a pipeline was taken out: with something under way, a unit only waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from lift.discover.ports import Contract
from lift.netlist.model import Node
from lift.retime.retime import Count
from lift.unroll import terms
from lift.unroll.machine import Cycle, State
from lift.unroll.memory import Write
from lift.unroll.paths import NotLifted
from lift.unroll.structure import support
from lift.unroll.terms import FALSE, TRUE, Term

SETTLING = 4  # cycles in which the rest of a unit that waits comes to rest
UNDER_WAY = "under way:"  # prefix of the symbols of what is under way in a pipeline


Asked = tuple[tuple[str, Term], ...]


class Around(Protocol):
    """What surrounds a unit."""

    def is_answered(self, inputs: dict[str, Term]) -> bool:
        """Is anything said to the unit, but that a command is offered?"""
        ...

    def is_over(self, state: State) -> bool:
        """Is the control what it is when no command is under way?"""
        ...

    def said(self, cycle: Cycle) -> tuple[tuple[Write, ...], Asked]:
        """What a unit writes in a cycle, and what it is answered in the next one."""
        ...


def check(cycle: Cycle, contract: Contract, around: Around) -> None:
    """That a unit with something under way in its pipeline does in a cycle what it does without, or waits and does it later; and that it counts as begun
    what it counts as done.  Raises NotLifted."""
    read, evaluated = cycle.reads, cycle.evaluated
    cycle.reads, cycle.evaluated = set(), set()
    for name in contract.waiting:
        other = _with(cycle, contract, name)
        if not _same(cycle, other, contract) and not _waits(cycle, other, contract, around):
            raise NotLifted(f"what it does depends on how much is under way in its pipeline, by {name}")
    for count in contract.counts:
        _check_count(cycle, count)
    cycle.reads, cycle.evaluated = read, evaluated


def _with(cycle: Cycle, contract: Contract, name: str) -> Cycle:
    """The same cycle with something under way, by register `name`."""
    state, machine = cycle.state, cycle.machine
    values = {n: terms.sym(UNDER_WAY + n, machine.netlist.registers[n].width) for n in contract.waiting}
    empty, some = state.value(name), values[name]
    facts = dict(cycle.facts)
    if not empty.is_const:
        raise NotLifted(f"{name} has no one value while nothing is under way")
    if some.width == 1:
        values[name] = terms.negate(empty)
    else:
        same = terms.equal(some, empty)
        facts |= {same: FALSE, terms.negate(same): TRUE}
    return machine.cycle(machine.changed(state, values), cycle.inputs, facts)


def _same(cycle: Cycle, other: Cycle, contract: Contract) -> bool:
    machine = cycle.machine
    dependents = machine.dependents(contract.waiting) - frozenset(contract.waiting)
    if any(other.next_of(n) is not cycle.next_of(n) for n in dependents):
        return False
    watched = set(contract.waiting)
    return all(other.value(n) is cycle.value(n) for n in _said(cycle, contract) if support(n) & watched)


def _said(cycle: Cycle, contract: Contract) -> Iterator[Node]:
    """What a unit does to its memories and says at its ports."""
    netlist = cycle.machine.netlist
    for memory in netlist.memories.values():
        for write in memory.writes:
            yield from (n for n in (write.enable, write.address, write.data, write.mask) if n is not None)
    shown = {p for c in contract.counts for p in (c.following, c.begun)}
    yield from (o for n, o in netlist.outputs.items() if n not in shown)


def _waits(cycle: Cycle, other: Cycle, contract: Contract, around: Around) -> bool:
    """Does the unit, with something under way, come to where nothing moves, silently, and would it from wherever it is on the way do what it does at once
    when nothing is under way?  What still holds words from one cycle to the next is another after waiting: then the command must end here."""
    machine, empty = cycle.machine, {n: cycle.state.value(n) for n in contract.waiting}
    under_way = {n: other.state.registers[n] for n in contract.waiting}
    expected = machine.cycle(cycle.state, cycle.inputs, cycle.facts)
    if contract.left and not around.is_over(expected.after()):
        return False
    for _ in range(SETTLING):
        if around.is_answered(other.inputs) or around.said(other) != ((), ()):
            return False
        after = machine.changed(other.after(), under_way)
        if all(t is other.state.registers[n] for n, t in after.registers.items() if n not in contract.left):
            return True
        if not _leads_to(machine.cycle(machine.changed(after, empty), cycle.inputs, cycle.facts), expected, contract, around):
            return False
        other = machine.cycle(after, other.inputs, other.facts)
    return False


def _leads_to(cycle: Cycle, expected: Cycle, contract: Contract, around: Around) -> bool:
    """Do two cycles lead to the same, and is the same said in them?"""
    registers = expected.after().registers
    same = all(t is registers[n] for n, t in cycle.after().registers.items() if n not in contract.left)
    return same and around.said(cycle) == around.said(expected)


def _check_count(cycle: Cycle, count: Count) -> None:
    """It counts one more for each iteration that begins and one less for each that is done; or it is cleared."""
    machine, empty = cycle.machine, cycle.state.value(count.register)
    some = terms.sym(UNDER_WAY + count.register, empty.width)
    state = machine.changed(cycle.state, {count.register: some})

    def following(left: Term, known: dict[Term, Term]) -> Term:
        counted = machine.cycle(state, {**cycle.inputs, count.left: left}, {**cycle.facts, **known})
        return counted.value(machine.netlist.outputs[count.following])

    begun = cycle.value(machine.netlist.outputs[count.begun])
    for holds in (TRUE, FALSE):
        if begun is terms.negate(holds):
            continue
        known = {} if begun is holds else {begun: holds, terms.negate(begun): terms.negate(holds)}
        kept, fewer = following(FALSE, known), following(TRUE, known)
        cleared = kept is empty and fewer is empty
        one_more = terms.apply("add", some.width, (fewer, terms.const(1, some.width)))
        if not cleared and not (one_more is kept and following(holds, known) is some):
            raise NotLifted(f"{count.register} does not count what is under way in the pipeline")
