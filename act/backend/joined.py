"""Regions of tensors that are put together -> their parts, each asked of what it comes from: concatenations, padding, copies side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from act.backend.analysis import type_of
from act.backend.pieces import Region, concatenated, matrix_axes, padded, sizes
from act.hlo.model import Instruction, Shape

if TYPE_CHECKING:
    from act.backend.lower import Lowering


def concatenation(lowering: Lowering, value: Instruction, region: Region) -> int:
    """The class of a region of a concatenation."""
    axis = value.attributes["dimension"]
    extents = [type_of(lowering.values[operand]).dims[axis] for operand in value.operands]
    found = list(concatenated(region, axis, extents))
    parts = [lowering.needed(value.operands[number], part) for number, _, part in found]
    return _joined(lowering, value, region, [start for _, start, _ in found], parts)


def padding(lowering: Lowering, value: Instruction, region: Region) -> int:
    """The class of a region of a padded tensor."""
    name, constant = value.operands
    parts, starts = [], []
    for start, part, inside in padded(region, value.attributes["low"], type_of(lowering.values[name]).dims):
        starts.append(start)
        parts.append(lowering.needed(name, part) if inside else _spread(lowering, value, sizes(part), lowering.tensor(constant, ())))
    return _joined(lowering, value, region, starts, parts)


def _spread(lowering: Lowering, value: Instruction, dims: tuple[int, ...], scalar: int) -> int:
    return lowering.graph.make("broadcast", (("dimensions", ()),), Shape(type_of(value).dtype, dims), [scalar])


def repeated(lowering: Lowering, value: Instruction, region: Region) -> int:
    """The class of a region of a broadcast: copies side by side, where they and what is copied are more than a matrix."""
    shape, dimensions = Shape(type_of(value).dtype, sizes(region)), value.attributes["dimensions"]
    copied = next((axis for axis, size in enumerate(shape.dims) if size > 1 and axis not in dimensions), None)
    if dimensions and copied is not None and shape.rank > 2 and matrix_axes(shape.dims) is None:
        part = lowering.tensor(value.name, (*region[:copied], (0, 1), *region[copied + 1 :]))
        starts = [tuple(place if axis == copied else 0 for axis in range(shape.rank)) for place in range(shape.dims[copied])]
        return _joined(lowering, value, region, starts, [part] * len(starts))
    source = lowering.tensor(value.operands[0], tuple(region[dimension] for dimension in dimensions))
    return lowering.graph.make("broadcast", value.key, shape, [source])


def _joined(lowering: Lowering, value: Instruction, region: Region, starts: Sequence[tuple[int, ...]], parts: Sequence[int]) -> int:
    """Parts at their places; as a matrix where they make one."""
    if len(parts) == 1:
        return parts[0]
    dims, dtype, graph = sizes(region), type_of(value).dtype, lowering.graph
    axes = matrix_axes(dims) if len(dims) > 2 else None
    if axes is None:
        return graph.make("assemble", (("starts", tuple(starts)),), Shape(dtype, dims), parts)
    matrices = [lowering.reshape(part, tuple(graph.shape(part).dims[axis] for axis in axes)) for part in parts]
    places = tuple(tuple(start[axis] for axis in axes) for start in starts)
    return lowering.reshape(graph.make("assemble", (("starts", places),), Shape(dtype, tuple(dims[axis] for axis in axes)), matrices), dims)
