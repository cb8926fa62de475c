"""An integer expression of a specification -> a Z3 bit-vector with the same value: exact, or modulo a power of two.

Expressions are over the mathematical integers.  An `Integer` has as many bits as its range needs, so that nothing wraps; what is only wanted modulo 2**n
is computed in n bits where the operators allow it.  Written from the language's definition; it shares no code with `act.taidl.expr`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import z3

from act.taidl import Binary, Choice, Expr, Int, Name, Unary


class NoMeaning(Exception):
    """An expression or operation to which these proofs give no meaning."""


@dataclass(frozen=True, slots=True)
class Integer:
    """A value in two's complement, and its range; the range may rest on the assumptions of the proof."""

    bits: z3.BitVecRef
    low: int
    high: int

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None

    def resized(self, width: int) -> z3.BitVecRef:
        """Modulo 2**width."""
        held = self.bits.size()
        return z3.SignExt(width - held, self.bits) if width >= held else z3.Extract(width - 1, 0, self.bits)

    @property
    def holds(self) -> z3.BoolRef:
        return self.bits != 0


def needed(low: int, high: int) -> int:
    """Bits of two's complement for every integer from `low` to `high`."""
    return max(low.bit_length() if low >= 0 else (~low).bit_length(), high.bit_length() if high >= 0 else (~high).bit_length()) + 1


def constant(value: int) -> Integer:
    return Integer(z3.BitVecVal(value, needed(value, value)), value, value)


def unsigned(bits: z3.BitVecRef, high: int | None = None) -> Integer:
    """A bit-vector read without sign; `high` if more is known than its width says."""
    return Integer(z3.ZeroExt(1, bits), 0, (1 << bits.size()) - 1 if high is None else high)


def boolean(condition: z3.BoolRef) -> Integer:
    return Integer(z3.If(condition, z3.BitVecVal(1, 2), z3.BitVecVal(0, 2)), 0, 1)


def exact(expr: Expr, names: Mapping[str, Integer]) -> Integer:
    """The value of an expression."""
    match expr:
        case Int(value):
            return constant(value)
        case Name(name):
            return names[name]
        case Unary("-", operand):
            return _arithmetic("-", constant(0), exact(operand, names))
        case Unary(_, operand):
            return boolean(z3.Not(exact(operand, names).holds))
        case Binary(op, left, right):
            return _binary(op, exact(left, names), exact(right, names))
        case Choice(condition, then, otherwise):
            return _choice(exact(condition, names).holds, exact(then, names), exact(otherwise, names))
    raise NoMeaning(f"{expr} has no value without the contents of buffers")


def modulo(expr: Expr, names: Mapping[str, Integer], width: int) -> z3.BitVecRef:
    """The value modulo 2**width, as that many bits."""
    match expr:
        case Binary("+", left, right):
            return modulo(left, names, width) + modulo(right, names, width)
        case Binary("-", left, right):
            return modulo(left, names, width) - modulo(right, names, width)
        case Binary("*", left, right):
            return modulo(left, names, width) * modulo(right, names, width)
    return exact(expr, names).resized(width)


def condition(expr: Expr, names: Mapping[str, Integer]) -> z3.BoolRef:
    """Whether an expression is not 0."""
    match expr:
        case Binary("and", left, right):
            return z3.And(condition(left, names), condition(right, names))
        case Binary("or", left, right):
            return z3.Or(condition(left, names), condition(right, names))
        case Unary("not", operand):
            return z3.Not(condition(operand, names))
        case Binary(op, left, right) if op in _COMPARE:
            return _compare(op, exact(left, names), exact(right, names))
    return exact(expr, names).holds


def less(left: Integer, right: Integer) -> z3.BoolRef:
    return _compare("<", left, right)


def plus(left: Integer, right: Integer) -> Integer:
    return _arithmetic("+", left, right)


def minus(left: Integer, right: Integer) -> Integer:
    return _arithmetic("-", left, right)


def times(left: Integer, right: Integer) -> Integer:
    return _arithmetic("*", left, right)


_COMPARE = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}  # fmt: skip
_ARITHMETIC = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}


def _compare(op: str, left: Integer, right: Integer) -> z3.BoolRef:
    width = needed(min(left.low, right.low), max(left.high, right.high))
    return _COMPARE[op](left.resized(width), right.resized(width))


def _binary(op: str, left: Integer, right: Integer) -> Integer:
    if op in _COMPARE:
        return boolean(_compare(op, left, right))
    match op:
        case "+" | "-" | "*":
            return _arithmetic(op, left, right)
        case "and":
            return boolean(z3.And(left.holds, right.holds))
        case "or":
            return boolean(z3.Or(left.holds, right.holds))
        case "min":
            return _choice(_compare("<=", left, right), left, right)
        case "max":
            return _choice(_compare(">=", left, right), left, right)
        case "<<" if right.constant is not None:
            return _arithmetic("*", left, constant(1 << right.constant))
        case ">>" if right.constant is not None:
            return _quotient(left, 1 << right.constant)
        case "/" if right.constant is not None and right.constant > 0:
            return _quotient(left, right.constant)
        case "%" if right.constant is not None and right.constant > 0:
            return _remainder(left, right.constant)
        case "&" | "|" if left.low >= 0 <= right.low:
            width = needed(0, max(left.high, right.high))
            a, b = left.resized(width), right.resized(width)
            return Integer(a & b if op == "&" else a | b, 0, min(left.high, right.high) if op == "&" else (1 << (width - 1)) - 1)
    raise NoMeaning(f"the operator {op} for these operands")


def _arithmetic(op: str, left: Integer, right: Integer) -> Integer:
    function = _ARITHMETIC[op]
    corners = [function(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    width = needed(min(corners), max(corners))
    return Integer(function(left.resized(width), right.resized(width)), min(corners), max(corners))


def _choice(which: z3.BoolRef, then: Integer, otherwise: Integer) -> Integer:
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    width = needed(low, high)
    return Integer(z3.If(which, then.resized(width), otherwise.resized(width)), low, high)


def _power(value: int) -> int | None:
    """Its logarithm, if it is a power of two."""
    return value.bit_length() - 1 if value & (value - 1) == 0 else None


def _quotient(left: Integer, by: int) -> Integer:
    """Rounded down."""
    low, high, shift, width = left.low // by, left.high // by, _power(by), max(needed(left.low, left.high), needed(0, by))
    value = left.resized(width)
    if shift is not None:
        value = value >> shift
    elif left.low >= 0:
        value = z3.UDiv(value, z3.BitVecVal(by, width))
    else:
        raise NoMeaning(f"a number that may be negative divided by {by}")
    found = Integer(value, low, high)
    return Integer(found.resized(needed(low, high)), low, high)


def _remainder(left: Integer, by: int) -> Integer:
    """Of the division that rounds down: from 0 to by - 1."""
    shift, width = _power(by), max(needed(left.low, left.high), needed(0, by))
    value = left.resized(width)
    if shift is not None:
        value = z3.ZeroExt(1, z3.Extract(shift - 1, 0, value)) if shift else z3.BitVecVal(0, 1)
    elif left.low >= 0:
        value = z3.URem(value, z3.BitVecVal(by, width))
    else:
        raise NoMeaning(f"the remainder modulo {by} of a number that may be negative")
    return Integer(Integer(value, 0, by - 1).resized(needed(0, by - 1)), 0, by - 1)
