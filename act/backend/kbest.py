"""Cheapest ways for every need -> all plans, the cheapest first: Lawler and Murty's partitioning over shortest hyperpaths.

A plan gives every node that it reaches one option.  The plans that differ from one that was found are partitioned by the first node, in the
order of the plan, that takes another option.  Such a part is solved only when it may be next, and then only for the nodes that its bans and
fixed options can change; until then a bound stands for its cost.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from act.records import dataclass, field

N = TypeVar("N", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Option(Generic[N]):
    """One way to get a node from `parts`, with its own `cost` (not negative); `payload` is the caller's."""

    cost: int
    parts: tuple[N, ...]
    payload: Any = None


@dataclass(frozen=True, slots=True)
class Plan(Generic[N]):
    """`choice` is an option for every node that the roots lead to, in the order in which they are met; `cost` counts shared parts at each use."""

    cost: int
    choice: Mapping[N, Option[N]]


@dataclass(frozen=True, slots=True)
class _Part(Generic[N]):
    """All plans with the options `fixed`, and none of the options `banned` (by position) of `node`."""

    fixed: Mapping[N, int]
    node: N | None = None
    banned: frozenset[int] = frozenset()


def shortest(nodes: Iterable[N], options: Callable[[N], Sequence[Option[N]]], known: Mapping[N, int] | None = None) -> dict[N, tuple[int, Option[N]]]:
    """The least cost and the option of it for each of `nodes` that can be had (Knuth's generalisation of Dijkstra's algorithm).

    `known` are costs of parts outside of `nodes`; those that it has for `nodes` themselves do not matter.
    """
    inside, outside = set(nodes), {} if known is None else known
    best: dict[N, tuple[int, Option[N]]] = {}
    waiting: dict[N, list[tuple[N, Option[N], list[int]]]] = defaultdict(list)
    queue: list[tuple[int, int, N, Option[N]]] = []
    for node in nodes:
        for option in options(node):
            open_parts = inside.intersection(option.parts)
            if open_parts.issuperset(option.parts) or all(part in inside or part in outside for part in option.parts):
                count = [len(open_parts)]
                for part in open_parts:
                    waiting[part].append((node, option, count))
                if not open_parts:
                    heapq.heappush(queue, (option.cost + sum([outside[part] for part in option.parts]), len(queue), node, option))
    pushed = len(queue)
    while queue:
        cost, _, node, option = heapq.heappop(queue)
        if node in best:
            continue
        best[node] = cost, option
        for user, way, count in waiting[node]:
            count[0] -= 1
            if not count[0] and user not in best:
                pushed += 1
                total = way.cost + sum([best[part][0] if part in inside else outside[part] for part in way.parts])
                heapq.heappush(queue, (total, pushed, user, way))
    return best


@dataclass(slots=True)
class KBest(Generic[N]):
    """`options` of a node, always the same; `best` is the least cost of every node that can be had, with the option that `shortest` chose;
    `costs` are these costs alone.  `solved` counts the parts that were solved."""

    roots: Sequence[N]
    options: Callable[[N], Sequence[Option[N]]]
    best: Mapping[N, tuple[int, Option[N]]]
    costs: Mapping[N, int] = field(default_factory=dict)
    solved: int = 0
    _users: dict[N, list[N]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.costs = self.costs or {node: self.best[node][0] for node in self.best}

    def plans(self) -> Iterator[Plan[N]]:
        """Every plan once, with costs that never fall."""
        queue: list[tuple[int, int, _Part[N], Plan[N] | None]] = [(0, 0, _Part({}), None)]
        pushed = 0
        while queue:
            _, _, part, plan = heapq.heappop(queue)
            if plan is None:
                found = self._solve(part)
                others = [] if found is None else [(found.cost, part, found)]
            else:
                yield plan
                others = [(bound, other, None) for bound, other in self._others(part, plan)]
            for cost, other, solved in others:
                pushed += 1
                heapq.heappush(queue, (cost, pushed, other, solved))

    def _others(self, part: _Part[N], plan: Plan[N]) -> Iterator[tuple[int, _Part[N]]]:
        """The parts that the rest of `part` without `plan` falls into, each with a bound of its cost.

        The bound counts those uses of the node that changes that come from fixed nodes; nothing else can become cheaper."""
        fixed, uses = dict(part.fixed), dict.fromkeys(plan.choice, 0)
        for root in self.roots:
            uses[root] += 1
        spent = self._spent(plan)
        for node, option in plan.choice.items():
            options = self.options(node)
            position = next(number for number, other in enumerate(options) if other is option)
            if node not in fixed:
                banned = (part.banned if node == part.node else frozenset()) | {position}
                rest = [self._least(other) for number, other in enumerate(options) if number not in banned]
                least = min((each for each in rest if each is not None), default=None)
                if least is not None:
                    yield plan.cost + uses[node] * max(0, least - spent[node]), _Part(dict(fixed), node, banned)
                fixed[node] = position
            for below in option.parts:
                uses[below] += uses[node]

    def _spent(self, plan: Plan[N]) -> dict[N, int]:
        """The cost of every node in a plan."""
        found: dict[N, int] = {}

        def visit(node: N) -> int:
            if node not in found:
                option = plan.choice[node]
                found[node] = option.cost + sum(visit(part) for part in option.parts)
            return found[node]

        for root in self.roots:
            visit(root)
        return found

    def _least(self, option: Option[N]) -> int | None:
        """The least that an option can cost; None when it cannot be had."""
        costs = self.costs
        if any(part not in costs for part in option.parts):
            return None
        return option.cost + sum([costs[part] for part in option.parts])

    def _solve(self, part: _Part[N]) -> Plan[N] | None:
        """The cheapest plan of a part: only what uses a node whose options changed is solved again."""
        self.solved += 1
        allowed = {node: [self.options(node)[position]] for node, position in part.fixed.items()}
        best = self.best
        changed = [node for node, options in allowed.items() if node in best and options[0] is not best[node][1]]
        if part.node is not None:
            allowed[part.node] = [option for number, option in enumerate(self.options(part.node)) if number not in part.banned]
            changed.append(part.node)
        affected = self._above(changed) if changed else {}
        found = shortest(affected, lambda node: allowed[node] if node in allowed else self.options(node), self.costs)
        return self._plan(found, affected)

    def _above(self, changed: Sequence[N]) -> dict[N, None]:
        """The nodes `changed` and all that may use them."""
        if not self._users:
            self._find_users()
        above = dict.fromkeys(changed)
        pending = list(changed)
        while pending:
            for user in self._users.get(pending.pop(), ()):
                if user not in above:
                    above[user] = None
                    pending.append(user)
        return above

    def _find_users(self) -> None:
        pending, seen = list(self.roots), set(self.roots)
        while pending:
            node = pending.pop()
            for part in dict.fromkeys(part for option in self.options(node) if self._least(option) is not None for part in option.parts):
                self._users.setdefault(part, []).append(node)
                if part not in seen:
                    seen.add(part)
                    pending.append(part)

    def _plan(self, found: Mapping[N, tuple[int, Option[N]]], affected: Mapping[N, None]) -> Plan[N] | None:
        """The plan of the best options; None when a root cannot be had."""
        choice: dict[N, Option[N]] = {}
        cost = 0
        for root in self.roots:
            best = found.get(root) if root in affected else self.best.get(root)
            if best is None:
                return None
            cost += best[0]
        best = self.best
        pending = list(reversed(self.roots))
        while pending:
            node = pending.pop()
            if node not in choice:
                option = choice[node] = (found if node in affected else best)[node][1]
                pending += reversed(option.parts)
        return Plan(cost, choice)
