"""The meaning of each elementwise operator: arrays of one element type -> an array of that type.

Operators of floats that IEEE 754 fixes are exact, subnormal numbers included.  The other functions (exponential and the like) are computed
in double precision and rounded to the element type, so that f32, bf16 and f16 are within 0.5 ULP of the true value in all but rare cases,
and f64 within 2 ULP (those of the C library).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from act.hlo import integers
from act.hlo.arrays import Array, round_float, wrap
from act.hlo.dtypes import is_float
from act.hlo.opcodes import FUNCTIONS


def unary(opcode: str, dtype: str) -> Callable[[Array], Array]:
    """`dtype` is the operand's; the result has it too, but for `is-finite`, which gives pred."""
    if opcode == "is-finite":
        return np.isfinite
    if opcode == "not" and dtype == "pred":
        return np.logical_not
    if opcode in integers.UNARY:
        count = integers.UNARY[opcode]
        return lambda a: count(a, dtype)
    if opcode == "sign" and is_float(dtype):
        return lambda a: np.where((a == 0) | np.isnan(a), a, np.sign(a))
    return _finish(_UNARY[opcode], dtype, precise=opcode in FUNCTIONS)


def binary(opcode: str, dtype: str) -> Callable[[Array, Array], Array]:
    if opcode in _EXACT:
        return _EXACT[opcode]
    if opcode in integers.BINARY and not is_float(dtype):
        specific = integers.BINARY[opcode]
        return lambda a, b: specific(a, b, dtype)
    return _finish(_BINARY[opcode], dtype, precise=opcode in ("power", "atan2"))


def compare(direction: str, dtype: str = "", total: bool = False) -> Callable[[Array, Array], Array]:
    """`total`: by the total order of floats, in which -nan < -inf < -0 < 0 < inf < nan."""
    function = _COMPARE[direction]
    return (lambda a, b: function(_rank(a), _rank(b))) if total and is_float(dtype) else function


def _rank(a: Array) -> Array:
    """Integers in the total order of the floats; bf16 in its float32 has the order of float32."""
    bits = np.ascontiguousarray(a).view(f"i{a.dtype.itemsize}").reshape(a.shape)
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def _finish(function: Callable[..., Array], dtype: str, precise: bool) -> Callable[..., Array]:
    """Round or wrap the result to the element type; `precise` computes in double precision."""
    if dtype == "pred":
        return lambda *arrays: np.asarray(function(*arrays)).astype(np.bool_)
    if not is_float(dtype):
        return lambda *arrays: wrap(_quiet(function, arrays), dtype)
    wide = np.dtype(np.float64) if precise else None
    return lambda *arrays: round_float(_quiet(function, arrays, wide), dtype)


def _quiet(function: Callable[..., Array], arrays: tuple[Array, ...], wide: np.dtype[Any] | None = None) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(function(*[array.astype(wide) for array in arrays] if wide else arrays))


def _round_away(a: Array) -> Array:
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(a)
    return np.copysign(np.where(np.abs(a - whole) >= 0.5, np.abs(whole) + 1, np.abs(whole)), a).astype(a.dtype)


def _maximum(a: Array, b: Array) -> Array:
    """Of two zeros the one above the other, as IEEE 754 has it: in either order the same."""
    greater = np.asarray(np.maximum(a, b))
    return np.add(a, b, out=greater, where=(a == 0) & (b == 0)) if a.dtype.kind == "f" else greater


def _minimum(a: Array, b: Array) -> Array:
    return -_maximum(-a, -b) if a.dtype.kind == "f" else np.minimum(a, b)


def _erf(a: Array) -> Array:
    return np.asarray(_ERF(a)).astype(a.dtype)


_ERF = np.frompyfunc(math.erf, 1, 1)
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
    "exponential-minus-one": np.expm1,
    "log": np.log,
    "log-plus-one": np.log1p,
    "logistic": lambda a: 1 / (1 + np.exp(-a)),
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "cbrt": np.cbrt,
    "sine": np.sin,
    "cosine": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": _erf,
}
_EXACT: dict[str, Callable[[Array, Array], Array]] = {
    "maximum": _maximum,
    "minimum": _minimum,
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
    "atan2": np.arctan2,
}
_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
