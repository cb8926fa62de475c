"""Products without a contracted dimension -> with one of a single place; and multiples of bytes by other bytes, along some dimensions -> products
of the vectors there, for machines that multiply matrices only; before anything is cut into tiles.

Before --> after:  `dot(x: s8[3], y: s8[4])` --> `dot(reshape<3,1>(x), reshape<4,1>(y))`, over the last dimensions
                   `multiply(x: s8[3,4], broadcast(y: s8[4]))` --> `transpose(dot(x, y): s8[4,3])`, the rows of which are `x[:,j] * y[j]`
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from act.backend.analysis import integral, type_of
from act.backend.failure import parts_of
from act.backend.reductions import Rewriting
from act.generator.model import Apply, Selector
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace

MOST = 64
"""Vectors, or single elements, that are multiplied one by one, at most."""


def multiplies_matrices_only(selectors: Sequence[Selector]) -> bool:
    opcodes = {part.opcode for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply)}
    return "dot" in opcodes and "multiply" not in opcodes


def multiples_as_products(computation: Computation) -> Computation:
    """Every multiplication of bytes, widened or not, by other bytes that are the same along some dimensions, or are few."""
    state = Rewriting()
    for each in computation:
        state.values[each.name] = (_product(state, each) if each.opcode == "multiply" else None) or each
    return replace(computation, instructions=tuple(state.values.values()))


def products_over_a_dimension(computation: Computation) -> Computation:
    """Every product that contracts nothing."""
    state = Rewriting()
    for each in computation:
        if each.opcode == "dot" and not each.attributes["lhs_contracting_dims"]:
            operands = tuple(_with_last(state, each, name) for name in each.operands)
            axes = (type_of(state.values[name]).rank - 1 for name in operands)
            contracted = {f"{side}_contracting_dims": (axis,) for side, axis in zip(("lhs", "rhs"), axes, strict=True)}
            each = replace(each, operands=operands, attributes={**each.attributes, **contracted})
        state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


def _with_last(state: Rewriting, each: Instruction, name: str) -> str:
    shape = type_of(state.values[name])
    return state.add(each, "vectors", Shape(shape.dtype, (*shape.dims, 1)), "reshape", (name,))


def _product(state: Rewriting, each: Instruction) -> Instruction | None:
    """Places along which the second operand differs are batch dimensions, which come first in the result."""
    shape, sources = type_of(each), [_bytes(state, name) for name in each.operands]
    if None in sources or not integral(shape.dtype) or not shape.dims or any(_constant(state, name) for name in each.operands):
        return None
    values = sorted((state.values[name] for name in sources if name is not None), key=lambda value: value.opcode == "broadcast")
    other, places = values[1].name, tuple(range(shape.rank))
    if values[1].opcode == "broadcast":
        (other,), places = values[1].operands, values[1].attributes["dimensions"]
    count = math.prod(shape.dims[axis] for axis in places)
    if not places or count > MOST or 0 in shape.dims:
        return None
    order = (*places, *(axis for axis in range(shape.rank) if axis not in places))
    numbers = {"lhs_batch_dims": places, "rhs_batch_dims": tuple(range(len(places))), "lhs_contracting_dims": (), "rhs_contracting_dims": ()}
    turned = Shape(shape.dtype, tuple(shape.dims[axis] for axis in order))
    product = state.add(each, "product", turned, "dot", (values[0].name, other), **numbers)
    if order == tuple(range(shape.rank)):
        return replace(state.values.pop(product), name=each.name)
    return Instruction(each.name, shape, "transpose", (product,), {"dimensions": tuple(order.index(axis) for axis in range(shape.rank))}, each.line)


def _constant(state: Rewriting, name: str) -> bool:
    value = state.values[name]
    return value.opcode == "constant" or (value.opcode in ("broadcast", "convert") and _constant(state, value.operands[0]))


def _bytes(state: Rewriting, name: str) -> str | None:
    """The signed bytes that a value is, or that are widened to it."""
    value = state.values[name]
    if value.opcode == "broadcast":
        inner = _bytes(state, value.operands[0])
        if inner is None or inner == value.operands[0]:
            return inner and name
        return state.add(value, "bytes", Shape(type_of(state.values[inner]).dtype, type_of(value).dims), "broadcast", (inner,), **value.attributes)
    if value.opcode == "convert":
        value = state.values[value.operands[0]]
    return value.name if type_of(value).dtype == "s8" else None
