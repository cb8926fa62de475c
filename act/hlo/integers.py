"""The meaning of integer operators that numpy does not have as HLO means them: arrays of one element type, and the name of that type.

What HLO leaves undefined is as XLA's CPU does it: division by zero is -1 (all ones) with remainder the dividend, the least integer divided
by -1 is itself, and shifts by the width or more give 0 (or the sign).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from act.hlo.arrays import Array, wrap
from act.hlo.dtypes import is_signed, width


def divide(a: Array, b: Array, dtype: str) -> Array:
    """Towards zero."""
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(a, b)
        inexact = quotient * b != a
    if is_signed(dtype):
        quotient = np.where(inexact & ((a < 0) != (b < 0)), quotient + 1, quotient).astype(a.dtype)
    return wrap(np.where(b == 0, ~np.zeros_like(a), quotient), dtype)


def remainder(a: Array, b: Array, dtype: str) -> Array:
    """With the sign of the dividend."""
    with np.errstate(all="ignore"):
        rest = a - divide(a, b, dtype) * b
    return wrap(np.where(b == 0, a, rest), dtype)


def power(a: Array, b: Array, dtype: str) -> Array:
    """Wrapped; a negative exponent gives 0 but for the bases 1 and -1."""
    result, square, exponent = np.ones_like(a), a, b
    with np.errstate(all="ignore"):
        for _ in range(width(dtype)):
            result = np.where(exponent & 1 != 0, result * square, result)
            square, exponent = square * square, exponent >> 1
    if not is_signed(dtype):
        return wrap(result, dtype)
    inverse = np.where(a == -1, np.where(b & 1 != 0, a, np.abs(a)), (a == 1).astype(a.dtype))
    return wrap(np.where(b < 0, inverse, result).astype(a.dtype), dtype)


def shift_left(a: Array, b: Array, dtype: str) -> Array:
    inside, amount = _amount(b, dtype)
    return wrap(np.where(inside, (a << amount).astype(a.dtype), a.dtype.type(0)), dtype)


def shift_right_logical(a: Array, b: Array, dtype: str) -> Array:
    inside, amount = _amount(b, dtype)
    return wrap(np.where(inside, unsigned(a, dtype) >> amount.astype(np.uint64), np.uint64(0)).astype(a.dtype), dtype)


def shift_right_arithmetic(a: Array, b: Array, dtype: str) -> Array:
    inside, amount = _amount(b, dtype)
    bits = width(dtype)
    amount = np.where(inside, amount, bits - 1)
    if is_signed(dtype):
        return (a >> amount).astype(a.dtype)
    spare = np.int64(64 - bits)
    signed = (a.astype(np.uint64).view(np.int64) << spare) >> spare
    return ((signed >> amount.astype(np.int64)).view(np.uint64) & np.uint64((1 << bits) - 1)).astype(a.dtype)


def _amount(b: Array, dtype: str) -> tuple[NDArray[np.bool_], Array]:
    inside = (b >= 0) & (b < width(dtype))
    return inside, np.where(inside, b, 0).astype(np.int64 if is_signed(dtype) else np.uint64)


def unsigned(a: Array, dtype: str) -> NDArray[np.uint64]:
    """The low `width` bits."""
    return np.ascontiguousarray(a).view(f"u{a.dtype.itemsize}").reshape(a.shape).astype(np.uint64) & np.uint64((1 << width(dtype)) - 1)


def population_count(a: Array, dtype: str) -> Array:
    return wrap(np.bitwise_count(unsigned(a, dtype)).astype(a.dtype), dtype)


def leading_zeros(a: Array, dtype: str) -> Array:
    bits = unsigned(a, dtype)
    for step in (1, 2, 4, 8, 16, 32):
        bits = bits | bits >> np.uint64(step)
    return wrap((width(dtype) - np.bitwise_count(bits)).astype(a.dtype), dtype)


UNARY: dict[str, Callable[[Array, str], Array]] = {"popcnt": population_count, "count-leading-zeros": leading_zeros}
BINARY: dict[str, Callable[[Array, Array, str], Array]] = {
    "divide": divide,
    "remainder": remainder,
    "power": power,
    "shift-left": shift_left,
    "shift-right-logical": shift_right_logical,
    "shift-right-arithmetic": shift_right_arithmetic,
}
