"""Equations `expression = integer` -> values of the names in the expressions.

Instruction fields are decoded by this: a field holds an attribute, an attribute plus or minus something known, or a run of its bits
(`addr & 0xff`, `addr >> 8`).  Whatever is found is checked by evaluating every equation.
"""

from __future__ import annotations

from collections.abc import Sequence

from act.taidl.expr import ExprError, evaluate
from act.taidl.model import Binary, Expr, Int, Name
from act.taidl.simplify import polynomial

Equation = tuple[Expr, int]


def solve(equations: Sequence[Equation], unknowns: Sequence[str]) -> dict[str, int] | None:
    """The values of `unknowns` that satisfy all equations; None when there are none, or when the equations do not determine them."""
    values = _pieces(equations)
    pending = True
    while pending:
        pending = False
        for expr, value in equations:
            found = _linear(expr, value, values)
            pending = pending or found is not None
            values.update(found or {})
    try:
        right = all(evaluate(expr, values) == value for expr, value in equations)
    except ExprError:
        return None
    return {name: values[name] for name in unknowns} if right and set(unknowns) <= set(values) else None


def _pieces(equations: Sequence[Equation]) -> dict[str, int]:
    """Names put together from runs of bits; a name of which only some bits are given has zeros in the others."""
    values: dict[str, int] = {}
    for expr, value in equations:
        piece = _piece(expr)
        if piece is not None:
            name, shift = piece
            values[name] = values.get(name, 0) | value << shift
    return values


def _piece(expr: Expr) -> tuple[str, int] | None:
    """(name, s) when the expression is bits s and up of the name, or some of them."""
    match expr:
        case Name(name):
            return name, 0
        case Binary("&" | "%", inner, Int()):
            return _piece(inner)
        case Binary(">>", Name(name), Int(shift)) if shift >= 0:
            return name, shift
        case Binary("/", Name(name), Int(size)) if size > 0 and size & (size - 1) == 0:
            return name, size.bit_length() - 1
        case _:
            return None


def _linear(expr: Expr, value: int, values: dict[str, int]) -> dict[str, int] | None:
    """The one unknown name of an equation that is linear in it."""
    terms = polynomial(expr)
    unknown = [factors for factors in terms if any(not _known(factor, values) for factor in factors)]
    if len(unknown) != 1 or len(unknown[0]) != 1 or not isinstance(unknown[0][0], Name):
        return None
    name, coefficient = unknown[0][0].name, terms[unknown[0]]
    try:
        rest = sum(count * _product(factors, values) for factors, count in terms.items() if factors != unknown[0])
    except ExprError:
        return None
    return {name: (value - rest) // coefficient}


def _known(factor: Expr, values: dict[str, int]) -> bool:
    try:
        evaluate(factor, values)
        return True
    except ExprError:
        return False


def _product(factors: tuple[Expr, ...], values: dict[str, int]) -> int:
    result = 1
    for factor in factors:
        result *= evaluate(factor, values)
    return result
