"""The ways of all needs -> a plan with an order and a place for every value.

The cheapest plan is tried first, then the same plan with loads repeated at every use; only what has no room then, or is to be the cheapest of
many, needs the search in search.py.  All limits count steps: an instruction that is given an order and a place is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from act.backend.allocate import Allocation, Allocator, NoRoom
from act.backend.configure import Configurator
from act.backend.extract import Extraction
from act.backend.needs import Way
from act.backend.order import Order
from act.backend.plan import Node, Plan, Planner, Step, Tensor
from act.backend.variants import Variants
from act.errors import UserError
from act.records import dataclass, field

if TYPE_CHECKING:
    from act.backend.compile import Backend, Kernel
    from act.backend.cost import CostModel

BUDGET = 50_000
SOLVED = 1000
"""Steps that the constraint solver counts for."""


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


class NoPlace(Exception):
    """The cheapest plan has no room, and nothing else was to be tried."""


def place(
    backend: Backend,
    kernel: Kernel,
    extraction: Extraction,
    choice: Choice | None = None,
    values: dict[str, float] | None = None,
    patient: bool = True,
) -> Schedule:
    """The instructions in order, with a place for every value; `UserError` when there is no room, or `NoPlace` unless `patient`.  `values` takes counts."""
    attempts = Attempts(backend, kernel, extraction, choice or Choice())
    found = None if attempts.choice.search else next(attempts.cheapest({}), None)
    if found is None and not patient:
        raise NoPlace
    if found is None:
        from act.backend.search import Search

        search = Search(attempts)
        found = search.best() if attempts.choice.search else search.first()
    if values is not None:
        values |= {"candidates": attempts.candidates, "placed_steps": attempts.spent}
    return found


@dataclass(slots=True)
class Attempts:
    """Tries plans.  `spent` counts steps, `candidates` the plans that a search compared, `reasons` are why plans had no room."""

    backend: Backend
    kernel: Kernel
    extraction: Extraction
    choice: Choice
    spent: int = 0
    candidates: int = 0
    reasons: list[NoRoom] = field(default_factory=list)
    variants: Variants = field(init=False)

    def __post_init__(self) -> None:
        self.variants = Variants(self.backend.target, self.backend.rules.selectors, Configurator(self.backend.target, ()).state)

    @property
    def host(self) -> str:
        return host_memory(self.backend)

    def cheapest(self, selection: Mapping[Node, Way]) -> Iterator[Schedule]:
        """The schedules of a plan in the order of the numbering that have room."""
        for plan in self.plans(selection):
            yield from self.attempt(plan, self.ordered(plan))

    def ordered(self, plan: Plan) -> list[Step]:
        return Order(self.backend.target, self.choice.seed).steps(plan)

    def plans(self, selection: Mapping[Node, Way]) -> Iterator[Plan]:
        """The plan of these ways (the cheapest for all other nodes), and the same with loads repeated."""
        for reload in (False, True):
            plan = Planner(self.extraction, reload, selection).plan(self.kernel.graph.roots, self.host)
            plan.inputs = [(name, _tensor(plan, number, self.host)) for name, number in self.kernel.inputs]
            if self.choice.aliases:
                from act.backend.sharing import share

                share(plan, self.extraction.ways.graph, dict(self.choice.aliases), self.kernel.filename)
            yield plan

    def attempt(self, plan: Plan, steps: list[Step]) -> Iterator[Schedule]:
        """The schedule of a plan in one order, if it has room."""
        self.spent += len(steps)
        self.variants.choose(steps)
        try:
            allocator = Allocator(self.backend.target, self.extraction.ways.graph, steps)
            allocation = allocator.allocate(plan, [tensor for _, tensor in plan.inputs])
        except NoRoom as reason:
            self.reasons.append(reason)
            self.spent += SOLVED if reason.solved else 0
        else:
            yield Schedule(plan, plan.inputs, steps, allocation)


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
