"""Integer expressions -> values, substituted expressions, names, Python source.  The meaning of every operator is written once, in `apply`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Unary

_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "min": min,
    "max": max,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "and": lambda a, b: int(a != 0 and b != 0),
    "or": lambda a, b: int(a != 0 or b != 0),
}
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
MAX_SHIFT = 4096
"""Shifts by more than this are refused: they would only exhaust memory."""


class ExprError(ValueError):
    """An expression without a value: a name that is not bound, division by zero, a shift by a negative or absurd amount."""


def apply(op: str, left: int, right: int) -> int:
    """The value of a binary operator over the mathematical integers (`/` and `%` round down); `ExprError` where it has none."""
    if op in ("/", "%") and right == 0:
        raise ExprError("division by zero")
    if op in ("<<", ">>") and not 0 <= right <= MAX_SHIFT:
        raise ExprError(f"shift by {right}")
    return _BINARY[op](left, right)


def evaluate(expr: Expr, values: Mapping[str, int]) -> int:
    """The integer that `expr` stands for when each name has the value in `values`; only the chosen side of a choice, and only the
    needed operands of `and` and `or`, are evaluated."""
    match expr:
        case Int(value):
            return value
        case Name(name):
            if name not in values:
                raise ExprError(f"'{name}' has no value")
            return values[name]
        case Unary("-", operand):
            return -evaluate(operand, values)
        case Unary(_, operand):
            return int(evaluate(operand, values) == 0)
        case Binary("and", left, right):
            return int(evaluate(left, values) != 0 and evaluate(right, values) != 0)
        case Binary("or", left, right):
            return int(evaluate(left, values) != 0 or evaluate(right, values) != 0)
        case Binary(op, left, right):
            return apply(op, evaluate(left, values), evaluate(right, values))
        case Choice(condition, then, otherwise):
            return evaluate(then if evaluate(condition, values) else otherwise, values)
        case Lookup(buffer):
            raise ExprError(f"a look-up in '{buffer}' has no value without its contents")


def children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Choice(condition, then, otherwise):
            return (condition, then, otherwise)
        case Lookup(_, indices):
            return indices
        case _:
            return ()


def _walk(expr: Expr) -> Iterator[Expr]:
    yield expr
    for child in children(expr):
        yield from _walk(child)


@lru_cache(maxsize=65536)
def names(expr: Expr) -> frozenset[str]:
    """The names that occur in `expr`."""
    return frozenset(part.name for part in _walk(expr) if isinstance(part, Name))


@lru_cache(maxsize=65536)
def lookups(expr: Expr) -> frozenset[Lookup]:
    """The look-ups in `expr`, those inside of others included."""
    return frozenset(part for part in _walk(expr) if isinstance(part, Lookup))


def substitute(expr: Expr, mapping: Mapping[str, Expr]) -> Expr:
    """`expr` with each name in `mapping` replaced, all at once; nothing is simplified."""
    match expr:
        case Int():
            return expr
        case Name(name):
            return mapping.get(name, expr)
        case Unary(op, operand):
            return Unary(op, substitute(operand, mapping))
        case Binary(op, left, right):
            return Binary(op, substitute(left, mapping), substitute(right, mapping))
        case Choice(condition, then, otherwise):
            return Choice(substitute(condition, mapping), substitute(then, mapping), substitute(otherwise, mapping))
        case Lookup(buffer, indices):
            return Lookup(buffer, tuple(substitute(index, mapping) for index in indices))


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The conditions that `and` joins, left to right."""
    match expr:
        case Binary("and", left, right):
            return conjuncts(left) + conjuncts(right)
        case _:
            return (expr,)
