"""The update functions of a mode and a concrete state to the state after the instruction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lift.crosscheck.sample import Before, evaluator
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.micro import Nest
from lift.unroll.terms import Term

Evaluate = Callable[[Term, dict[Term, int]], int]


@dataclass
class After:
    """Registers, memories and what was written to the host's memory; `unknown`: bits of registers that a simulator does not know."""

    registers: dict[str, int]
    memories: dict[str, list[int]]
    host: dict[int, int]
    unknown: dict[str, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """`place` is a register, `memory[word]` or `host[address]`; `target` the state variable that it belongs to."""

    target: str
    place: str
    width: int
    lifted: int
    found: int

    def __str__(self) -> str:
        return f"{self.place}: lifted {self.lifted:#x}, simulated {self.found:#x}"


def predicted(lift: Lift, mode: Mode, before: Before) -> After:
    """The state after the instruction by the update functions."""
    value = evaluator(lift, before)
    after = After(dict(before.registers), {n: list(w) for n, w in before.memories.items()}, {}, {})
    for target, function in mode.functions.items():
        if function.result is not None:
            after.registers[target] = value(function.result, {})
    body = [s for f in mode.functions.values() for s in f.body]
    if mode.loops:
        _repeat(lift, mode.loops, body, {}, before, after)
    else:
        for statement in body:
            _execute(lift, statement, value, {}, before, after)
    after.registers |= {name: after.registers[first] for name, first in lift.unit.same.items()}
    return after


def _repeat(lift: Lift, loops: Nest, body: Sequence[Statement], indices: dict[Term, int], before: Before, after: After) -> None:
    """Iterations in their order, each on what those before it have left in the memories."""
    value = evaluator(lift, replace(before, memories=after.memories))
    if not loops:
        made = [(s, _stored(s, value, indices)) for s in body if isinstance(s, Store)]
        for store, (address, data, mask) in made:
            _store(lift, store, address, data, mask, before, after)
        return
    (index, count), *inner = loops
    for i in range(value(count, indices)):
        _repeat(lift, tuple(inner), body, {**indices, index: i}, before, after)


def _stored(store: Store, value: Evaluate, indices: dict[Term, int]) -> tuple[int, int, int]:
    """Address, data and mask; the mask is 0 where the condition does not hold."""
    holds = store.condition is None or value(store.condition, indices)
    mask = 0 if not holds else -1 if store.mask is None else value(store.mask, indices)
    return value(store.address, indices), value(store.data, indices), mask


def _execute(lift: Lift, statement: Statement, value: Evaluate, indices: dict[Term, int], before: Before, after: After) -> None:
    if isinstance(statement, Loop):
        for i in range(value(statement.count, indices)):
            for inner in statement.body:
                _execute(lift, inner, value, {**indices, statement.index: i}, before, after)
    elif statement.condition is None or value(statement.condition, indices):
        _store(lift, statement, *_stored(statement, value, indices), before, after)


def _store(lift: Lift, statement: Store, address: int, data: int, mask: int, before: Before, after: After) -> None:
    array = lift.arrays.get(statement.memory)
    place = next(((n, p) for n, p in lift.unit.machine.places.items() if p.name == statement.memory and p.bank == address // p.depth), None)
    if array is not None:
        name = array.members[address]
        after.registers[name] = after.registers[name] & ~mask | data & mask
    elif place is not None:
        words, row = after.memories[place[0]], address % place[1].depth
        words[row] = words[row] & ~mask | data & mask
    else:
        after.host[address] = after.host.get(address, before.host_byte(address)) & ~mask | data & mask


def moved(lift: Lift, resting: Mapping[str, Term], before: Before, found: After) -> list[Difference]:
    """Registers that have not the value at rest (`resting`, a function of other registers) in the state that was found."""
    value = evaluator(lift, Before(found.registers, found.memories, {}, before.seed, {}, before.widths))
    wrong: list[Difference] = []
    for name, term in resting.items():
        expected, seen = value(term, {}), found.registers[name]
        if (expected ^ seen) & ~found.unknown.get(name, 0):
            wrong.append(Difference("", name, term.width, expected, seen))
    return wrong


def differences(lift: Lift, expected: After, found: After, before: Before) -> list[Difference]:
    """Where two states differ, in everything that the lift makes a claim about: a memory that no function names (a queue's, empty at rest) is
    no part of the state between instructions."""
    owner = {m: a.name for a in lift.arrays.values() for m in a.members}
    widths = {n: r.width for n, r in lift.unit.machine.netlist.registers.items()}
    named = {n for modes in lift.modes.values() for m in modes for t, f in m.functions.items() for n in (t, *(a.name for a in f.arguments))}
    wrong: list[Difference] = []
    for name in [*lift.registers, *owner]:
        a, b = expected.registers[name], found.registers[name]
        if (a ^ b) & ~found.unknown.get(name, 0):
            wrong.append(Difference(owner.get(name, name), name, widths[name], a, b))
    for name, words in expected.memories.items():
        place = lift.unit.machine.places[name]
        if place.name not in named:
            continue
        for i, (a, b) in enumerate(zip(words, found.memories[name], strict=True)) if words != found.memories[name] else ():
            if a != b:
                wrong.append(Difference(place.name, f"{name}[{i:#x}]", place.width, a, b))
    port = lift.unit.contract.memory
    for address in sorted(expected.host.keys() | found.host.keys()):
        a, b = (h.get(address, before.host_byte(address)) for h in (expected.host, found.host))
        if a != b and port is not None:
            wrong.append(Difference(port.name, f"{port.name}[{address:#x}]", 8, a, b))
    return wrong
