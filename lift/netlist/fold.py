"""Constant operands of one operation to its constant result.

The meaning of each operator on two-state values, over the list in `lift.netlist.model`.  `simulate` evaluates by the same table.
"""

from __future__ import annotations

from collections.abc import Callable


def signed(value: int, width: int) -> int:
    """The two's complement reading of a `width`-bit pattern."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _signed_divide(w: int, a: int, b: int) -> int | None:
    return _truncated_quotient(signed(a, w), signed(b, w)) if b else None


def _signed_remainder(w: int, a: int, b: int) -> int | None:
    if not b:
        return None
    dividend, divisor = signed(a, w), signed(b, w)
    return dividend - divisor * _truncated_quotient(dividend, divisor)


# width of the operands, operands -> result before it is cut to the result's width; None is undefined.
EVALUATE: dict[str, Callable[..., int | None]] = {
    "add": lambda w, a, b: a + b,
    "sub": lambda w, a, b: a - b,
    "mul": lambda w, a, b: a * b,
    "udiv": lambda w, a, b: a // b if b else None,
    "urem": lambda w, a, b: a % b if b else None,
    "sdiv": _signed_divide,
    "srem": _signed_remainder,
    "and": lambda w, a, b: a & b,
    "or": lambda w, a, b: a | b,
    "xor": lambda w, a, b: a ^ b,
    "not": lambda w, a: ~a,
    "neg": lambda w, a: -a,
    "shl": lambda w, a, b: a << b if b < w else 0,
    "lshr": lambda w, a, b: a >> b if b < w else 0,
    "ashr": lambda w, a, b: signed(a, w) >> min(b, w),
    "eq": lambda w, a, b: int(a == b),
    "ult": lambda w, a, b: int(a < b),
    "ule": lambda w, a, b: int(a <= b),
    "slt": lambda w, a, b: int(signed(a, w) < signed(b, w)),
    "sle": lambda w, a, b: int(signed(a, w) <= signed(b, w)),
    "redor": lambda w, a: int(a != 0),
    "redand": lambda w, a: int(a == (1 << w) - 1),
    "redxor": lambda w, a: a.bit_count() & 1,
    "zext": lambda w, a: a,
    "sext": lambda w, a: signed(a, w),
}


def evaluate(op: str, width: int, operand_width: int, values: list[int]) -> int | None:
    """The `width`-bit result of `op`, None when it is undefined (division by zero)."""
    result = EVALUATE[op](operand_width, *values)
    return None if result is None else result & ((1 << width) - 1)
