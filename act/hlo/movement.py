"""The meaning of the operators that move elements, of `dot` and of `reduce`: an instruction with concrete attributes -> a function of arrays."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from act.hlo.arrays import Array, convert, numpy_dtype, round_float, wrap
from act.hlo.dtypes import integer_range, is_float
from act.hlo.model import Instruction, Shape

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


def dot(instruction: Instruction, left: Shape, right: Shape) -> Function:
    """Operands are converted to the result's type first; result dimensions: batch, left free, right free."""
    shape, given = instruction.shape, instruction.attributes
    assert isinstance(shape, Shape)
    dtype = shape.dtype
    batch, left_sum = given["lhs_batch_dims"], given["lhs_contracting_dims"]
    right_batch, right_sum = given["rhs_batch_dims"], given["rhs_contracting_dims"]
    left_free = tuple(axis for axis in range(left.rank) if axis not in batch + left_sum)
    right_free = tuple(axis for axis in range(right.rank) if axis not in right_batch + right_sum)
    left_order, right_order = batch + left_free + left_sum, right_batch + right_sum + right_free
    groups = [prod(left.dims[axis] for axis in axes) for axes in (batch, left_free, left_sum)]
    columns = prod(right.dims[axis] for axis in right_free)
    accumulate = numpy_dtype("s32" if dtype == "pred" else dtype)

    def run(a: Array, b: Array) -> Array:
        a = convert(a, left.dtype, dtype).transpose(left_order).reshape(groups).astype(accumulate, copy=False)
        b = convert(b, right.dtype, dtype).transpose(right_order).reshape(groups[0], groups[2], columns).astype(accumulate, copy=False)
        product = np.matmul(a, b).reshape(shape.dims)
        return _narrow(product, dtype)

    return run


def reduce(instruction: Instruction, source: Shape) -> Function:
    kind, axes = instruction.attributes["kind"], instruction.attributes["dimensions"]
    dtype = source.dtype
    function = _REDUCE[kind] if dtype != "pred" else _PRED_REDUCE[kind]

    def run(array: Array, initial: Array) -> Array:
        accumulate = np.float32 if dtype == "f16" else array.dtype
        with np.errstate(all="ignore"):
            total = function.reduce(array, axis=axes, dtype=accumulate, initial=_neutral(kind, dtype))
            total = function(np.asarray(total, dtype=accumulate), initial.astype(accumulate))
        return _narrow(np.asarray(total), dtype)

    return run


def _narrow(array: Array, dtype: str) -> Array:
    if dtype == "pred":
        return array != 0
    return round_float(array, dtype) if is_float(dtype) else wrap(array.astype(numpy_dtype(dtype), copy=False), dtype)


def _neutral(kind: str, dtype: str) -> Any:
    """The value that changes nothing; the result does not depend on it."""
    low, high = (-np.inf, np.inf) if is_float(dtype) else integer_range(dtype)
    unit = {"add": 0, "multiply": 1, "maximum": low, "minimum": high, "or": 0, "xor": 0}
    return numpy_dtype(dtype).type(unit[kind]) if kind in unit else wrap(np.asarray(~numpy_dtype(dtype).type(0)), dtype)


_REDUCE: dict[str, np.ufunc] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_PRED_REDUCE: dict[str, np.ufunc] = _REDUCE | {"add": np.logical_or, "multiply": np.logical_and}
