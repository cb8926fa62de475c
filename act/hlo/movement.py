"""The meaning of the operators that move elements: concrete attributes -> a function of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from act.hlo.arrays import Array, convert
from act.hlo.model import Shape

Function = Callable[..., Array]


def broadcast(dims: tuple[int, ...], dimensions: tuple[int, ...]) -> Function:
    """A dimension of size 1 stretches."""

    def run(array: Array) -> Array:
        spread = [1] * len(dims)
        order = sorted(range(len(dimensions)), key=dimensions.__getitem__)
        for axis in order:
            spread[dimensions[axis]] = array.shape[axis]
        return np.broadcast_to(array.transpose(order).reshape(spread), dims)

    return run


def iota(shape: Shape, dimension: int) -> Array:
    spread = [1] * shape.rank
    spread[dimension] = shape.dims[dimension]
    counts = np.arange(shape.dims[dimension], dtype=np.int64).reshape(spread)
    return np.broadcast_to(convert(counts, "s64", shape.dtype), shape.dims)


def slice_function(attributes: Any) -> Function:
    index = tuple(slice(*triple) for triple in zip(attributes["start"], attributes["limit"], attributes["stride"], strict=True))
    return lambda array: array[index]


def pad(shape: Shape, attributes: Any) -> Function:
    """Interior padding spreads the elements first; negative edges then cut."""
    low, interior = attributes["low"], attributes["interior"]

    def run(array: Array, value: Array) -> Array:
        result = np.full(shape.dims, value, dtype=array.dtype)
        source, target = [], []
        for size, edge, gap, limit in zip(array.shape, low, interior, shape.dims, strict=True):
            step = gap + 1
            first = max(0, -(edge // step))
            last = min(size, (limit - 1 - edge) // step + 1)
            last = max(first, last)
            source.append(slice(first, last))
            target.append(slice(edge + first * step, edge + last * step, step) if last > first else slice(0, 0))
        result[tuple(target)] = array[tuple(source)]
        return result

    return run


def reverse(rank: int, dimensions: tuple[int, ...]) -> Function:
    index = tuple(slice(None, None, -1 if axis in dimensions else 1) for axis in range(rank))
    return lambda array: array[index]


def dynamic_slice(shape: Shape) -> Function:
    """A start is moved so that the slice lies within the tensor."""

    def run(array: Array, *starts: Array) -> Array:
        return array[_region(array, shape.dims, starts)]

    return run


def dynamic_update_slice(array: Array, update: Array, *starts: Array) -> Array:
    result = np.array(array)
    result[_region(array, update.shape, starts)] = update
    return result


def _region(array: Array, dims: tuple[int, ...], starts: tuple[Array, ...]) -> tuple[slice, ...]:
    first = [min(max(int(start), 0), extent - size) for start, extent, size in zip(starts, array.shape, dims, strict=True)]
    return tuple(slice(start, start + size) for start, size in zip(first, dims, strict=True))
