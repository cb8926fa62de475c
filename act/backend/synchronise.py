"""A program in order -> the same with tokens, so that units that run side by side do what they would do one after the other.

An instruction must come after those of other units that write what it reads or writes, or read what it writes.  Where that is not so already,
the earlier unit gives a token and the later one takes it.  The k-th token taken is the k-th given, and both are in the order of the
program; so every token is there when the program is executed in its order, and no unit waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.backend.check_order import Clock, later
from act.backend.emit import Operation
from act.backend.footprints import Footprint, Resource, footprints
from act.errors import UserError
from act.generator.messengers import Messenger, messengers
from act.generator.signals import Signal, all_signals
from act.records import dataclass, field, replace
from act.taidl.model import Accelerator


class NoRoute(Exception):
    """Operation `after` cannot be made to wait for `before`; an instruction just before `after` might take the first token of one of `routes`
    and give the second."""

    def __init__(self, before: int, after: int, routes: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.before, self.after, self.routes = before, after, routes


@dataclass(slots=True)
class Synchroniser:
    """Follows the program and asks for tokens."""

    accelerator: Accelerator
    issued: list[Operation]
    prints: list[Footprint]
    signals: Mapping[str, tuple[Signal, ...]] = field(init=False)
    messengers: Sequence[Messenger] = field(init=False)
    edges: Sequence[tuple[str, str, str]] = field(init=False)
    clocks: list[Clock] = field(default_factory=list)
    latest: dict[str, int] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    writers: dict[Resource, dict[str, int]] = field(default_factory=dict)
    readers: dict[Resource, dict[str, int]] = field(default_factory=dict)
    begun: dict[int, Clock] = field(default_factory=dict)
    sent: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.signals = all_signals(self.accelerator)
        self.messengers = messengers(self.accelerator)
        self.edges = sorted(self._edges())

    def synchronised(self) -> list[Operation]:
        """Raises `NoRoute`."""
        most = (1 + len(self.accelerator.units)) * len(self.issued)
        while len(self.clocks) < len(self.issued):
            try:
                self._place(len(self.clocks))
            except NoRoute as missing:
                if len(self.issued) >= most or not (self._send(missing) or self._repeat(missing)):
                    raise
        return self.issued

    def _place(self, number: int) -> None:
        """Those come first that only other units can make wait: these may then know of all others."""
        footprint = self.prints[number]
        self._clock(number, footprint.unit)
        direct = {start for start, end, _ in self.edges if end == self._unit(number)}
        for unit, before in sorted(self._needed(footprint).items(), key=lambda pair: (pair[0] in direct, -pair[1])):
            if self.clocks[number].get(unit, -1) < before:
                self._order(before, number)
        self._note(number, footprint)

    def _clock(self, number: int, unit: str | None) -> None:
        """What is known to be done before: what the last operation of the unit knew, and itself; all that has no unit."""
        last = self.latest.get(unit or "")
        clock = later(self.clocks[last] if last is not None else {}, self.begun.pop(id(self.issued[number]), {}))
        if "" in self.latest:
            clock[""] = self.latest[""]
        self.clocks.append(clock | {unit or "": number})

    def _insert(self, number: int, carrier: Operation, footprint: Footprint) -> None:
        """Puts a carrier before operation `number`, which was begun: its tokens are kept."""
        clock = self.clocks.pop()
        del clock[self._unit(number)]
        self.begun[id(self.issued[number])] = clock
        self.issued.insert(number, carrier)
        self.prints.insert(number, footprint)
        self.taken = {token: where + (where == number) for token, where in self.taken.items()}

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
        routes: list[tuple[str, list[str]]] = [(source, [])]
        for _ in range(len(self.accelerator.units)):
            routes = [(to, [*route, token]) for unit, route in routes for start, to, token in self.edges if start == unit and token not in route]
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
        take, giver = self._signal(after, token, False), self._giver(token, before, after)
        if take is None or giver is None or self.taken.get(token, -1) >= after or self.given.get(token, -1) >= giver:
            return False
        for number, given in ((giver, True), (after, False)):
            self._ask(number, self._signal(number, token, given))
        self.given[token], self.taken[token] = giver, after
        self._learn(giver, after)
        return True

    def _giver(self, token: str, before: int, after: int) -> int | None:
        unit = self._unit(before)
        return next((number for number in range(before, after) if self._unit(number) == unit and self._signal(number, token, True)), None)

    def _learn(self, giver: int, after: int) -> None:
        self.clocks[after] = later(self.clocks[after], {**self.clocks[giver], self._unit(giver): giver})

    def _signal(self, number: int, token: str, given: bool) -> Signal | None:
        operation = self.issued[number]
        found = () if id(operation) in self.sent else self.signals.get(operation.name, ())
        return next((each for each in found if each.token == token and each.given == given), None)

    def _ask(self, number: int, signal: Signal | None) -> None:
        assert signal is not None
        operation = self.issued[number]
        asked = replace(operation, attributes={**operation.attributes, signal.attribute: 1})
        if id(operation) in self.begun:
            self.begun[id(asked)] = self.begun.pop(id(operation))
        self.issued[number] = asked

    def _send(self, where: NoRoute) -> bool:
        """Inserts an instruction that takes the first token of a route, unless its unit need not wait for it any longer, and gives the second,
        and does nothing else."""
        for take, give in where.routes:
            for each in self.messengers:
                last = self.latest.get(each.unit)
                waits = last is None or self.clocks[last].get(self._unit(where.before), -1) < where.before
                giver = self._giver(take, where.before, where.after) if waits else None
                able = not waits or (giver is not None and self.given.get(take, -1) < giver)
                free = self._signal(where.after, give, False) is not None and self.taken.get(give, -1) < where.after
                if each.given == give and each.taken == (take if waits else None) and able and free:
                    self._sent(each, giver, where.after)
                    return True
        return False

    def _sent(self, each: Messenger, giver: int | None, number: int) -> None:
        """Puts the instruction before operation `number`, which takes what it gives; `giver` gives what it takes."""
        message = Operation(each.instruction, dict(each.attributes))
        self.sent.add(id(message))
        self._insert(number, message, Footprint(each.unit, frozenset(), frozenset()))
        self._place(number)
        if giver is not None and each.taken is not None:
            self._ask(giver, self._signal(giver, each.taken, True))
            self.given[each.taken], self.taken[each.taken] = giver, number
            self._learn(giver, number)
        self._ask(number + 1, self._signal(number + 1, each.given, False))
        self.given[each.given], self.taken[each.given] = number, number + 1
        begun = id(self.issued[number + 1])
        self.begun[begun] = later(self.begun[begun], self.clocks[number])

    def _repeat(self, where: NoRoute) -> bool:
        """Inserts an operation again of which what it read and what it left is still there, and that can take a token from one and give one to
        the other."""
        since: set[Resource] = set()
        for number in range(where.after - 1, -1, -1):
            own, operation = self.prints[number], self.issued[number]
            asked = {(each.token, each.given) for each in self.signals.get(operation.name, ())}
            able = operation.step is not None and any({(take, False), (give, True)} <= asked for take, give in where.routes)
            if able and not own.reads & own.writes and not (own.reads | own.writes) & since:
                silent = {each.attribute: 0 for each in self.signals[operation.name]}
                self._insert(where.after, replace(operation, attributes={**operation.attributes, **silent}), own)
                return True
            since |= own.writes
        return False


def synchronised(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int]) -> list[Operation]:
    """The operations with tokens, where the instruction set has units and tokens.  `UserError` where no token makes one wait for another."""
    if not accelerator.units:
        return list(issued)
    synchroniser = Synchroniser(accelerator, list(issued), footprints(accelerator, issued, memory))
    try:
        return synchroniser.synchronised()
    except NoRoute as missing:
        places = (missing.before, missing.after)
    first, second = (f"{synchroniser.issued[number].name} ({synchroniser.prints[number].unit or 'no unit'})" for number in places)
    advice = "describe tokens from one unit to the other, with attributes that say when they are given and taken"
    raise UserError(None, f"{second} must wait for {first}, and no tokens make it wait", advice)
