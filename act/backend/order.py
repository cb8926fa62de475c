"""The plan -> a sequence of its instructions that keeps few values alive at once.

Sethi and Ullman's numbering, extended to several memories of different sizes: the need of a value is counted in parts of the memory it
lies in, and the operand that needs most comes first (paper section 6.1).
"""

from __future__ import annotations

from itertools import permutations
from random import Random

from act.backend.memo import by_identity
from act.backend.plan import Plan, Step
from act.generator.model import OnChip, Selector
from act.records import dataclass, field
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator

PERMUTED = 4
"""Of up to so many operands all orders are compared."""

Needs = dict[str, int]
"""Rows of each memory."""


@dataclass(slots=True)
class Order:
    """`seed` breaks ties between orders of operands; 0 keeps them as they are written."""

    accelerator: Accelerator
    seed: int = 0
    _needs: dict[Step, Needs] = field(default_factory=dict)
    _orders: dict[Step, tuple[Step, ...]] = field(default_factory=dict)
    _sizes: dict[Step, Needs] = field(default_factory=dict)

    def steps(self, plan: Plan) -> list[Step]:
        """Every step once, after the steps that it depends on; outputs in their order."""
        done: dict[Step, None] = {}
        for tensor in plan.outputs:
            for store in tensor.writers:
                self._emit(store, done)
        return list(done)

    def _emit(self, step: Step, done: dict[Step, None]) -> None:
        if step in done:
            return
        self._need(step)
        for operand in self._orders[step]:
            self._emit(operand, done)
        done[step] = None

    def _need(self, step: Step) -> Needs:
        """The rows taken at the worst moment while `step` is computed from nothing, in the best order of its operands."""
        if step not in self._needs:
            operands = self._shuffled(tuple(dict.fromkeys(step.dependencies())))
            for operand in operands:
                self._need(operand)
            first = operands if len(operands) <= PERMUTED else self._by_need(operands)
            found = first, self._worst(step, first)
            if 1 < len(operands) <= PERMUTED and found[1] != self._least(step, operands):
                orders = [(order, self._worst(step, order)) for order in permutations(operands)]
                found = min(orders, key=lambda each: self._weight(each[1]))
            self._orders[step], self._needs[step] = found
        return self._needs[step]

    def _least(self, step: Step, operands: tuple[Step, ...]) -> Needs:
        """What no order can do with less than: the most that an operand needs alone, and what all take together."""
        least: Needs = dict(self._size(step))
        held: Needs = {}
        for operand in operands:
            for buffer, rows in self._needs[operand].items():
                least[buffer] = max(rows, least.get(buffer, 0))
            for buffer, rows in self._size(operand).items():
                held[buffer] = held.get(buffer, 0) + rows
        for buffer, rows in held.items():
            least[buffer] = max(rows, least.get(buffer, 0))
        return least

    def _shuffled(self, operands: tuple[Step, ...]) -> tuple[Step, ...]:
        if not self.seed:
            return operands
        return tuple(Random(f"{self.seed} {len(self._needs)}").sample(operands, len(operands)))

    def _by_need(self, operands: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(sorted(operands, key=lambda each: self._weight(self._needs[each]), reverse=True))

    def _worst(self, step: Step, order: tuple[Step, ...]) -> Needs:
        held: Needs = {}
        worst: Needs = dict(self._size(step))
        for operand in order:
            for buffer, rows in self._needs[operand].items():
                rows += held.get(buffer, 0)
                if rows > worst.get(buffer, 0):
                    worst[buffer] = rows
            for buffer, rows in self._size(operand).items():
                held[buffer] = held.get(buffer, 0) + rows
        for buffer, rows in held.items():
            if rows > worst.get(buffer, 0):
                worst[buffer] = rows
        return worst

    def _weight(self, needs: Needs) -> tuple[float, float]:
        """The part of the fullest memory that is taken, then of all together."""
        parts = [rows / self.accelerator.buffers[buffer].access[0] for buffer, rows in needs.items()]
        return max(parts, default=0.0), sum(parts)

    def _size(self, step: Step) -> Needs:
        if step not in self._sizes:
            access = step.match.selector.result.access
            self._sizes[step] = {access.buffer: extents(step, access)[0]} if isinstance(access, OnChip) else {}
        return self._sizes[step]


def extents(step: Step, access: OnChip) -> tuple[int, ...]:
    """The size of the result along every coordinate of its memory."""
    return box(access, step_dims(step))


def box(access: OnChip, dims: tuple[int, ...]) -> tuple[int, ...]:
    """The size of a tensor of `dims` along every coordinate."""
    reach = [1] * len(access.starts)
    for size, axis in zip(dims, access.axes, strict=True):
        reach[axis] = size
    return tuple(reach)


def step_dims(step: Step) -> tuple[int, ...]:
    """The dimensions of the result, from the attributes of the instruction."""
    return _dims(step.match.selector, step.match.alpha)


@by_identity
def _dims(selector: Selector, alpha: tuple[tuple[str, int], ...]) -> tuple[int, ...]:
    known = dict(alpha)
    return tuple(evaluate(size, known) for size in selector.result.dims)
