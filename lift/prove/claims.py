"""What annotations say, as expressions: the right-hand sides of the lemmas that must hold before an annotation is kept."""

from __future__ import annotations

from lift.ir.operations import PREDICATES, width
from lift.prove.cone import Expr, Value
from lift.prove.expand import number


def bits(a: Value) -> int:
    return a.width if isinstance(a, Expr) else width(a)


def binary(name: str, a: Value, b: Value) -> Expr:
    return Expr(f"arith.{name}", 0, bits(a), (a, b))


def compare(predicate: str, a: Value, b: Value) -> Expr:
    return Expr("arith.cmpi", PREDICATES.index(predicate), 1, (a, b))


def select(condition: Value, then: Value, other: Value) -> Expr:
    return Expr("arith.select", 0, bits(then), (condition, then, other))


def resize(a: Value, to: int, signed: bool) -> Value:
    """`a` in `to` bits: extended by its signedness or truncated."""
    if bits(a) == to:
        return a
    name = "arith.trunci" if to < bits(a) else "arith.extsi" if signed else "arith.extui"
    return Expr(name, 0, to, (a,))


def offset(a: Value, zero: Value | None, signed: bool, to: int) -> Value:
    """a - zero over the integers, modulo 2**to, where both are read as signed or both as unsigned."""
    wide = resize(a, to, signed)
    return wide if zero is None else binary("subi", wide, resize(zero, to, signed))


def clamp(x: Value, low: int, high: int, signed: bool, to: int) -> Value:
    """min(max(x, low), high) in `to` bits, where x is read as signed or unsigned."""
    order, n = "slt" if signed else "ult", bits(x)
    below, above = number(low, n), number(high, n)
    raised = select(compare(order, x, below), below, x)
    return resize(select(compare(order, above, raised), above, raised), to, signed)


def relu(x: Value) -> Expr:
    """max(x, 0) of a signed value."""
    zero = number(0, bits(x))
    return select(compare("slt", x, zero), zero, x)
