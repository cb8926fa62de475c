"""Sums over dimensions -> products with ones, before anything is cut into tiles; integers only, since float sums keep their order.

Before --> after:  `s = s32[3] reduce(x: s32[3,4], init), dimensions={1}, to_apply=add` --> `init + dot(x, ones: s32[4])`
"""

from __future__ import annotations

import math

from act.backend.analysis import integral, type_of
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.opcodes import BINARY, UNARY
from act.records import dataclass, field, replace

POINTWISE = UNARY | BINARY | {"convert"}


def reductions_as_products(computation: Computation) -> Computation:
    """Every sum over the first or over the last dimensions of an integer tensor becomes a dot product with ones."""
    state = _Rewriting()
    for each in computation:
        if each.opcode != "reduce" or not state.sum(each):
            state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


@dataclass(slots=True)
class _Rewriting:
    """`values` are the instructions so far."""

    values: dict[str, Instruction] = field(default_factory=dict)

    def sum(self, each: Instruction) -> bool:
        """Adds the instructions for a reduction; False when it is none of this kind."""
        source, dimensions = type_of(self.values[each.operands[0]]), sorted(each.attributes["dimensions"])
        last = dimensions == list(range(source.rank - len(dimensions), source.rank))
        first = dimensions == list(range(len(dimensions)))
        if each.attributes["kind"] != "add" or not integral(source.dtype) or not (first or last) or not dimensions:
            return False
        count = math.prod(source.dims[axis] for axis in dimensions)
        kept = math.prod(type_of(each).dims)
        matrix = self.reshaped(each.operands[0], (kept, count) if last else (count, kept))
        one = self.add(each, "one", Shape(source.dtype), "constant", (), value=1)
        ones = self.add(each, "ones", Shape(source.dtype, (count,)), "broadcast", (one,), dimensions=())
        operands, contracted = ((matrix, ones), (1, 0)) if last else ((ones, matrix), (0, 0))
        numbers = dict(zip(("lhs_contracting_dims", "rhs_contracting_dims"), ((axis,) for axis in contracted), strict=True))
        product = self.add(each, "product", Shape(source.dtype, (kept,)), "dot", operands, lhs_batch_dims=(), rhs_batch_dims=(), **numbers)
        total = self.reshaped(product, type_of(each).dims)
        init = self.add(each, "init", type_of(each), "broadcast", (each.operands[1],), dimensions=()) if type_of(each).dims else each.operands[1]
        self.values[each.name] = Instruction(each.name, type_of(each), "add", (total, init), {}, each.line)
        return True

    def add(self, source: Instruction, suffix: str, shape: Shape, opcode: str, operands: tuple[str, ...], **attributes) -> str:
        """A new instruction, named after the one it is made for."""
        name = f"{source.name}.{suffix}"
        while name in self.values:
            name += "_"
        self.values[name] = Instruction(name, shape, opcode, operands, attributes, source.line)
        return name

    def reshaped(self, name: str, dims: tuple[int, ...]) -> str:
        """A reshape, which goes through pointwise operators to what they compute from."""
        value = self.values[name]
        if type_of(value).dims == dims:
            return name
        shape = Shape(type_of(value).dtype, dims)
        if value.opcode in POINTWISE:
            operands = tuple(self.reshaped(operand, dims) for operand in value.operands)
            return self.add(value, "reshaped", shape, value.opcode, operands, **value.attributes)
        return self.add(value, "reshaped", shape, "reshape", (name,))
