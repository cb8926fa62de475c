"""The meaning of `dot`, `convolution`, `reduce` and `reduce-window`: an instruction with concrete attributes -> a function of arrays.

Integers are exact and wrap.  Floats are multiplied and summed in double precision, so that hardly any result depends on the order, and rounded to
single precision and then to their type; sums of products start from +0, so that none is -0.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from act.hlo.arrays import Array, convert, numpy_dtype, round_float, wrap
from act.hlo.dtypes import integer_range, is_float
from act.hlo.model import Instruction, Shape
from act.hlo.movement import pad

Function = Callable[..., Array]
FEW = 1 << 15
"""So few multiplications of integers are done as they are."""


def dot(instruction: Instruction, left: Shape, right: Shape) -> Function:
    """Result dimensions: batch, left free, right free."""
    shape, given = instruction.shape, instruction.attributes
    assert isinstance(shape, Shape)
    batch, left_sum = given["lhs_batch_dims"], given["lhs_contracting_dims"]
    right_batch, right_sum = given["rhs_batch_dims"], given["rhs_contracting_dims"]
    left_free = tuple(axis for axis in range(left.rank) if axis not in batch + left_sum)
    right_free = tuple(axis for axis in range(right.rank) if axis not in right_batch + right_sum)
    left_order, right_order = batch + left_free + left_sum, right_batch + right_sum + right_free
    groups = tuple(prod(left.dims[axis] for axis in axes) for axes in (batch, left_free, left_sum))
    columns = prod(right.dims[axis] for axis in right_free)
    prepare, finish = _operand(left, right, shape), _narrow(shape.dtype)

    def run(a: Array, b: Array) -> Array:
        a = prepare(a, left.dtype).transpose(left_order).reshape(groups)
        b = prepare(b, right.dtype).transpose(right_order).reshape(groups[0], groups[2], columns)
        with np.errstate(all="ignore"):
            return finish(matmul(a, b).reshape(shape.dims))

    return run


def _operand(left: Shape, right: Shape, shape: Shape) -> Callable[[Array, str], Array]:
    """Converts an operand, of a given type, to the type in which products are summed."""
    if shape.dtype == "pred":
        return lambda array, _: array.astype(np.int32)
    if not is_float(shape.dtype):
        return lambda array, dtype: convert(array, dtype, shape.dtype)
    return lambda array, dtype: convert(array, dtype, "f64")


def matmul(a: Array, b: Array) -> Array:
    """[groups, m, k] x [groups, k, n]; integers modulo their width.  Where all sums are below 2**53, floats are exact, and much faster."""
    if a.dtype.kind == "f":
        return np.matmul(a, b) + a.dtype.type(0)
    if a.dtype.kind not in "iu" or a.size * b.shape[-1] < FEW or _largest(a) * _largest(b) * a.shape[-1] >= 1 << 53:
        return np.matmul(a, b)
    return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)


def _largest(array: Array) -> int:
    return max(int(array.max(initial=0)), -int(array.min(initial=0)))


def convolution(instruction: Instruction, left: Shape, right: Shape) -> Function:
    """As one matrix product per group, of the windows and the kernel."""
    shape, given = instruction.shape, instruction.attributes
    assert isinstance(shape, Shape)
    space = tuple(range(2, shape.rank))
    groups = given["feature_group_count"] * given["batch_group_count"]
    by_feature = given["feature_group_count"] > 1
    prepare, finish, windows = _operand(left, right, shape), _narrow(shape.dtype), _windows(given, leading=2)
    outer, back = right.dims[given["rhs_dims"][1]], np.argsort(given["out_dims"])
    turned = tuple(axis for axis, reversal in zip(space, given["reversal"], strict=True) if reversal)

    def run(a: Array, b: Array) -> Array:
        a = windows(prepare(a, left.dtype).transpose(given["lhs_dims"]), 0)
        b = np.flip(prepare(b, right.dtype).transpose(given["rhs_dims"]), turned)
        batch, features = a.shape[:2]
        places = a.shape[2 : 2 + len(space)]
        a = a.reshape(batch, groups, features // groups, -1) if by_feature else a.reshape(groups, batch // groups, features, -1)
        a = a.swapaxes(0, 1) if by_feature else a
        a = a.reshape(*a.shape[:3], prod(places), -1).transpose(0, 1, 3, 2, 4)
        b = b.reshape(b.shape[0], groups, outer // groups, -1).transpose(1, 0, 3, 2)
        a = a.reshape(groups, -1, a.shape[3] * a.shape[4])
        with np.errstate(all="ignore"):
            product = matmul(a, b.reshape(groups, a.shape[2], outer // groups))
        product = product.reshape(groups, -1, *places, outer // groups)
        product = np.moveaxis(np.moveaxis(product, 0, -2).reshape(-1, *places, outer), -1, 1)
        return finish(product.transpose(back))

    return run


def _windows(given: Any, leading: int) -> Callable[[Array, Any], Array]:
    """An array -> its windows, as further dimensions; `leading` dimensions come before those over which the window slides."""
    plain = (0,) * leading
    gaps = tuple(distance - 1 for distance in given["lhs_dilation"])
    edges = {"low": plain + given["low"], "high": plain + given["high"], "interior": plain + gaps}
    reach = tuple((size - 1) * gap + 1 if size else 0 for size, gap in zip(given["size"], given["rhs_dilation"], strict=True))
    steps = (slice(None),) * leading + tuple(slice(None, None, stride) for stride in given["stride"])
    inside = tuple(slice(None, None, gap) for gap in given["rhs_dilation"])

    def run(array: Array, filling: Any) -> Array:
        extents = zip(array.shape, edges["low"], edges["high"], edges["interior"], strict=True)
        dims = tuple(max(0, low + high + (size + (size - 1) * gap if size else 0)) for size, low, high, gap in extents)
        spread = pad(Shape("f32", dims), edges)(array, filling)
        short = tuple(max(0, least - size) for least, size in zip(plain + reach, dims, strict=True))
        spread = np.pad(spread, [(0, more) for more in short]) if any(short) else spread
        if not reach:
            return spread
        found = sliding_window_view(spread, reach, axis=tuple(range(leading, spread.ndim)))[(*steps, *inside)]
        return found[tuple(slice(0, 0) if more else slice(None) for more in short)]

    return run


def reduce(instruction: Instruction, source: Shape) -> Function:
    return _folded(instruction.attributes["kind"], source.dtype, instruction.attributes["dimensions"])


def reduce_window(instruction: Instruction, source: Shape) -> Function:
    """What lies outside of the tensor or between its elements takes no part."""
    kind, windows = instruction.attributes["kind"], _windows(instruction.attributes, leading=0)
    neutral, fold = _neutral(kind, source.dtype), _folded(kind, source.dtype, tuple(range(source.rank, 2 * source.rank)))
    return lambda array, initial: fold(windows(array, neutral), initial)


def _folded(kind: str, dtype: str, axes: tuple[int, ...]) -> Function:
    function = _REDUCE[kind] if dtype != "pred" else _PRED_REDUCE[kind]
    accumulate = np.dtype(np.float64) if is_float(dtype) else numpy_dtype(dtype)
    neutral, finish = _neutral(kind, dtype), _narrow(dtype)

    def run(array: Array, initial: Array) -> Array:
        with np.errstate(all="ignore"):
            total = function.reduce(array, axis=axes, dtype=accumulate, initial=neutral)
            return finish(np.asarray(function(np.asarray(total, dtype=accumulate), initial.astype(accumulate))))

    return run


def _narrow(dtype: str) -> Callable[[Array], Array]:
    if dtype == "pred":
        return lambda array: array != 0
    if is_float(dtype):
        return lambda array: round_float(array if dtype == "f64" else round_float(array, "f32"), dtype)
    container = numpy_dtype(dtype)
    return lambda array: wrap(array.astype(container, copy=False), dtype)


def _neutral(kind: str, dtype: str) -> Any:
    """The value that changes nothing; the result does not depend on it.  (-0.0 + x is x, where 0.0 + -0.0 is 0.0.)"""
    low, high = (-np.inf, np.inf) if is_float(dtype) else integer_range(dtype)
    unit = {"add": -0.0 if is_float(dtype) else 0, "multiply": 1, "maximum": low, "minimum": high, "or": 0, "xor": 0}
    return numpy_dtype(dtype).type(unit[kind]) if kind in unit else wrap(np.asarray(~numpy_dtype(dtype).type(0)), dtype)[()]


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
