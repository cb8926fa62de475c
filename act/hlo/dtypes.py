"""Element types by name: `pred`, `s<width>` and `u<width>` for widths 1 to 64, and the floats."""

from __future__ import annotations

import re
from functools import cache

FLOATS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}
_INTEGER = re.compile(r"([su])([1-9][0-9]?)$")


@cache
def is_dtype(name: str) -> bool:
    return name == "pred" or name in FLOATS or is_integer(name)


def check_dtype(name: str) -> None:
    if not is_dtype(name):
        raise ValueError(f"not an element type: {name}")


def is_float(name: str) -> bool:
    return name in FLOATS


@cache
def is_integer(name: str) -> bool:
    """True for s<width> and u<width>; `pred` is not an integer."""
    match = _INTEGER.match(name)
    return match is not None and int(match[2]) <= 64


def is_signed(name: str) -> bool:
    return name[0] == "s"


@cache
def width(name: str) -> int:
    """Bits of information in one element; `pred` has 1."""
    if name == "pred":
        return 1
    return FLOATS[name] if name in FLOATS else int(name[1:])


@cache
def stored_bytes(name: str) -> int:
    """Bytes of one element in memory: the width rounded up to bytes (`pred` takes one)."""
    return (width(name) + 7) // 8


@cache
def integer_range(name: str) -> tuple[int, int]:
    """Least and greatest value of an integer type or `pred`."""
    bits = width(name)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(name) else (0, (1 << bits) - 1)


def wrap(name: str, value: int) -> int:
    """The value modulo 2**width, in the range of the integer type."""
    low, high = integer_range(name)
    return (value - low) % (high - low + 1) + low
