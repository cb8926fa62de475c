"""Z3 bit-vectors: the few combinations that the modules here need, with typed signatures.

Z3's own annotations are unions that no operator accepts, hence `Any`.
"""

from __future__ import annotations

from typing import Any

import z3

Bits = Any  # a bit-vector, a Boolean or an array of Z3


def const(value: int, width: int) -> Bits:
    return z3.BitVecVal(value, width)


def bit(condition: Bits) -> Bits:
    """1 bit from a Boolean."""
    return z3.If(condition, const(1, 1), const(0, 1))


def is_one(a: Bits) -> Bits:
    """A Boolean from 1 bit."""
    return a == const(1, 1)


def extract(a: Bits, low: int, width: int) -> Bits:
    return a if a.size() == width and low == 0 else z3.Extract(low + width - 1, low, a)


def resize(a: Bits, width: int) -> Bits:
    """`a` cut or extended by zeros."""
    return extract(a, 0, width) if width <= a.size() else z3.ZeroExt(width - a.size(), a)


def number(model: z3.ModelRef, value: Bits) -> int:
    """The value of a bit-vector in a model."""
    found: Bits = model.eval(value, model_completion=True)
    return found.as_long()


def address_bits(depth: int) -> int:
    """The width of an index into `depth` words."""
    return max(1, (depth - 1).bit_length())
