"""A sequence of steps -> a place for every value: rows of accelerator memories, bytes of host memory (paper section 6.2).

Values that an instruction updates in place share one home.  A home is live from its first step to the last step that reads it; homes that
are live together do not overlap.  First fit, in the order in which they begin; where that fails, a constraint solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from act.backend.classes import ClassGraph
from act.backend.order import box, step_dims
from act.backend.plan import Place, Plan, Step, Tensor
from act.backend.solve import solve_rows
from act.backend.views import byte_size
from act.generator.address import main_coordinate
from act.generator.model import InHost, OnChip, Operand, Start
from act.taidl.expr import ExprError, evaluate, names
from act.taidl.model import Accelerator, Expr

ALIGNMENT = 64
"""Bytes, of tensors in host memory; also the first address used, since some machines give address 0 a meaning of its own."""


class NoRoom(Exception):
    """No place was found for a value; the message says which and where."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """`condition` over the attribute that is the row of a home, for one step: attribute = (row - offset) / scale."""

    start: Start
    alpha: tuple[tuple[str, int], ...]
    conditions: tuple[Expr, ...]

    def allows(self, row: int) -> bool:
        value = solve_start(self.start, row, dict(self.alpha))
        if value is None:
            return False
        known = {**dict(self.alpha), self.start.attribute: value} if self.start.attribute else dict(self.alpha)
        return all(_holds(condition, known) for condition in self.conditions)


@dataclass(eq=False, slots=True)
class Home:
    """Rows `row` to `row + size`, of the `limit` that `buffer` has, for the steps `begin` to `end` (both included)."""

    buffer: str
    limit: int
    size: int
    begin: int
    end: int
    constraints: list[Constraint] = field(default_factory=list)
    row: int = -1

    @property
    def fixed(self) -> bool:
        """Whether there is no choice of its row."""
        return any(each.start.attribute is None for each in self.constraints)


@dataclass(slots=True)
class Allocation:
    """`home[step]` is where its result lives on chip; `address[tensor]` is the first byte of a tensor in host memory; `memory` gives
    the bytes that each host memory needs; `clobbered` are the places that a step overwrites besides."""

    home: dict[Step, Home]
    address: dict[Tensor, int]
    memory: dict[str, int]
    clobbered: dict[Step, list[tuple[Start, Home]]] = field(default_factory=dict)


def solve_start(start: Start, place: int, alpha: dict[str, int]) -> int | None:
    """The value of the attribute that puts the first element at `place`; None if there is none.  0 for a fixed place that is right."""
    rest = place - evaluate(start.offset, alpha)
    if start.attribute is None:
        return 0 if rest == 0 else None
    return rest // start.scale if rest >= 0 and rest % start.scale == 0 else None


def _holds(condition: Expr, values: dict[str, int]) -> bool:
    try:
        return not names(condition) <= values.keys() or evaluate(condition, values) != 0
    except ExprError:
        return False


def accesses(step: Step) -> Iterator[tuple[Operand, Step | Place]]:
    """Operands and result of a step, each with the value or the place that it is."""
    yield from zip(step.match.selector.operands, step.operands, strict=True)
    yield step.match.selector.result, step.target if step.target is not None else step


@dataclass(slots=True)
class Allocator:
    accelerator: Accelerator
    graph: ClassGraph
    steps: Sequence[Step]

    def allocate(self, plan: Plan, inputs: Sequence[Tensor]) -> Allocation:
        """`inputs` are laid out first, in their order.  Raises `NoRoom`."""
        homes, clobbered = self._homes(), self._clobbered()
        every = dict.fromkeys([*homes.values(), *(home for places in clobbered.values() for _, home in places)])
        for buffer in dict.fromkeys(home.buffer for home in every):
            self._fill(buffer, [home for home in every if home.buffer == buffer])
        address, memory = self._host(plan, inputs)
        return Allocation(homes, address, memory, clobbered)

    def _clobbered(self) -> dict[Step, list[tuple[Start, Home]]]:
        """A home, for the time of the step, for what each step overwrites besides its result."""
        found: dict[Step, list[tuple[Start, Home]]] = {}
        for time, step in enumerate(self.steps):
            for clobber in step.match.selector.clobbers:
                buffer, alpha = self.accelerator.buffers[clobber.buffer], dict(step.match.alpha)
                limit = (buffer.access + buffer.unit)[clobber.coordinate]
                home = Home(clobber.buffer, limit, evaluate(clobber.size, alpha), time, time, [self._limits(step, clobber.start)])
                found.setdefault(step, []).append((clobber.start, home))
        return found

    def _homes(self) -> dict[Step, Home]:
        homes: dict[Step, Home] = {}
        for time, step in enumerate(self.steps):
            if step.target is None:
                homes[step] = self._home_of(step, time, homes)
            for operand, value in accesses(step):
                if isinstance(value, Step):
                    home = homes[value]
                    home.end = max(home.end, time)
                    home.constraints.append(self._constraint(step, operand))
        return homes

    def _home_of(self, step: Step, time: int, homes: dict[Step, Home]) -> Home:
        """The home of the operand that is updated in place, or a new one."""
        for operand, value in zip(step.match.selector.operands, step.operands, strict=True):
            if operand.tied:
                assert isinstance(value, Step)
                return homes[value]
        access = step.match.selector.result.access
        assert isinstance(access, OnChip)
        main, buffer = main_coordinate(access), self.accelerator.buffers[access.buffer]
        return Home(access.buffer, (buffer.access + buffer.unit)[main], box(access, step_dims(step))[main], time, time)

    def _constraint(self, step: Step, operand: Operand) -> Constraint:
        assert isinstance(operand.access, OnChip)
        return self._limits(step, operand.access.starts[main_coordinate(operand.access)])

    def _limits(self, step: Step, start: Start) -> Constraint:
        """What the conditions of a step say of an attribute alone."""
        allowed = {*step.match.selector.alpha, *([start.attribute] if start.attribute else [])}
        conditions = [condition for condition in step.match.selector.conditions if start.attribute in names(condition)]
        return Constraint(start, step.match.alpha, tuple(condition for condition in conditions if names(condition) <= allowed))

    def _fill(self, buffer: str, homes: Sequence[Home]) -> None:
        """Places all homes of one memory: first fit, then the solver."""
        placed: list[Home] = []
        for home in sorted(homes, key=lambda each: (not each.fixed, each.begin)):
            if not self._place(home, placed):
                break
            placed.append(home)
        if len(placed) < len(homes):
            self._solve(buffer, homes)

    def _place(self, home: Home, placed: Sequence[Home]) -> bool:
        """First fit among the homes that are live at the same time."""
        others = [each for each in placed if each.begin <= home.end and home.begin <= each.end]
        for first in sorted({0, *(each.row + each.size for each in others)}):
            row = next(self._rows(home, first), None)
            if row is not None and not any(row < each.row + each.size and each.row < row + home.size for each in others):
                home.row = row
                return True
        return False

    def _rows(self, home: Home, first: int) -> Iterator[int]:
        """Rows from `first` on that every instruction which uses the home can address."""
        constraints = list(dict.fromkeys(home.constraints))
        return (row for row in range(first, home.limit - home.size + 1) if all(each.allows(row) for each in constraints))

    def _solve(self, buffer: str, homes: Sequence[Home]) -> None:
        most = max(sum(home.size for home in homes if home.begin <= time <= home.end) for time in {home.begin for home in homes})
        if most <= homes[0].limit:
            found = solve_rows(homes, homes[0].limit, {home: list(self._rows(home, 0)) for home in homes})
            if found is not None:
                for home, row in found.items():
                    home.row = row
                return
        raise NoRoom(f"{buffer} has {homes[0].limit} rows, and values that take {most} are needed at the same time")

    def _host(self, plan: Plan, inputs: Sequence[Tensor]) -> tuple[dict[Tensor, int], dict[str, int]]:
        address: dict[Tensor, int] = {}
        memory: dict[str, int] = {}
        kinds = {"input": 0, "constant": 1, "output": 2, "scratch": 3}
        tensors = dict.fromkeys([*inputs, *plan.tensors])
        for tensor in sorted(tensors, key=lambda each: kinds[each.kind]):
            start = memory.get(tensor.buffer, ALIGNMENT)
            start = -(-start // ALIGNMENT) * ALIGNMENT
            address[tensor] = start
            memory[tensor.buffer] = start + byte_size(self.graph.shape(tensor.number))
            if memory[tensor.buffer] > self.accelerator.buffers[tensor.buffer].access[0]:
                raise NoRoom(f"{tensor.buffer} is too small for the inputs, outputs and constants of the kernel")
        return address, memory


def addresses(step: Step, allocation: Allocation) -> dict[str, int]:
    """The values of the address attributes of a step.  Raises `NoRoom` when an attribute would need two values."""
    alpha, beta = dict(step.match.alpha), {}
    for operand, value in accesses(step):
        for start, place in _starts(operand, value, allocation):
            found = solve_start(start, place, alpha)
            if found is None or (start.attribute and beta.setdefault(start.attribute, found) != found):
                raise NoRoom(f"{step.match.selector.name} cannot address {operand.name} at {place}")
    for start, home in allocation.clobbered.get(step, ()):
        if start.attribute:
            beta[start.attribute] = solve_start(start, home.row, alpha) or 0
    for name in step.match.selector.beta:
        beta.setdefault(name, 0)
    return {name: beta[name] for name in step.match.selector.beta}


def _starts(operand: Operand, value: Step | Place, allocation: Allocation) -> Iterator[tuple[Start, int]]:
    if isinstance(value, Place):
        assert isinstance(operand.access, InHost)
        yield operand.access.start, allocation.address[value.tensor] + value.offset
        return
    assert isinstance(operand.access, OnChip)
    main = main_coordinate(operand.access)
    for position, start in enumerate(operand.access.starts):
        yield start, allocation.home[value].row if position == main else 0
