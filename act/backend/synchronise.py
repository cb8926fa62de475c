"""A program in order -> the same with tokens, so that units that run side by side do what they would do one after the other.

An instruction must come after those of other units that write what it reads or writes, or read what it writes.  Where that is not so already,
the earlier unit gives a token and the later one takes it.  The k-th token taken is the k-th given, and both are in the order of the
program; so every token is there when the program is executed in its order, and no unit waits for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from act.backend.cells import cells_of
from act.backend.configure import Configurator
from act.backend.emit import Operation
from act.errors import UserError
from act.generator.model import Selector
from act.generator.signals import Signal, all_signals
from act.records import dataclass, field, replace
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator, Instruction, Slice

LINE = 64
"""Bytes of host memory that are looked at as one."""

Resource = tuple[str, int]
"""A row of a memory, a line of host memory, or a register."""


MOST_CARRIERS = 1000
"""Instructions that are repeated in one program only to pass a token on."""


class Unordered(AssertionError):
    """A program would do something else when its units run side by side, or wait for ever."""


class NoRoute(Exception):
    """Operation `after` cannot be made to wait for `before`; an instruction just before `after` might take the first
    token of one of `routes` and give the second."""

    def __init__(self, before: int, after: int, routes: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.before, self.after, self.routes = before, after, routes


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an operation reads and writes, on which unit."""

    unit: str | None
    reads: frozenset[Resource]
    writes: frozenset[Resource]


def instruction_of(accelerator: Accelerator, name: str) -> Instruction:
    composite = accelerator.composites.get(name)
    return composite.operation if composite else accelerator.instructions[name]


def footprints(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int], exact: bool = False) -> Iterator[Footprint]:
    """Of every operation; `memory` are the sizes of host memories.  With `exact`, of single elements instead of rows and lines."""
    registers = Configurator(accelerator, ())
    tables = {} if not accelerator.tokens else {selector.name: selector.words for selector in _selectors(issued)}
    for operation in issued:
        instruction = instruction_of(accelerator, operation.name)
        used = {use.name: registers.state[use.state, None if use.index is None else evaluate(use.index, operation.attributes)] for use in instruction.uses}
        values = {**operation.attributes, **{name: value for name, value in used.items() if name is not None and value is not None}}
        slices = [[each.slice for each in instruction.reads], [*(each.slice for each in instruction.writes), *instruction.clobbers]]
        reads, writes = ({cell for piece in each for cell in _cells(accelerator, piece, values, memory, exact)} for each in slices)
        for word in tables.get(operation.name, ()):
            reads.add((word.table, operation.attributes[word.slot]))
        reads |= {(f"register {use.state}", 0) for use in instruction.uses}
        writes |= {(f"register {each.state}", 0) for each in instruction.sets}
        yield Footprint(instruction.unit, frozenset(reads), frozenset(writes))
        registers.apply(instruction.sets, values)


def _selectors(issued: Sequence[Operation]) -> Iterator[Selector]:
    return (operation.step.match.selector for operation in issued if operation.step is not None)


