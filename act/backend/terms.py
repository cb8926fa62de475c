"""Products of integer matrices, for machines that have none -> sums of one product of elements for each place that is contracted.

Before --> after, for places k:  `dot(x: s32[m,k], y: s32[k,n])` --> `sum of multiply(broadcast(x[:,k]), broadcast(y[k,:]))`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, product

from act.backend.analysis import integral, narrower, type_of
from act.backend.failure import parts_of
from act.backend.memo import by_identity
from act.backend.reductions import MOST_TERMS, Rewriting
from act.generator.model import Apply, Selector
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace


@by_identity
def multiplies_elements_only(selectors: Sequence[Selector]) -> bool:
    """Whether instructions multiply integers element by element and add them, and none does products of matrices."""
    opcodes = {part.opcode for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply) and integral(part.dtype)}
    return {"multiply", "sum"} <= opcodes and "dot" not in opcodes


def products_as_terms(computation: Computation) -> Computation:
    """Every product of integers that contracts a few places."""
    state = Rewriting()
    for each in computation:
        total = _total(state, each) if each.opcode == "dot" and integral(type_of(each).dtype) else ""
        state.values[each.name] = replace(state.values.pop(total), name=each.name) if total else each
    return replace(computation, instructions=tuple(state.values.values()))


def _total(state: Rewriting, each: Instruction) -> str:
    """The name of the sum; empty where there is none."""
    given, shape, total = each.attributes, type_of(each), ""
    names = [_widened(state, each, name) for name in each.operands]
    left, right = (type_of(state.values[name]) for name in names)
    first, second = (given[f"{side}_contracting_dims"] for side in ("lhs", "rhs"))
    extents = [left.dims[axis] for axis in first]
    if not 0 < math.prod(extents) <= MOST_TERMS:
        return ""
    free = left.rank - len(first) - len(given["lhs_batch_dims"])
    targets = _targets(left, given["lhs_batch_dims"], first, 0), _targets(right, given["rhs_batch_dims"], second, free)
    if not all(low < high for target in targets for low, high in pairwise(target)):
        return ""
    for number, place in enumerate(product(*map(range, extents))):
        sides = (_spread(state, replace(each, name=f"{each.name}.{number}"), *side, place) for side in zip(names, (first, second), targets, strict=True))
        term = state.add(each, f"{number}.term", shape, "multiply", tuple(sides))
        total = state.add(each, f"{number}.sum", shape, "add", (total, term)) if total else term
    return total


def _widened(state: Rewriting, each: Instruction, name: str) -> str:
    """An operand in the type of the result."""
    shape, dtype = type_of(state.values[name]), type_of(each).dtype
    return state.add(each, "wide", Shape(dtype, shape.dims), "convert", (name,)) if narrower(shape.dtype, dtype) else name


def _targets(shape: Shape, batch: tuple[int, ...], contracted: tuple[int, ...], before: int) -> tuple[int, ...]:
    """For each dimension of an operand that is not contracted the one of the result; `before` free ones of the other operand come first."""
    free = [axis for axis in range(shape.rank) if axis not in batch and axis not in contracted]
    kept = (axis for axis in range(shape.rank) if axis not in contracted)
    return tuple(batch.index(axis) if axis in batch else len(batch) + before + free.index(axis) for axis in kept)


def _spread(state: Rewriting, each: Instruction, name: str, contracted: tuple[int, ...], target: tuple[int, ...], place: tuple[int, ...]) -> str:
    """What an operand is at one place of those that are contracted, as large as the result."""
    shape = type_of(each)
    for axis, index in zip(contracted, place, strict=True):
        name = state.part(each, name, axis, index, 1)
    part = state.add(each, "place", Shape(shape.dtype, tuple(shape.dims[axis] for axis in target)), "reshape", (name,))
    return state.add(each, "spread", shape, "broadcast", (part,), dimensions=target)
