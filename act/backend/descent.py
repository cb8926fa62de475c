"""A plan -> one that costs less when what is shared is counted once, by changing one choice at a time.

The cheapest plan in the order of `kbest` counts shared parts at each use, so that it may compute apart what another plan computes once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from act.backend.kbest import Option
from act.records import dataclass

N = TypeVar("N")


@dataclass(slots=True)
class Descent(Generic[N]):
    """`options` and the first choice `best` of every node that can be had; `alone` says which nodes are made anew for every use.
    `steps` bounds how many nodes are looked at."""

    roots: Sequence[N]
    options: Callable[[N], Sequence[Option[N]]]
    best: Mapping[N, tuple[int, Option[N]]]
    alone: Callable[[N], bool]
    steps: int

    def cost(self, choice: Mapping[N, Option[N]]) -> int | None:
        """The cost of a plan with shared parts counted once; None if it is circular."""
        order = self._order(choice)
        if order is None:
            return None
        uses = dict.fromkeys(order, 0)
        for root in self.roots:
            uses[root] += 1
        total = 0
        for node in reversed(order):
            times = uses[node] if self.alone(node) else 1
            total += times * choice[node].cost
            for part in choice[node].parts:
                uses[part] += times
        return total

    def _order(self, choice: Mapping[N, Option[N]]) -> list[N] | None:
        """The nodes that a plan reaches, each after its parts; None if it is circular."""
        order: list[N] = []
        state: dict[N, bool] = {}
        pending: list[tuple[N, bool]] = [(root, False) for root in reversed(self.roots)]
        looked = 0
        while pending:
            node, done = pending.pop()
            looked += 1
            if done:
                state[node] = True
                order.append(node)
            elif node not in state:
                state[node] = False
                pending.append((node, True))
                for part in choice[node].parts:
                    if state.get(part) is False:
                        self.steps -= looked
                        return None
                    pending.append((part, False))
        self.steps -= looked
        return order

    def improved(self, choice: Mapping[N, Option[N]]) -> dict[N, Option[N]]:
        """The plan when no single change makes it cheaper, or the steps are used up."""
        current, least = dict(choice), self.cost(choice)
        assert least is not None
        changed = True
        while changed and self.steps > 0:
            changed = False
            for node in list(current):
                for other in self._alternatives(current, node):
                    cost = self.cost(other)
                    if cost is not None and cost < least:
                        current, least, changed = self._reached(other), cost, True
                if self.steps <= 0:
                    break
        return current

    def _alternatives(self, choice: Mapping[N, Option[N]], node: N) -> Iterator[dict[N, Option[N]]]:
        """The plans with another option of one node that it reaches; they may keep what they do not reach."""
        if node not in choice:
            return
        for option in self.options(node):
            if option is not choice[node] and all(part in self.best for part in option.parts):
                found, pending = {**choice, node: option}, [*option.parts]
                while pending:
                    part = pending.pop()
                    if part not in found:
                        found[part] = self.best[part][1]
                        pending += found[part].parts
                yield found

    def _reached(self, choice: Mapping[N, Option[N]]) -> dict[N, Option[N]]:
        """What the roots lead to."""
        found: dict[N, Option[N]] = {}
        pending = list(reversed(self.roots))
        while pending:
            node = pending.pop()
            if node not in found:
                found[node] = choice[node]
                pending += reversed(found[node].parts)
        return found