def _cells(accelerator: Accelerator, piece: Slice, values: Mapping[str, int], memory: Mapping[str, int], exact: bool) -> Iterator[Resource]:
    buffer = accelerator.buffers[piece.buffer]
    sizes = (memory.get(buffer.name, 0),) if buffer.hbm else buffer.access + buffer.unit
    grain = 1 if exact else LINE if buffer.hbm else prod(buffer.unit)
    for start, length in cells_of(piece, sizes).runs(values):
        yield from ((piece.buffer, row) for row in range(start // grain, (start + length - 1) // grain + 1))


Clock = dict[str, int]
"""For every unit the last of its operations that is known to be done."""


@dataclass(slots=True)
class Synchroniser:
    """Follows the program and asks for tokens."""

    accelerator: Accelerator
    issued: list[Operation]
    prints: Sequence[Footprint]
    signals: Mapping[str, tuple[Signal, ...]] = field(init=False)
    clocks: list[Clock] = field(default_factory=list)
    latest: dict[str, int] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    writers: dict[Resource, dict[str, int]] = field(default_factory=dict)
    readers: dict[Resource, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.signals = all_signals(self.accelerator)

    def synchronised(self) -> list[Operation]:
        for number, footprint in enumerate(self.prints):
            self._clock(number, footprint.unit)
            for unit, before in sorted(self._needed(footprint).items(), key=lambda pair: -pair[1]):
                if self.clocks[number].get(unit, -1) < before:
                    self._order(before, number)
            self._note(number, footprint)
        return self.issued

    def _clock(self, number: int, unit: str | None) -> None:
        """What is known to be done before: what the last operation of the unit knew, and itself; all that has no unit."""
        last = self.latest.get(unit or "")
        clock = dict(self.clocks[last]) if last is not None else {}
        if "" in self.latest:
            clock[""] = self.latest[""]
        self.clocks.append(clock | {unit or "": number})

    def _needed(self, footprint: Footprint) -> dict[str, int]:
        """For every other unit the last operation that must be done before."""
        found: dict[str, int] = {}
        for resources, users in ((footprint.reads, (self.writers,)), (footprint.writes, (self.writers, self.readers))):
            for resource in resources:
                for each in users:
                    for unit, number in each.get(resource, {}).items():
                        if unit != (footprint.unit or ""):
                            found[unit] = max(found.get(unit, -1), number)
        return found

    def _note(self, number: int, footprint: Footprint) -> None:
        unit = footprint.unit or ""
        self.latest[unit] = number
        for resources, users in ((footprint.reads, self.readers), (footprint.writes, self.writers)):
            for resource in resources:
                users.setdefault(resource, {})[unit] = number

    def _unit(self, number: int) -> str:
        return self.prints[number].unit or ""

    def _order(self, before: int, after: int) -> None:
        """Makes operation `after` wait for `before`, directly or through other units."""
        routes = list(self._routes(self._unit(before), self._unit(after)))
        if not any(self._along(route, before, after) for route in routes):
            raise NoRoute(before, after, [(route[0], route[1]) for route in routes if len(route) == 2])

    def _routes(self, source: str, target: str) -> Iterator[list[str]]:
        """Sequences of tokens from unit to unit, the shortest first."""
        edges = list(self._edges())
        routes: list[tuple[str, list[str]]] = [(source, [])]
        for _ in range(len(self.accelerator.units)):
            routes = [(to, [*route, token]) for unit, route in routes for start, to, token in sorted(edges) if start == unit and token not in route]
            yield from (route for unit, route in routes if unit == target)

    def _edges(self) -> Iterator[tuple[str, str, str]]:
        """From which unit to which each token is; of those that are always so, and of which there are none at first."""
        every = [each for found in self.signals.values() for each in found]
        for name, token in self.accelerator.tokens.items():
            givers, takers = ({each.unit for each in every if each.token == name and each.given == given} for given in (True, False))
            if len(givers) == len(takers) == 1 and not token.initial:
                yield givers.pop(), takers.pop(), name

    def _along(self, route: Sequence[str], before: int, after: int) -> bool:
        """Tries a route; the operations on the way are between the two."""
        token, *rest = route
        if not rest:
            return self._hop(token, before, after)
        middles = (number for number in range(before + 1, after) if self._signal(number, token, False))
        return any(self._hop(token, before, middle) and self._along(rest, middle, after) for middle in middles)

    def _hop(self, token: str, before: int, after: int) -> bool:
        """One token from the first operation after `before` that can give it to operation `after`."""
        if self.given.get(token, -1) >= before and self.taken.get(token, -1) <= after:
            self._learn(self.given[token], after)
            return True
        take = self._signal(after, token, False)
        giver = next((number for number in range(before, after) if self._unit(number) == self._unit(before) and self._signal(number, token, True)), None)
        if take is None or giver is None or self.taken.get(token, -1) >= after or self.given.get(token, -1) >= giver:
            return False
        for number, given in ((giver, True), (after, False)):
            self._ask(number, self._signal(number, token, given))
        self.given[token], self.taken[token] = giver, after
        self._learn(giver, after)
        return True

    def _learn(self, giver: int, after: int) -> None:
        clock = self.clocks[after]
        for unit, number in {**self.clocks[giver], self._unit(giver): giver}.items():
            clock[unit] = max(clock.get(unit, -1), number)

    def _signal(self, number: int, token: str, given: bool) -> Signal | None:
        found = self.signals.get(self.issued[number].name, ())
        return next((each for each in found if each.token == token and each.given == given), None)

    def _ask(self, number: int, signal: Signal | None) -> None:
        assert signal is not None
        operation = self.issued[number]
        self.issued[number] = replace(operation, attributes={**operation.attributes, signal.attribute: 1})


def synchronised(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int]) -> list[Operation]:
    """The operations with tokens, where the instruction set has units and tokens.  `UserError` where no token makes one wait for another."""
    if not accelerator.units:
        return list(issued)
    current, places, prints = list(issued), (0, 0), []
    for _ in range(MOST_CARRIERS):
        prints = list(footprints(accelerator, current, memory))
        synchroniser = Synchroniser(accelerator, list(current), prints)
        try:
            return synchroniser.synchronised()
        except NoRoute as found:
            places = (found.before, found.after)
            carrier = next(_carriers(synchroniser, current, prints, found), None)
        if carrier is None:
            break
        current.insert(places[1], carrier)
    first, second = (f"{current[number].name} ({prints[number].unit or 'no unit'})" for number in places)
    advice = "describe tokens from one unit to the other, with attributes that say when they are given and taken"
    raise UserError(None, f"{second} must wait for {first}, and no tokens make it wait", advice)


def _carriers(synchroniser: Synchroniser, issued: Sequence[Operation], prints: Sequence[Footprint], where: NoRoute) -> Iterator[Operation]:
    """Operations of a unit between two others that change nothing when they are done again, since what they read and what they left is still
    there, and that can take a token from one and give one to the other."""
    for number in range(where.after - 1, -1, -1):
        own, operation = prints[number], issued[number]
        asked = {(each.token, each.given) for each in synchroniser.signals.get(operation.name, ())}
        if operation.step is None or not any({(take, False), (give, True)} <= asked for take, give in where.routes):
            continue
        since = {resource for each in prints[number + 1 : where.after] for resource in each.writes}
        if not own.reads & own.writes and not (own.reads | own.writes) & since and operation != issued[where.after - 1]:
            yield operation


def check_order(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int]) -> None:
    """Every token that is taken was given before, and two operations of which one writes what the other uses are ordered by tokens, element
    by element.  Takes nothing from what made the tokens.  Raises `Unordered`."""
    if not accelerator.units:
        return
    counts = Counter({name: token.initial for name, token in accelerator.tokens.items()})
    known: dict[str, Clock] = {}
    queues: dict[str, list[Clock]] = {name: [{}] * token.initial for name, token in accelerator.tokens.items()}
    givers: dict[str, str] = {}
    users: dict[Resource, dict[tuple[str, bool], int]] = {}
    for number, (operation, footprint) in enumerate(zip(issued, footprints(accelerator, issued, memory, exact=True), strict=True)):
        unit, instruction = footprint.unit or "", instruction_of(accelerator, operation.name)
        clock = _later(known.get("", {}), known.get(unit, {}))
        for use in instruction.pops:
            if use.condition is None or evaluate(use.condition, operation.attributes):
                counts[use.token] -= 1
                if counts[use.token] < 0:
                    raise Unordered(f"{operation.name} waits for a token {use.token} that is never given")
                clock = _later(clock, queues[use.token].pop(0))
        for resource in footprint.reads | footprint.writes:
            for (other, wrote), last in users.get(resource, {}).items():
                if other not in (unit, "") and (wrote or resource in footprint.writes) and clock.get(other, -1) < last:
                    raise Unordered(f"{operation.name} does not wait for {issued[last].name}, and both use {resource[0]}")
        known[unit] = clock = clock | {unit: number}
        for use in instruction.pushes:
            if use.condition is None or evaluate(use.condition, operation.attributes):
                counts[use.token] += 1
                if givers.setdefault(use.token, unit) != unit:
                    raise Unordered(f"two units give a token {use.token}, in an order that is not known")
                queues[use.token].append(clock)
        for written, resources in ((False, footprint.reads), (True, footprint.writes)):
            for resource in resources:
                users.setdefault(resource, {})[unit, written] = number


def _later(first: Clock, second: Clock) -> Clock:
    return {unit: max(first.get(unit, -1), second.get(unit, -1)) for unit in {*first, *second}}
