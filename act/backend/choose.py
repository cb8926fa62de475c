"""The ways of all needs -> a plan with an order and a place for every value; with a search, the cheapest of many.

Tried in turn: the cheapest plan; that plan with loads repeated at every use; its other orders; values spilt to host memory; then the next
plans.  A search compares what comes first of each plan until nothing better has been found for as long as it took to find the best one.
All limits count steps: an instruction that is given an order and a place is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from act.backend.allocate import Allocation, Allocator, NoRoom
from act.backend.configure import Configurator
from act.backend.cost import CostModel, CycleCosts
from act.backend.descent import Descent
from act.backend.emit import Operation, operations
from act.backend.extract import Extraction
from act.backend.kbest import KBest, Option
from act.backend.needs import Need, StoreNeed, Way
from act.backend.order import Order
from act.backend.orders import orders
from act.backend.plan import Node, Plan, Planner, Step, Tensor, part_nodes
from act.backend.possible import Possible
from act.backend.sharing import share
from act.backend.spill import Spiller
from act.backend.variants import Variants
from act.backend.views import row_major
from act.errors import UserError

if TYPE_CHECKING:
    from act.backend.compile import Backend, Kernel

BUDGET = 50_000
PATIENCE = 2
"""A search ends when it has taken so many times the steps that it took to find the best program (paper, section 7)."""
LEAST = 16
"""So many programs are compared at least."""
SOLVED = 1000
"""Steps that the constraint solver counts for."""
ORDERS = 8
"""So many orders of one plan are tried when there is no room."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How a program is chosen: `search` compares programs by `model` (the default model is the `cost` clauses); `budget` bounds all steps;
    `seed` breaks ties; `aliases` are the numbers of outputs with the inputs whose memory they take over."""

    budget: int = BUDGET
    search: bool = False
    seed: int = 0
    model: CostModel | None = None
    aliases: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    """`steps` in their order, with the places of their values; `inputs` are the parameters by name."""

    plan: Plan
    inputs: Sequence[tuple[str, Tensor]]
    steps: Sequence[Step]
    allocation: Allocation


def place(backend: Backend, kernel: Kernel, extraction: Extraction, choice: Choice | None = None, values: dict[str, float] | None = None) -> Schedule:
    """The instructions in order, with a place for every value; `UserError` when there is no room.  `values` takes counts."""
    chooser = Chooser(backend, kernel, extraction, choice or Choice())
    found = chooser.best() if chooser.choice.search else chooser.first()
    if values is not None:
        values |= {"candidates": chooser.candidates, "placed_steps": chooser.spent}
    return found


@dataclass(slots=True)
class Chooser:
    backend: Backend
    kernel: Kernel
    extraction: Extraction
    choice: Choice
    spent: int = 0
    candidates: int = 0
    _variants: Variants = field(init=False)
    _possible: Possible = field(init=False)
    _options: dict[Node, list[Option[Node]]] = field(default_factory=dict)
    _reasons: list[NoRoom] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._variants = Variants(self.backend.rules.selectors, Configurator(self.backend.accelerator, ()).state)
        self._possible = Possible(self.backend.accelerator)

    def first(self) -> Schedule:
        """The first schedule that has room."""
        for selection in self._selections():
            for schedule in self._schedules(selection):
                return schedule
        raise self._no_room()

    def best(self) -> Schedule:
        """The cheapest of the schedules that are compared."""
        model = self.choice.model or CycleCosts(self.backend.accelerator)
        least, found, taken = 0.0, None, 0
        for selection in self._selections():
            schedule = None if found and self._bound(selection, model) >= least else next(self._schedules(selection), None)
            self.candidates += 1
            cost = least if schedule is None else model.cost(self._operations(schedule))
            if schedule is not None and (found is None or cost < least):
                least, found, taken = cost, schedule, self.spent
            elif found is not None and self.candidates >= LEAST and self.spent > PATIENCE * taken:
                break
        if found is None:
            raise self._no_room()
        return found

    def _operations(self, schedule: Schedule) -> Sequence[Operation]:
        return operations(self.backend.accelerator, self.backend.rules, schedule.steps, schedule.allocation)

    def _bound(self, selection: Mapping[Node, Way], model: CostModel) -> float:
        """What a plan costs at least: its instructions without those that set registers."""
        steps = next(self._plans(selection)).steps()
        self.spent += len(steps)
        return model.cost([Operation(step.match.selector.name, dict(step.match.alpha), step) for step in steps])

    def _no_room(self) -> UserError:
        reason = min(self._reasons, key=lambda each: each.excess)
        return UserError(self.kernel.filename, f"no room: {reason}", "make the kernel smaller, or give a larger --budget")

    def _selections(self) -> Iterator[Mapping[Node, Way]]:
        """The ways of each plan, the cheapest plan first, as long as steps are left."""
        yield {}
        host, best = self._host(), _Best(self)
        roots: list[Node] = [(StoreNeed(number, host, row_major(self.kernel.graph.shape(number))), True) for number in self.kernel.graph.roots]
        if self._reasons and self._drop_impossible([need for need, _ in roots]):
            if any(need not in self.extraction.best for need, _ in roots):
                return
            yield {}
        plans = KBest(roots, self._options_of, best).plans()
        first = next(plans, None)
        if self.choice.search and first is not None:
            descent = Descent(roots, self._options_of, best, lambda node: node[1], self.choice.budget)
            yield {node: option.payload for node, option in descent.improved(first.choice).items()}
        for plan in plans:
            if self.spent >= self.choice.budget:
                return
            yield {node: option.payload for node, option in plan.choice.items()}

    def _drop_impossible(self, needs: list[Need]) -> bool:
        """Goes on without the instructions that can never be placed; False if there are none."""
        found = self._possible.without(self.extraction, needs)
        if found is None:
            return False
        self.extraction = found
        self._options.clear()
        return True

    def _options_of(self, node: Node) -> list[Option[Node]]:
        if node not in self._options:
            found = {self._kind(way): way for way in self.extraction.expanded.get(node[0], ()) if all(part in self.extraction.cost for part in way.parts)}
            best = self.extraction.best.get(node[0])
            if best is not None:
                found[self._kind(best)] = best
            self._options[node] = [Option(way.cost, part_nodes(way, node[1]), way) for way in found.values()]
        return self._options[node]

    def _kind(self, way: Way) -> tuple:
        """What distinguishes ways that are not only the same instruction with other registers."""
        match = way.match
        if match is None:
            return way.parts, way.offsets
        names = frozenset(each.name for each in self._variants.variants(match.selector))
        return way.parts, way.views, names, match.alpha, match.operands, match.registers

    def _schedules(self, selection: Mapping[Node, Way]) -> Iterator[Schedule]:
        """The schedules of a plan that have room."""
        for plan in self._plans(selection):
            yield from self._attempt(plan, Order(self.backend.accelerator, self.choice.seed).steps(plan))
        plan = next(self._plans(selection))
        if not all(self._possible.has_room(step.match) for step in plan.steps()):
            return
        for steps in islice(orders(self.backend.accelerator, plan, self._remaining()), ORDERS):
            yield from self._attempt(plan, steps)
        yield from self._spilt(plan)

    def _plans(self, selection: Mapping[Node, Way]) -> Iterator[Plan]:
        for reload in (False, True):
            plan = Planner(self.extraction, reload, selection).plan(self.kernel.graph.roots, self._host())
            plan.inputs = [(name, _tensor(plan, number, self._host())) for name, number in self.kernel.inputs]
            if self.choice.aliases:
                share(plan, self.extraction.ways.graph, dict(self.choice.aliases), self.kernel.filename)
            yield plan

    def _spilt(self, plan: Plan) -> Iterator[Schedule]:
        """A schedule with values moved to host memory and back, one more until there is room."""
        spiller = Spiller(self.backend.accelerator, self.extraction.ways, self._host())
        while self.spent < self.choice.budget:
            steps = Order(self.backend.accelerator, self.choice.seed).steps(plan)
            found = next(self._attempt(plan, steps), None)
            if found is not None:
                yield found
                return
            if not spiller.spill(plan, steps, self._reasons[-1]):
                return

    def _remaining(self) -> int:
        return self.choice.budget - self.spent

    def _attempt(self, plan: Plan, steps: list[Step]) -> Iterator[Schedule]:
        """The schedule of a plan in one order, if it has room."""
        self.spent += len(steps)
        backend, graph = self.backend, self.extraction.ways.graph
        self._variants.choose(steps)
        try:
            allocation = Allocator(backend.accelerator, graph, steps).allocate(plan, [tensor for _, tensor in plan.inputs])
        except NoRoom as reason:
            self._reasons.append(reason)
            self.spent += SOLVED if reason.solved else 0
        else:
            yield Schedule(plan, plan.inputs, steps, allocation)

    def _host(self) -> str:
        return host_memory(self.backend)


@dataclass(frozen=True, slots=True)
class _Best(Mapping[Node, tuple[int, Option[Node]]]):
    """The best option of every node."""

    chooser: Chooser
    found: dict[Node, tuple[int, Option[Node]]] = field(default_factory=dict)

    def __getitem__(self, node: Node) -> tuple[int, Option[Node]]:
        if node not in self.found:
            need, way = node[0], self.chooser.extraction.best[node[0]]
            self.found[node] = self.chooser.extraction.cost[need], next(each for each in self.chooser._options_of(node) if each.payload is way)
        return self.found[node]

    def __contains__(self, node: object) -> bool:
        return isinstance(node, tuple) and node[0] in self.chooser.extraction.best

    def __iter__(self) -> Iterator[Node]:
        return iter([(need, fresh) for need in self.chooser.extraction.best for fresh in (False, True)])

    def __len__(self) -> int:
        return 2 * len(self.chooser.extraction.best)


def _tensor(plan: Plan, number: int, host: str) -> Tensor:
    """The tensor of a parameter, whether it is read or not."""
    found = next((each for each in plan.tensors if each.kind == "input" and each.number == number), None)
    return found or Tensor("input", number, host)


def host_memory(backend: Backend) -> str:
    """The memory in which inputs and outputs are."""
    accelerator = backend.accelerator
    found = [name for name, buffer in accelerator.buffers.items() if buffer.hbm]
    if not found:
        raise UserError(None, f"{accelerator.name} has no host memory for inputs and outputs", "declare one with 'hbm'")
    return found[0]
