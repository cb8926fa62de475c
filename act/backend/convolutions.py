"""Convolutions of integers -> sums of products of matrices, one for each place of the kernel, before anything is cut into tiles.

Before --> after:  `convolution(x, w)` --> `dot(slice(x), slice(w)) + dot(slice(x), slice(w)) + ...`, each slice moved by one place, with zeros
where it reaches beyond the input.  One of several groups is those of its groups, side by side.  Of a dilated input every so many outputs meet
the same places of the kernel: those outputs are a convolution without dilation, and all such lie between each other (phases.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from act.backend.analysis import integral, type_of
from act.backend.phases import Reach, interleaved, phases, reach_of, stride_of
from act.backend.reductions import Rewriting
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace


def convolutions_as_products(computation: Computation) -> Computation:
    """Every convolution of integers becomes a sum."""
    state = Rewriting()
    for each in computation:
        if each.opcode == "convolution" and _is_plain(each):
            _grouped(state, each)
        else:
            state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


def _is_plain(each: Instruction) -> bool:
    shape = type_of(each)
    return integral(shape.dtype) and 0 not in shape.dims


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
    order = [given["out_dims"][canonical] for canonical in _canonical(given)]
    counts = phases(given)
    found = [_phase(state, each, phase, counts) for phase in product(*map(range, counts))]
    total = interleaved(state, each, found, {order.index(given["out_dims"][axis]): count for axis, count in enumerate(counts, start=2)})
    total = slice_of(state, each, total, {place: (0, shape.dims[axis], 1) for place, axis in enumerate(order)})
    dimensions = tuple(order.index(axis) for axis in range(shape.rank))
    if dimensions == tuple(range(shape.rank)) and total not in each.operands:
        state.values[each.name] = replace(state.values.pop(total), name=each.name)
    else:
        state.values[each.name] = Instruction(each.name, shape, "transpose", (total,), {"dimensions": dimensions}, each.line)


def _phase(state: Rewriting, each: Instruction, phase: Sequence[int], counts: Sequence[int]) -> str:
    """The outputs number `phase`, `phase` + count, ... along each dimension of space, in the order of a product."""
    given, shape = each.attributes, type_of(each)
    outputs = {axis: -(-shape.dims[given["out_dims"][axis]] // count) for axis, count in enumerate(counts, start=2)}
    unordered = Shape(shape.dtype, tuple(outputs.get(canonical, shape.dims[given["out_dims"][canonical]]) for canonical in _canonical(given)))
    terms = list(_terms(state, each, phase, outputs))
    total = terms[0] if terms else _zeros(state, each, unordered)
    for term in terms[1:]:
        total = state.add(each, "sum", unordered, "add", (total, term))
    return total


def _canonical(given: Mapping[str, Any]) -> list[int]:
    """What the dimensions of a product are: 0 the batch, 1 features, 2 and more space."""
    lhs = given["lhs_dims"]
    return [*(lhs.index(axis) for axis in range(len(lhs)) if axis != lhs[1]), 1]


def _zeros(state: Rewriting, each: Instruction, shape: Shape) -> str:
    zero = state.add(each, "zero", Shape(shape.dtype), "constant", (), value=0)
    return state.add(each, "zeros", shape, "broadcast", (zero,), dimensions=())


def _terms(state: Rewriting, each: Instruction, phase: Sequence[int], outputs: Mapping[int, int]) -> Iterator[str]:
    """The products of the places of the kernel that meet the input anywhere."""
    given, shape = each.attributes, type_of(each)
    left, right = (type_of(state.values[name]) for name in each.operands)
    lhs, rhs = given["lhs_dims"], given["rhs_dims"]
    space = range(2, len(lhs))
    dims = tuple(outputs.get(canonical, shape.dims[given["out_dims"][canonical]]) for canonical in _canonical(given))
    inner, outer = right.dims[rhs[0]], right.dims[rhs[1]]
    numbers = {"lhs_contracting_dims": (lhs[1],), "rhs_contracting_dims": (int(rhs[0] > rhs[1]),), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    steps = {lhs[axis]: (stride_of(given, axis - 2), outputs[axis]) for axis in space}
    for place in product(*(range(size) for size in given["size"])):
        reaches = {
            lhs[axis]: reach_of(given, axis - 2, at, left.dims[lhs[axis]], outputs[axis], phase[axis - 2]) for axis, at in zip(space, place, strict=True)
        }
        if all(reach.first < reach.end for reach in reaches.values()):
            moved = _moved(state, each, reaches, steps)
            spot = {rhs[axis]: size - 1 - at if turned else at for axis, at, size, turned in zip(space, place, given["size"], given["reversal"], strict=True)}
            weights = slice_of(state, each, each.operands[1], {axis: (at, at + 1, 1) for axis, at in spot.items()})
            matrix = (inner, outer) if rhs[0] < rhs[1] else (outer, inner)
            weights = state.add(each, "weights", Shape(right.dtype, matrix), "reshape", (weights,))
            yield state.add(each, "product", Shape(shape.dtype, dims), "dot", (moved, weights), **numbers)


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
