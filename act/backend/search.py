"""A plan that has no room, or need not be the cheapest -> other plans, orders and places, by steps and never by time.

Without room, tried in turn: other orders; values spilt to host memory; then the next plans, in the order of their costs.  A search for the
cheapest program compares what comes first of each plan, until nothing better has been found for as long as it took to find the best one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from act.backend.choose import Attempts, Schedule
from act.backend.cost import CostModel, CycleCosts
from act.backend.descent import Descent
from act.backend.emit import Operation, operations
from act.backend.extract import Extraction
from act.backend.kbest import KBest, Option
from act.backend.needs import Need, StoreNeed, Way
from act.backend.orders import orders
from act.backend.plan import Node, Plan, part_nodes
from act.backend.possible import Possible
from act.backend.spill import Spiller
from act.backend.views import row_major
from act.errors import UserError
from act.records import dataclass, field

PATIENCE = 2
"""A search ends when it has taken so many times the steps that it took to find the best program (paper, section 7)."""
LEAST = 16
"""So many programs are compared at least."""
ORDERS = 8
"""So many orders of one plan are tried when there is no room."""


@dataclass(slots=True)
class Search:
    """Goes on where `attempts` of the cheapest plan ended."""

    attempts: Attempts
    _possible: Possible = field(init=False)
    _options: dict[int, list[Option[int]]] = field(default_factory=dict)
    _nodes: list[Node] = field(default_factory=list)
    _numbers: dict[Node, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._possible = Possible(self.attempts.backend.target)

    @property
    def extraction(self) -> Extraction:
        return self.attempts.extraction

    def first(self) -> Schedule:
        """The first schedule that has room."""
        for selection in self._selections():
            for schedule in self._schedules(selection):
                return schedule
        raise self._no_room()

    def best(self) -> Schedule:
        """The cheapest of the schedules that are compared."""
        model = self.attempts.choice.model or CycleCosts(self.attempts.backend.target)
        least, found, taken = 0.0, None, 0
        for selection in self._selections():
            schedule = None if found and self._bound(selection, model) >= least else next(self._schedules(selection), None)
            self.attempts.candidates += 1
            cost = least if schedule is None else model.cost(self._operations(schedule))
            if schedule is not None and (found is None or cost < least):
                least, found, taken = cost, schedule, self.attempts.spent
                continue
            if schedule is not None:
                schedule.plan.dissolve()
            if found is not None and self.attempts.candidates >= LEAST and self.attempts.spent > PATIENCE * taken:
                break
        if found is None:
            raise self._no_room()
        return found

    def _operations(self, schedule: Schedule) -> Sequence[Operation]:
        return operations(self.attempts.backend.target, self.attempts.backend.rules, schedule.steps, schedule.allocation)

    def _bound(self, selection: Mapping[Node, Way], model: CostModel) -> float:
        """What a plan costs at least: its instructions without those that set registers."""
        plan = next(self.attempts.plans(selection))
        steps = plan.steps()
        self.attempts.spent += len(steps)
        cost = model.cost([Operation(step.match.selector.name, dict(step.match.alpha), step) for step in steps])
        plan.dissolve()
        return cost

    def _no_room(self) -> UserError:
        reason = min(self.attempts.reasons, key=lambda each: each.excess)
        return UserError(self.attempts.kernel.filename, f"no room: {reason}", "make the kernel smaller, or give a larger --budget")

    def _selections(self) -> Iterator[Mapping[Node, Way]]:
        """The ways of each plan, the cheapest plan first, as long as steps are left."""
        yield {}
        host, graph = self.attempts.host, self.attempts.kernel.graph
        needs: list[Need] = [StoreNeed(number, host, row_major(graph.shape(number))) for number in graph.roots]
        if self.attempts.reasons and self._drop_impossible(needs):
            if any(need not in self.extraction.best for need in needs):
                return
            yield {}
        roots = [self._numbered((need, True)) for need in needs]
        costs = {self._numbered((need, fresh)): cost for need, cost in self.extraction.cost.items() for fresh in (False, True)}
        best = {number: self._best(number) for number in costs if self._nodes[number][0] in self.extraction.best}
        plans = KBest(roots, self._options_of, best, costs).plans()
        first = next(plans, None)
        if self.attempts.choice.search and first is not None:
            descent = Descent(roots, self._options_of, best, lambda number: self._nodes[number][1], self.attempts.choice.budget)
            yield self._selection(descent.improved(first.choice))
        for plan in plans:
            if self.attempts.spent >= self.attempts.choice.budget:
                return
            yield self._selection(plan.choice)

    def _selection(self, choice: Mapping[int, Option[int]]) -> dict[Node, Way]:
        return {self._nodes[number]: option.payload for number, option in choice.items()}

    def _numbered(self, node: Node) -> int:
        """A number for a node: what is compared and hashed most."""
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return found

    def _drop_impossible(self, needs: list[Need]) -> bool:
        """Goes on without the instructions that can never be placed; False if there are none."""
        found = self._possible.without(self.extraction, needs)
        if found is None:
            return False
        self.attempts.extraction = found
        self._options.clear()
        return True

    def _options_of(self, number: int) -> list[Option[int]]:
        options = self._options.get(number)
        if options is None:
            need, fresh = self._nodes[number]
            found = {self._kind(way): way for way in self.extraction.expanded.get(need, ()) if all(part in self.extraction.cost for part in way.parts)}
            best = self.extraction.best.get(need)
            if best is not None:
                found[self._kind(best)] = best
            options = [Option(way.cost, tuple(map(self._numbered, part_nodes(way, fresh))), way) for way in found.values()]
            self._options[number] = options
        return options

    def _best(self, number: int) -> tuple[int, Option[int]]:
        """The cost of a node, and the option that the extraction chose."""
        need = self._nodes[number][0]
        way = self.extraction.best[need]
        return self.extraction.cost[need], next(each for each in self._options_of(number) if each.payload is way)

    def _kind(self, way: Way) -> tuple:
        """What distinguishes ways that are not only the same instruction with other registers."""
        match = way.match
        if match is None:
            return way.parts, way.offsets
        names = frozenset(each.name for each in self.attempts.variants.variants(match.selector))
        return way.parts, way.views, names, match.alpha, match.operands, match.registers

    def _schedules(self, selection: Mapping[Node, Way]) -> Iterator[Schedule]:
        """The schedules of a plan that have room."""
        yield from self.attempts.cheapest(selection)
        plan = next(self.attempts.plans(selection))
        if not all(self._possible.has_room(step.match) for step in plan.steps()):
            return
        for steps in islice(orders(self.attempts.backend.target, plan, self.attempts.choice.budget - self.attempts.spent), ORDERS):
            yield from self.attempts.attempt(plan, steps)
        yield from self._spilt(plan)

    def _spilt(self, plan: Plan) -> Iterator[Schedule]:
        """A schedule with values moved to host memory and back, one more until there is room."""
        spiller = Spiller(self.attempts.backend.target, self.extraction.ways, self.attempts.host)
        while self.attempts.spent < self.attempts.choice.budget:
            steps = self.attempts.ordered(plan)
            found = next(self.attempts.attempt(plan, steps), None)
            if found is not None:
                yield found
                return
            if not spiller.spill(plan, steps, self.attempts.reasons[-1]):
                return
