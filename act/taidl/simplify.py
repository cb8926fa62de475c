"""Integer expressions -> a normal form: a sum of products with integer coefficients, over names and whatever is no polynomial.

Two expressions with the same normal form are equal for all values; the converse holds for polynomials.
Before --> after:  `2 * (i + 1) - i` --> `i + 2`;  `(16 * q + 3) / 16` --> `q`;  `j % 1` --> `0`;  `1 - (1 - x)` --> `x`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from act.taidl.expr import COMPARISONS, MAX_SHIFT, ExprError, apply
from act.taidl.expr_text import print_expr
from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Unary

Monomial = tuple[Expr, ...]
Polynomial = dict[Monomial, int]
"""Coefficients, none of them 0, by the sorted factors that each multiplies."""


@lru_cache(maxsize=65536)
def simplify(expr: Expr) -> Expr:
    """The normal form of `expr`; equal to it for all values for which `expr` has one."""
    return from_polynomial(polynomial(expr))


def equal(left: Expr, right: Expr) -> bool:
    """Whether both have the same normal form, hence the same value always."""
    return left == right or not polynomial(Binary("-", left, right))


def constant(expr: Expr) -> int | None:
    """The value of an expression that does not depend on names, as far as the normal form shows it."""
    terms = polynomial(expr)
    return terms.get((), 0) if set(terms) <= {()} else None


def quotient(expr: Expr, divisor: Expr) -> Expr | None:
    """`expr` / `divisor` where each of its terms has that as a factor, and it is not 0."""
    terms = polynomial(expr)
    if any(divisor not in factors for factors in terms):
        return None
    places = {factors: factors.index(divisor) for factors in terms}
    return from_polynomial({(*f[:k], *f[k + 1 :]): terms[f] for f, k in places.items()})


def polynomial(expr: Expr) -> Polynomial:
    """The coefficients of the normal form."""
    match expr:
        case Int(value):
            return {(): value} if value else {}
        case Name():
            return {(expr,): 1}
        case Unary("-", operand):
            return _scale(polynomial(operand), -1)
        case Unary(_, operand):
            return _negation(simplify(operand))
        case Binary("+", left, right):
            return _add(polynomial(left), polynomial(right))
        case Binary("-", left, right):
            return _add(polynomial(left), _scale(polynomial(right), -1))
        case Binary("*", left, right):
            return _multiply(polynomial(left), polynomial(right))
        case Binary(op, left, right):
            return _operator(op, polynomial(left), polynomial(right))
        case Choice(condition, then, otherwise):
            return _choice(simplify(condition), simplify(then), simplify(otherwise))
        case Lookup(buffer, indices):
            return _atom(Lookup(buffer, tuple(map(simplify, indices))))


def from_polynomial(terms: Polynomial) -> Expr:
    """Positive terms first, in the order of their text, the constant last."""
    ordered = sorted(terms.items(), key=lambda term: (term[1] < 0, not term[0], [print_expr(factor) for factor in term[0]]))
    result: Expr | None = None
    for factors, coefficient in ordered:
        term = _term(factors, abs(coefficient))
        result = _joined(result, term, coefficient > 0)
    return result or Int(0)


def _joined(result: Expr | None, term: Expr, positive: bool) -> Expr:
    if result is None:
        return term if positive else _negated(term)
    return Binary("+" if positive else "-", result, term)


def _term(factors: Monomial, coefficient: int) -> Expr:
    result: Expr | None = Int(coefficient) if coefficient != 1 or not factors else None
    for factor in factors:
        result = factor if result is None else Binary("*", result, factor)
    assert result is not None
    return result


def _negated(term: Expr) -> Expr:
    match term:
        case Int(value):
            return Int(-value)
        case Binary("*", Int(value), rest):
            return Binary("*", Int(-value), rest)
        case _:
            return Unary("-", term)


def _add(left: Polynomial, right: Polynomial) -> Polynomial:
    result = dict(left)
    for factors, coefficient in right.items():
        result[factors] = result.get(factors, 0) + coefficient
    return {factors: coefficient for factors, coefficient in result.items() if coefficient}


def _scale(terms: Polynomial, by: int) -> Polynomial:
    return {factors: coefficient * by for factors, coefficient in terms.items() if by}


def _multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            result = _add(result, {tuple(sorted(a + b, key=print_expr)): x * y})
    return result


def _value(terms: Polynomial) -> int | None:
    return terms.get((), 0) if set(terms) <= {()} else None


def _atom(expr: Expr) -> Polynomial:
    return {(expr,): 1}


def _operator(op: str, left: Polynomial, right: Polynomial) -> Polynomial:
    a, b = _value(left), _value(right)
    if a is not None and b is not None:
        try:
            return polynomial(Int(apply(op, a, b)))
        except ExprError:
            pass
    elif op in ("<<", ">>") and b is not None and 0 <= b <= MAX_SHIFT:
        return _multiply(left, {(): 1 << b}) if op == "<<" else _divide(left, 1 << b)
    elif op == "/" and b is not None and b > 0:
        return _divide(left, b)
    elif op == "%" and b is not None and b > 0:
        return _remainder(left, b)
    return _other(op, left, right)


def _divide(terms: Polynomial, by: int) -> Polynomial:
    """floor((by * p + r) / by) = p + floor(r / by); what is left as `r / by` has coefficients from 0 to by - 1."""
    whole = {factors: coefficient // by for factors, coefficient in terms.items() if coefficient // by}
    rest = {factors: coefficient % by for factors, coefficient in terms.items() if coefficient % by}
    left = {} if set(rest) <= {()} else _atom(Binary("/", from_polynomial(rest), Int(by)))
    return _add(whole, left)


def _remainder(terms: Polynomial, by: int) -> Polynomial:
    rest = {factors: coefficient % by for factors, coefficient in terms.items() if coefficient % by}
    return rest if set(rest) <= {()} else _atom(Binary("%", from_polynomial(rest), Int(by)))


def _other(op: str, left: Polynomial, right: Polynomial) -> Polynomial:
    difference = _value(_add(left, _scale(right, -1)))
    if difference is not None and op in COMPARISONS:
        return polynomial(Int(apply(op, difference, 0)))
    if difference is not None and op in ("min", "max"):
        return left if (difference <= 0) == (op == "min") else right
    if op in ("and", "or"):
        return _connective(op, (_value(left), _value(right)), (left, right))
    operands: Iterable[Expr] = (from_polynomial(left), from_polynomial(right))
    if op in ("min", "max", "&", "|", "==", "!="):
        operands = sorted(operands, key=print_expr)
    return _atom(Binary(op, *operands))  # type: ignore[arg-type]


def _connective(op: str, values: tuple[int | None, int | None], operands: tuple[Polynomial, Polynomial]) -> Polynomial:
    decides = op == "or"
    if any(value is not None and (value != 0) == decides for value in values):
        return polynomial(Int(int(decides)))
    unknown = [from_polynomial(terms) for value, terms in zip(values, operands, strict=True) if value is None]
    if len(unknown) == 1 and _is_boolean(unknown[0]):
        return polynomial(unknown[0])
    left, right = (from_polynomial(terms) for terms in operands)
    return _atom(left) if left == right and _is_boolean(left) else _atom(Binary(op, left, right))  # type: ignore[arg-type]


def _is_boolean(expr: Expr) -> bool:
    return isinstance(expr, (Binary, Unary)) and expr.op in COMPARISONS | {"and", "or", "not"}


def _negation(operand: Expr) -> Polynomial:
    opposite = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
    match operand:
        case Int(value):
            return polynomial(Int(int(value == 0)))
        case Binary(op, left, right) if op in opposite:
            return _atom(Binary(opposite[op], left, right))  # type: ignore[arg-type]
        case Unary("not", inner) if _is_boolean(inner):
            return polynomial(inner)
        case _:
            return _atom(Unary("not", operand))


def _choice(condition: Expr, then: Expr, otherwise: Expr) -> Polynomial:
    match condition:
        case Int(value):
            return polynomial(then if value else otherwise)
    return polynomial(then) if then == otherwise else _atom(Choice(condition, then, otherwise))
