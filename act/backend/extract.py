"""The ways to satisfy needs -> the cheapest way for every need that can be satisfied (Knuth's generalisation of Dijkstra's algorithm).

Costs of shared parts are counted at each use; the result shares them all the same.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable

from act.backend.identity import identities
from act.backend.needs import Need, Way, Ways
from act.records import dataclass, field


class BudgetExhausted(Exception):
    """More needs than were allowed."""


@dataclass(frozen=True, slots=True)
class _Leaves:
    """The classes that are in host memory from the start, and parts of classes."""

    ways: Ways

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and (number in self.ways.matcher.parts or self.ways.is_leaf(number))


@dataclass(slots=True)
class Extraction:
    """`budget` bounds how many needs are looked at.  `expanded` are the ways of every need that was looked at,
    `best` the chosen one and `cost` its cost where there is one."""

    ways: Ways
    budget: int
    expanded: dict[Need, list[Way]] = field(default_factory=dict)
    best: dict[Need, Way] = field(default_factory=dict)
    cost: dict[Need, int] = field(default_factory=dict)
    _leaves: _Leaves = field(init=False)

    def __post_init__(self) -> None:
        self._leaves = _Leaves(self.ways)

    def solve(self, roots: Iterable[Need]) -> None:
        """Fills `best` for all needs that `roots` lead to.  Raises `BudgetExhausted`."""
        self._expand(list(roots))
        waiting: dict[Need, list[tuple[Need, Way]]] = defaultdict(list)
        open_parts: dict[int, int] = {}
        queue: list[tuple[int, int, Way]] = []
        for need, ways in self.expanded.items():
            for way in ways:
                distinct = set(way.parts)
                open_parts[id(way)] = len(distinct)
                for part in distinct:
                    waiting[part].append((need, way))
                if not distinct:
                    heapq.heappush(queue, (way.cost, len(queue), way))
        pushed = len(queue)
        while queue:
            cost, _, way = heapq.heappop(queue)
            if way.need in self.best:
                continue
            self.best[way.need], self.cost[way.need] = way, cost
            for _, user in waiting[way.need]:
                open_parts[id(user)] -= 1
                if open_parts[id(user)] == 0 and user.need not in self.best:
                    pushed += 1
                    heapq.heappush(queue, (user.cost + sum(self.cost[part] for part in user.parts), pushed, user))

    def _expand(self, pending: list[Need]) -> None:
        pending = [part for ways in self.expanded.values() for way in ways for part in way.parts] + pending
        while pending:
            need = pending.pop()
            if need in self.expanded:
                continue
            if len(self.expanded) >= self.budget:
                raise BudgetExhausted
            self.expanded[need] = [*self.ways.of(need), *identities(self.ways.graph, need, self._leaves, self.ways.movable)]
            pending += [part for way in self.expanded[need] for part in reversed(way.parts)]
