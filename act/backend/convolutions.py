"""Convolutions of integers -> sums of products of matrices, one for each place of the kernel, before anything is cut into tiles.

Before --> after:  `convolution(x, w)` --> `dot(slice(x), slice(w)) + dot(slice(x), slice(w)) + ...`, each slice moved by one place, with zeros
where it reaches beyond the input.  One of several groups is those of its groups, side by side.  Those of dilated inputs are not changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from act.backend.analysis import integral, type_of
from act.backend.reductions import Rewriting
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace


class Reach(NamedTuple):
    """Along one dimension: the first output and the end of those for which a place of the kernel meets the input, and the input of the first."""

    first: int
    end: int
    source: int


def convolutions_as_products(computation: Computation) -> Computation:
    """Every convolution of integers that has no dilated input becomes a sum."""
    state = Rewriting()
    for each in computation:
        if each.opcode == "convolution" and _is_plain(each):
            _grouped(state, each)
        else:
            state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


def _is_plain(each: Instruction) -> bool:
    shape = type_of(each)
    return integral(shape.dtype) and 0 not in shape.dims and all(step == 1 for step in each.attributes["lhs_dilation"])


def _grouped(state: Rewriting, each: Instruction) -> None:
    """Each group has its part of the features of the input, or of the batch, and of the features of the output."""
    given, shape = each.attributes, type_of(each)
    groups = given["feature_group_count"] * given["batch_group_count"]
    if groups == 1:
        _expand(state, each)
        return
    left, right = each.operands
    apart, among, out = given["lhs_dims"][int(given["feature_group_count"] > 1)], given["rhs_dims"][1], given["out_dims"][1]
    part = Shape(shape.dtype, tuple(size // groups if axis == out else size for axis, size in enumerate(shape.dims)))
    alone = {**given, "feature_group_count": 1, "batch_group_count": 1}
    found = []
    for group in range(groups):
        operands = (_group_of(state, each, left, apart, group, groups), _group_of(state, each, right, among, group, groups))
        one = Instruction(f"{each.name}.group{group}", part, "convolution", operands, alone, each.line)
        _expand(state, one)
        found.append(one.name)
    state.values[each.name] = Instruction(each.name, shape, "concatenate", tuple(found), {"dimension": out}, each.line)


def _group_of(state: Rewriting, each: Instruction, name: str, axis: int, group: int, groups: int) -> str:
    size = type_of(state.values[name]).dims[axis] // groups
    return slice_of(state, each, name, {axis: (group * size, (group + 1) * size, 1)})


def _expand(state: Rewriting, each: Instruction) -> None:
    given, shape = each.attributes, type_of(each)
    terms = list(_terms(state, each))
    order = [given["out_dims"][canonical] for canonical in _canonical(given)]
    unordered = Shape(shape.dtype, tuple(shape.dims[axis] for axis in order))
    total = terms[0] if terms else _zeros(state, each, unordered)
    for term in terms[1:]:
        total = state.add(each, "sum", unordered, "add", (total, term))
    state.values[each.name] = Instruction(
        each.name, shape, "transpose", (total,), {"dimensions": tuple(order.index(axis) for axis in range(shape.rank))}, each.line
    )


def _canonical(given: Mapping[str, Any]) -> list[int]:
    """What the dimensions of a product are: 0 the batch, 1 features, 2 and more space."""
    lhs = given["lhs_dims"]
    return [*(lhs.index(axis) for axis in range(len(lhs)) if axis != lhs[1]), 1]


def _zeros(state: Rewriting, each: Instruction, shape: Shape) -> str:
    zero = state.add(each, "zero", Shape(shape.dtype), "constant", (), value=0)
    return state.add(each, "zeros", shape, "broadcast", (zero,), dimensions=())


def _terms(state: Rewriting, each: Instruction) -> Iterator[str]:
    """The products of the places of the kernel that meet the input anywhere."""
    given, shape = each.attributes, type_of(each)
    left, right = (type_of(state.values[name]) for name in each.operands)
    lhs, rhs = given["lhs_dims"], given["rhs_dims"]
    space = range(2, len(lhs))
    dims = tuple(shape.dims[given["out_dims"][canonical]] for canonical in _canonical(given))
    inner, outer = right.dims[rhs[0]], right.dims[rhs[1]]
    numbers = {"lhs_contracting_dims": (lhs[1],), "rhs_contracting_dims": (int(rhs[0] > rhs[1]),), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    for place in product(*(range(size) for size in given["size"])):
        reaches = {
            lhs[axis]: reach_of(given, axis - 2, at, left.dims[lhs[axis]], shape.dims[given["out_dims"][axis]]) for axis, at in zip(space, place, strict=True)
        }
        if all(reach.first < reach.end for reach in reaches.values()):
            moved = _moved(state, each, reaches, {lhs[axis]: (given["stride"][axis - 2], shape.dims[given["out_dims"][axis]]) for axis in space})
            spot = {rhs[axis]: size - 1 - at if turned else at for axis, at, size, turned in zip(space, place, given["size"], given["reversal"], strict=True)}
            weights = slice_of(state, each, each.operands[1], {axis: (at, at + 1, 1) for axis, at in spot.items()})
            matrix = (inner, outer) if rhs[0] < rhs[1] else (outer, inner)
            weights = state.add(each, "weights", Shape(right.dtype, matrix), "reshape", (weights,))
            yield state.add(each, "product", Shape(shape.dtype, dims), "dot", (moved, weights), **numbers)


def reach_of(given: Mapping[str, Any], which: int, at: int, extent: int, outputs: int) -> Reach:
    """Output o meets input o * stride + at * dilation - low, where there is one."""
    stride, shift = given["stride"][which], at * given["rhs_dilation"][which] - given["low"][which]
    first = max(0, -(shift // stride))
    end = min(outputs, (extent - 1 - shift) // stride + 1)
    return Reach(first, end, first * stride + shift)


def _moved(state: Rewriting, each: Instruction, reaches: Mapping[int, Reach], steps: Mapping[int, tuple[int, int]]) -> str:
    """The input as one place of the kernel meets it; `steps` are stride and number of outputs of each dimension of space."""
    name = each.operands[0]
    pieces = {axis: (reach.source, reach.source + (reach.end - reach.first - 1) * steps[axis][0] + 1, steps[axis][0]) for axis, reach in reaches.items()}
    name = slice_of(state, each, name, pieces)
    shape = type_of(state.values[name])
    low = tuple(reaches[axis].first if axis in reaches else 0 for axis in range(shape.rank))
    high = tuple(steps[axis][1] - reaches[axis].end if axis in reaches else 0 for axis in range(shape.rank))
    if not any(low + high):
        return name
    zero = state.add(each, "zero", Shape(shape.dtype), "constant", (), value=0)
    padded = Shape(shape.dtype, tuple(size + before + after for size, before, after in zip(shape.dims, low, high, strict=True)))
    return state.add(each, "padded", padded, "pad", (name, zero), low=low, high=high, interior=(0,) * shape.rank)


def slice_of(state: Rewriting, each: Instruction, name: str, pieces: Mapping[int, tuple[int, int, int]]) -> str:
    """Start, end and step along some dimensions."""
    shape = type_of(state.values[name])
    found = [pieces.get(axis, (0, size, 1)) for axis, size in enumerate(shape.dims)]
    if all(piece == (0, size, 1) for piece, size in zip(found, shape.dims, strict=True)):
        return name
    start, limit, stride = (tuple(part) for part in zip(*found, strict=True))
    dims = tuple((end - begin + step - 1) // step for begin, end, step in found)
    return state.add(each, "part", Shape(shape.dtype, dims), "slice", (name,), limit=limit, start=start, stride=stride)
