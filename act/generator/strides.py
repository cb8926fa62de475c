"""Strides in host memory that are multiples of an attribute or register."""

from __future__ import annotations

from act.taidl.model import Binary, Expr, Int, Name


def scaled(stride: Expr) -> tuple[str, int] | None:
    """The name and the factor of a stride that is a positive multiple of a name, `16 * xstride`; None for any other."""
    match stride:
        case Name(name):
            return name, 1
        case Binary("*", Int(factor), Name(name)) if factor > 0:
            return name, factor
    return None
