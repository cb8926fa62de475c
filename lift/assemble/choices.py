"""Operators that are no polynomials -> integer expressions: choices, comparisons, saturations, and sums that wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from act.taidl import Binary, Choice, Expr, Int, Unary
from lift.assemble.integers import is_index
from lift.assemble.rewriting import clamp_bounds
from lift.unroll import terms
from lift.unroll.terms import Term

Op = Literal["+", "-", "*", "&", "|", "==", "<", "<="]

_COMPARISONS: dict[str, Op] = {"eq": "==", "ult": "<", "ule": "<=", "slt": "<", "sle": "<="}
_WRAPPING: dict[str, Op] = {"add": "+", "sub": "-", "mul": "*"}
_BITWISE: dict[str, Op] = {"and": "&", "or": "|"}


def expression(term: Term, number: Callable[[Term], Expr]) -> Expr | None:
    """`term` as an unsigned number, by what `number` makes of its operands; None if it is no such operator, or depends on an index."""
    if any(is_index(t) for t in terms.walk(term)):
        return None
    args = term.args
    match term.op:
        case "mux":
            return Choice(condition(args[0], number), number(args[1]), number(args[2]))
        case "clamp":
            return _clamp(term, number)
        case "add" | "sub" | "mul":
            return Binary("%", Binary(_WRAPPING[term.op], number(args[0]), number(args[1])), Int(1 << term.width))
        case "and" | "or" if term.width > 1:
            return Binary(_BITWISE[term.op], number(args[0]), number(args[1]))
        case "not" if term.width > 1:
            return Binary("-", Int((1 << term.width) - 1), number(args[0]))
        case "concat":
            return _concatenation(args, number)
        case "sext":
            return Binary("%", signed(args[0], number), Int(1 << term.width))
        case "eq" | "ult" | "ule" | "slt" | "sle" | "not" | "and" | "or" | "redor" | "redand":
            return Choice(condition(term, number), Int(1), Int(0))
        case "xor" if term.width == 1:
            return Choice(condition(term, number), Int(1), Int(0))
    return None


def condition(term: Term, number: Callable[[Term], Expr]) -> Expr:
    """A single bit as a condition."""
    if term.op in _COMPARISONS:
        read = signed if term.op in ("slt", "sle") else lambda t, n: n(t)
        return Binary(_COMPARISONS[term.op], read(term.args[0], number), read(term.args[1], number))
    if term.op in ("and", "or"):
        return Binary(term.op, condition(term.args[0], number), condition(term.args[1], number))  # type: ignore[arg-type]
    if term.op == "redor":
        return Binary("!=", number(term.args[0]), Int(0))
    if term.op == "redand":
        return Binary("==", number(term.args[0]), Int((1 << term.args[0].width) - 1))
    if term.op == "xor":
        return Binary("!=", number(term.args[0]), number(term.args[1]))
    if term.op == "not":
        return Unary("not", condition(term.args[0], number))
    return Binary("==", number(term), Int(1))


def signed(term: Term, number: Callable[[Term], Expr]) -> Expr:
    """A term as a signed number."""
    half = Int(1 << (term.width - 1))
    return Binary("-", Binary("%", Binary("+", number(term), half), Int(1 << term.width)), half)


def _clamp(term: Term, number: Callable[[Term], Expr]) -> Expr:
    low, high, is_signed = clamp_bounds(term)
    x = signed(term.args[0], number) if is_signed else number(term.args[0])
    found = Binary("min", Binary("max", x, Int(low)), Int(high))
    return Binary("%", found, Int(1 << term.width)) if low < 0 or high >= 1 << term.width else found


def _concatenation(parts: tuple[Term, ...], number: Callable[[Term], Expr]) -> Expr:
    total: Expr = Int(0)
    for part in parts:
        total = Binary("+", Binary("*", total, Int(1 << part.width)), number(part))
    return total
