"""Values of HLO constants -> their bytes in memory: row-major, little-endian, each element in whole bytes.  Needs no numpy."""

from __future__ import annotations

import math
import struct
from typing import Any

from act.backend.classes import ClassGraph
from act.errors import UserError
from act.hlo.dtypes import is_float, stored_bytes
from act.hlo.literals import flat

BYTES = ("s8", "u8")
FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


def constant_bytes(graph: ClassGraph, number: int) -> bytes:
    """The bytes of a constant class."""
    shape = graph.shape(number)
    if number in graph.splats:
        return element_bytes(graph.splats[number], shape.dtype) * math.prod(shape.dims)
    value = next(graph.nodes(number, "constant")).attribute("value")
    if shape.dtype in BYTES:
        return bytes(each & 255 for each in flat(value))
    return b"".join(element_bytes(each, shape.dtype) for each in flat(value))


def element_bytes(value: Any, dtype: str) -> bytes:
    """One element; floating-point values are rounded to the nearest, ties to even."""
    if dtype in FORMATS:
        try:
            return struct.pack(FORMATS[dtype], value)
        except OverflowError:
            return struct.pack(FORMATS[dtype], math.copysign(math.inf, value))
    if dtype == "bf16":
        return _bf16(float(value))
    if is_float(dtype):
        raise UserError(None, f"constants of type {dtype} cannot be placed in memory yet", "make it an input")
    size = stored_bytes(dtype)
    return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")


def _bf16(value: float) -> bytes:
    """The upper half of the f32 that has 8 significant bits."""
    if math.isfinite(value) and value:
        unit = max(math.frexp(value)[1] - 8, -133)
        value = math.copysign(math.ldexp(round(math.ldexp(value, -unit)), unit), value)
    try:
        return struct.pack("<f", value)[2:]
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))[2:]
