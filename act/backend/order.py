"""The plan -> a sequence of its instructions that keeps few values alive at once.

Sethi and Ullman's numbering, extended to several memories of different sizes: the need of a value is counted in parts of the memory it
lies in, and the operand that needs most comes first (paper section 6.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from act.backend.plan import Plan, Step
from act.generator.model import OnChip
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator

PARTS = 1 << 20
"""A full memory, in the unit in which needs are counted."""


@dataclass(slots=True)
class Order:
    accelerator: Accelerator
    _needs: dict[Step, int] = field(default_factory=dict)

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
        for operand in sorted(dict.fromkeys(step.dependencies()), key=lambda each: self._size(each) - self._need(each)):
            self._emit(operand, done)
        done[step] = None

    def _need(self, step: Step) -> int:
        """How much of a memory is taken at the worst moment while `step` is computed from nothing."""
        if step not in self._needs:
            self._needs[step] = 0
            operands = sorted(dict.fromkeys(step.dependencies()), key=lambda each: self._size(each) - self._need(each))
            held, worst = 0, self._size(step)
            for operand in operands:
                worst = max(worst, held + self._need(operand))
                held += self._size(operand)
            self._needs[step] = max(worst, held)
        return self._needs[step]

    def _size(self, step: Step) -> int:
        access = step.match.selector.result.access
        if not isinstance(access, OnChip):
            return 0
        buffer = self.accelerator.buffers[access.buffer]
        return PARTS * extents(step, access)[0] // max(buffer.access[0], 1)


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
    alpha = dict(step.match.alpha)
    return tuple(evaluate(size, alpha) for size in step.match.selector.result.dims)
