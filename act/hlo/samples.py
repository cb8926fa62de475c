"""Inputs on which two ways of computing are compared: random ones, and the edges of the element types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from act.hlo.arrays import Array, numpy_dtype, round_float
from act.hlo.dtypes import integer_range, is_float
from act.hlo.model import Shape

_SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -3.0)


def samples(shapes: Sequence[Shape], rng: np.random.Generator) -> Iterator[list[Array]]:
    """Endless: first all of the range, then the edges, then small values, then each tensor its own way."""
    for kind in (_full, _edges, _small):
        yield [kind(shape, rng) for shape in shapes]
    while True:
        kinds = rng.choice(3, size=len(shapes))
        yield [(_full, _edges, _small)[kind](shape, rng) for kind, shape in zip(kinds, shapes, strict=True)]


def _full(shape: Shape, rng: np.random.Generator) -> Array:
    """Uniform over the range of the type; floats from a normal distribution."""
    if is_float(shape.dtype):
        return round_float(rng.normal(size=shape.dims), shape.dtype)
    low, high = integer_range(shape.dtype)
    kind = np.uint64 if high > 2**63 else np.int64
    return np.asarray(rng.integers(low, high, shape.dims, dtype=kind, endpoint=True)).astype(numpy_dtype(shape.dtype))


def _edges(shape: Shape, rng: np.random.Generator) -> Array:
    if is_float(shape.dtype):
        return round_float(rng.choice(_SPECIAL_FLOATS, shape.dims), shape.dtype)
    low, high = integer_range(shape.dtype)
    values = [value for value in dict.fromkeys((low, low + 1, -1, 0, 1, high - 1, high)) if low <= value <= high]
    return rng.choice(np.array(values, dtype=numpy_dtype(shape.dtype)), shape.dims)


def _small(shape: Shape, rng: np.random.Generator) -> Array:
    """Values for which few sums leave the range."""
    if is_float(shape.dtype):
        return round_float(np.asarray(rng.integers(-4, 5, shape.dims)), shape.dtype)
    low, high = integer_range(shape.dtype)
    return np.asarray(rng.integers(max(low, -3), min(high, 3), shape.dims, endpoint=True)).astype(numpy_dtype(shape.dtype))
