"""How tensors are numpy arrays, and the conversions between element types.

An integer of any width is in the smallest numpy integer that holds it; `wrap` brings a result back to its width.  `bf16` is in float32,
rounded after every operation.  `pred` is bool.
"""

from __future__ import annotations

from functools import cache
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from act.hlo.dtypes import is_float, is_signed, width
from act.hlo.model import Shape

Array = NDArray[Any]
_FLOATS = {"f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64}


@cache
def numpy_dtype(dtype: str) -> np.dtype[Any]:
    """The numpy type that holds elements of an HLO type."""
    if dtype == "pred":
        return np.dtype(np.bool_)
    if is_float(dtype):
        return np.dtype(_FLOATS[dtype])
    return np.dtype(f"{'i' if is_signed(dtype) else 'u'}{container_bits(dtype) // 8}")


@cache
def container_bits(dtype: str) -> int:
    return 8 << max(0, ceil(log2(width(dtype) / 8)))


@cache
def fills_container(dtype: str) -> bool:
    """True when the numpy type is the element type, so that numpy's own wrap-around and bits are right."""
    return dtype not in ("pred", "bf16") and (is_float(dtype) or width(dtype) == container_bits(dtype))


def as_array(value: Any, shape: Shape) -> Array:
    """A tensor given by a user; ValueError when its shape differs or an integer is not in the range of its type."""
    given = np.asarray(value)
    array = given.astype(numpy_dtype(shape.dtype), copy=False)
    if array.shape != shape.dims:
        raise ValueError(f"expected a tensor of shape {shape}, found dimensions {list(array.shape)}")
    if not is_float(shape.dtype) and not (np.array_equal(given, array) and np.array_equal(array, wrap(array, shape.dtype))):
        raise ValueError(f"a value is not in the range of {shape.dtype}")
    return round_float(array, shape.dtype) if shape.dtype == "bf16" else array


def wrap(array: Array, dtype: str) -> Array:
    """Reduce an integer array (already of the numpy type) modulo 2**width; other types are returned as they are."""
    if dtype == "pred" or is_float(dtype) or fills_container(dtype):
        return array
    spare = array.dtype.type(container_bits(dtype) - width(dtype))
    return (array << spare) >> spare


def round_float(array: Array, dtype: str) -> Array:
    """Any float array -> the numpy type of `dtype`, rounded to nearest even; overflow is infinity."""
    with np.errstate(all="ignore"):
        result = np.asarray(array).astype(numpy_dtype(dtype), copy=False)
    if dtype != "bf16":
        return result
    bits = result.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(result), result, rounded.view(np.float32))


def reduce_precision(array: Array, exponent_bits: int, fraction_bits: int) -> Array:
    """HLO `reduce-precision`: rounded to nearest even to a format of these bits; too large is infinity, and below its normal numbers is 0."""
    fraction, smallest = np.finfo(array.dtype).nmant, np.finfo(array.dtype).minexp
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
    drop = max(0, fraction - fraction_bits)
    if drop:
        one = bits.dtype.type(1)
        half = (one << bits.dtype.type(drop - 1)) - one + (bits >> bits.dtype.type(drop) & one)
        bits = (bits + half) & ~((one << bits.dtype.type(drop)) - one)
    rounded = np.where(np.isnan(array), array, bits.view(array.dtype))
    limit = (1 << exponent_bits - 1) - 1
    if limit >= 1 - smallest:
        return rounded
    exponents = np.frexp(rounded)[1] - 1
    with np.errstate(all="ignore"):
        rounded = np.where(np.isfinite(rounded) & (exponents > limit), np.copysign(array.dtype.type(np.inf), rounded), rounded)
    return np.where(np.isfinite(rounded) & (exponents < 1 - limit), np.copysign(array.dtype.type(0), rounded), rounded)


def convert(array: Array, source: str, target: str) -> Array:
    """HLO `convert`: integers wrap, floats round to nearest even, float to integer truncates and saturates (NaN is 0), as XLA's CPU does."""
    if source == target:
        return array
    if target == "pred":
        return array != 0
    if is_float(target):
        return round_float(array, target)
    if is_float(source):
        return _truncate(array, target)
    return wrap(array.astype(numpy_dtype(target)), target)


def _truncate(array: Array, target: str) -> Array:
    bits, signed = width(target), is_signed(target)
    low = -(2.0 ** (bits - 1)) if signed else 0.0
    high = 2.0 ** (bits - signed)
    with np.errstate(invalid="ignore"):
        values = np.trunc(array.astype(np.float64))
    inside = (values >= low) & (values < high)
    result = np.where(inside, values, 0).astype(numpy_dtype(target))
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    result = np.where(values >= high, numpy_dtype(target).type(most), result)
    return np.where(values < low, numpy_dtype(target).type(least), result)


def bitcast(array: Array, source: str, target: str, dims: tuple[int, ...]) -> Array:
    """HLO `bitcast-convert` to dimensions `dims`; a trailing dimension holds the parts of a wider element, least significant first."""
    if fills_container(source) and fills_container(target):
        return np.ascontiguousarray(array).view(numpy_dtype(target)).reshape(dims)
    bits, wide, narrow = _bits(array, source), width(source), width(target)
    if wide > narrow:
        shifts = np.arange(wide // narrow, dtype=np.uint64) * np.uint64(narrow)
        bits = bits[..., None] >> shifts
    elif wide < narrow:
        shifts = np.arange(narrow // wide, dtype=np.uint64) * np.uint64(wide)
        bits = np.bitwise_or.reduce(bits << shifts, axis=-1)
    return _from_bits(bits, target).reshape(dims)


def _bits(array: Array, dtype: str) -> NDArray[np.uint64]:
    if dtype == "pred":
        return array.astype(np.uint64)
    unsigned = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape).astype(np.uint64)
    return unsigned >> np.uint64(16) if dtype == "bf16" else unsigned & np.uint64((1 << width(dtype)) - 1)


def _from_bits(bits: NDArray[np.uint64], dtype: str) -> Array:
    """Only the low bits of each element are used."""
    if dtype == "pred":
        return (bits & np.uint64(1)) != 0
    if dtype == "bf16":
        return ((bits & np.uint64(0xFFFF)) << np.uint64(16)).astype(np.uint32).view(np.float32)
    if is_float(dtype):
        return bits.astype(f"u{width(dtype) // 8}").view(numpy_dtype(dtype))
    return wrap(bits.astype(numpy_dtype(dtype)), dtype)
