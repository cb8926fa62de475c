"""The meaning of each elementwise operator: arrays of one element type -> an array of that type.

What HLO leaves undefined is as XLA's CPU does it: division by zero is -1 (all ones) with remainder the dividend, the least integer divided
by -1 is itself, and shifts by the width or more give 0 (or the sign).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from act.hlo.arrays import Array, round_float, wrap
from act.hlo.dtypes import is_float, is_signed, width


def unary(opcode: str, dtype: str) -> Callable[[Array], Array]:
    """`dtype` is the operand's; the result has it too, but for `is-finite`, which gives pred."""
    function = _UNARY[opcode]
    if opcode == "not" and dtype == "pred":
        return np.logical_not
    return _finish(function, dtype) if opcode != "is-finite" else np.isfinite


def binary(opcode: str, dtype: str) -> Callable[[Array, Array], Array]:
    if opcode in _EXACT:
        return _EXACT[opcode]
    if opcode in _INTEGER and not is_float(dtype):
        specific = _INTEGER[opcode]
        return lambda a, b: specific(a, b, dtype)
    return _finish(_BINARY[opcode], dtype)


def compare(direction: str) -> Callable[[Array, Array], Array]:
    return _COMPARE[direction]


def _finish(function: Callable[..., Array], dtype: str) -> Callable[..., Array]:
    """Round or wrap the result to the element type."""
    if dtype == "pred":
        return lambda *arrays: np.asarray(function(*arrays)).astype(np.bool_)
    if is_float(dtype):
        return lambda *arrays: round_float(_quiet(function, arrays), dtype)
    return lambda *arrays: wrap(_quiet(function, arrays), dtype)


def _quiet(function: Callable[..., Array], arrays: tuple[Array, ...]) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(function(*arrays))


def _divide(a: Array, b: Array, dtype: str) -> Array:
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(a, b)
        inexact = quotient * b != a
    if is_signed(dtype):
        quotient = np.where(inexact & ((a < 0) != (b < 0)), quotient + 1, quotient).astype(a.dtype)
    return wrap(np.where(b == 0, ~np.zeros_like(a), quotient), dtype)


def _remainder(a: Array, b: Array, dtype: str) -> Array:
    with np.errstate(all="ignore"):
        rest = a - _divide(a, b, dtype) * b
    return wrap(np.where(b == 0, a, rest), dtype)


def _shift(opcode: str) -> Callable[[Array, Array, str], Array]:
    def shift(a: Array, b: Array, dtype: str) -> Array:
        bits = width(dtype)
        inside = (b >= 0) & (b < bits)
        amount = np.where(inside, b, 0).astype(np.int64 if is_signed(dtype) else np.uint64)
        match opcode:
            case "left":
                return wrap(np.where(inside, (a << amount).astype(a.dtype), a.dtype.type(0)), dtype)
            case "logical":
                unsigned = a.view(f"u{a.dtype.itemsize}").astype(np.uint64) & np.uint64((1 << bits) - 1)
                return wrap(np.where(inside, unsigned >> amount.astype(np.uint64), np.uint64(0)).astype(a.dtype), dtype)
        if is_signed(dtype):
            return (a >> np.where(inside, amount, bits - 1)).astype(a.dtype)
        return _arithmetic_unsigned(a, np.where(inside, amount, bits - 1), bits)

    return shift


def _arithmetic_unsigned(a: Array, amount: Array, bits: int) -> Array:
    """The top bit of an unsigned value fills, too."""
    spare = np.int64(64 - bits)
    signed = (a.astype(np.uint64).view(np.int64) << spare) >> spare
    mask = np.uint64((1 << bits) - 1)
    return ((signed >> amount.astype(np.int64)).view(np.uint64) & mask).astype(a.dtype)


def _round_away(a: Array) -> Array:
    return np.copysign(np.floor(np.abs(a) + 0.5), a)


_UNARY: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "negate": np.negative,
    "not": np.invert,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round-nearest-even": np.rint,
    "round-nearest-afz": _round_away,
    "exponential": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "logistic": lambda a: 1 / (1 + np.exp(-a)),
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "is-finite": np.isfinite,
}
_EXACT: dict[str, Callable[[Array, Array], Array]] = {
    "maximum": np.maximum,
    "minimum": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "remainder": np.fmod,
    "power": np.power,
}
_INTEGER: dict[str, Callable[[Array, Array, str], Array]] = {
    "divide": _divide,
    "remainder": _remainder,
    "shift-left": _shift("left"),
    "shift-right-logical": _shift("logical"),
    "shift-right-arithmetic": _shift("arithmetic"),
}
_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
