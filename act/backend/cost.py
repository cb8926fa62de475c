"""A finished sequence of operations -> what it costs.  The model is a plug-in: anything with a method `cost` can rank programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Protocol

from act.backend.emit import Operation
from act.hlo.dtypes import stored_bytes
from act.records import dataclass, field
from act.taidl.expr import ExprError, evaluate
from act.taidl.model import Accelerator, Instruction, Slice


class CostModel(Protocol):
    """Compares programs for one kernel: the one that costs less is taken."""

    def cost(self, operations: Sequence[Operation]) -> float:
        """The cost of a program, in any unit; not negative, and less for fewer operations.  It is asked of complete programs and, for a
        bound, of their operations without addresses and without those that set registers."""
        ...


@dataclass(slots=True)
class CycleCosts:
    """The default: the sum of the `cost` clauses, in cycles.  An operation without one costs a cycle and what it moves to and from host
    memory, at `bytes_per_cycle`."""

    accelerator: Accelerator
    bytes_per_cycle: int = 16
    _known: dict[tuple[str, tuple[int, ...]], float] = field(default_factory=dict)

    def cost(self, operations: Sequence[Operation]) -> float:
        return sum(self._operation(each) for each in operations)

    def _operation(self, operation: Operation) -> float:
        instruction = self.accelerator.operation(operation.name)
        alpha = {name: operation.attributes[name] for name in instruction.alpha if name in operation.attributes}
        key = operation.name, tuple(alpha.values())
        if key not in self._known:
            self._known[key] = self._cycles(instruction, alpha)
        return self._known[key]

    def _cycles(self, instruction: Instruction, alpha: Mapping[str, int]) -> float:
        try:
            if instruction.cost is not None:
                return float(evaluate(instruction.cost, alpha))
            return 1.0 + sum(self._transfer(piece, alpha) for piece in (*(r.slice for r in instruction.reads), *(w.slice for w in instruction.writes)))
        except ExprError:
            return 1.0

    def _transfer(self, piece: Slice, alpha: Mapping[str, int]) -> float:
        buffer = self.accelerator.buffers[piece.buffer]
        if not buffer.hbm:
            return 0.0
        return stored_bytes(buffer.element) * prod(evaluate(index.extent, alpha) for index in piece.indices) / self.bytes_per_cycle
