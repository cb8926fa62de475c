"""Terms read as integer polynomials, without wrap-around, and polynomials as expressions of the specification.

Addresses and bounds of hardware wrap; the specification's do not.  They agree where every access lies within its buffer, which the
specification demands (`no carry` is listed as an assumption); comparisons are only replaced when Z3 proves them equal.
"""

from __future__ import annotations

from collections.abc import Callable

from act.taidl import Binary, Expr, Int
from act.taidl import simplify as simplify_expr
from lift.unroll import terms
from lift.unroll.terms import Term

Monomial = tuple[Term, ...]  # sorted by serial
Polynomial = dict[Monomial, int]


def polynomial(term: Term) -> Polynomial:
    """`term` as sums of products of leaves; extensions and low part-selects of sums are exact."""
    match term.op:
        case "const":
            return _constant(int(term.attr or 0))
        case "zext":
            return polynomial(term.args[0])
        case "extract" if term.attr in (0, None) and term.args[0].op in ("zext", "add", "mul", "shl", "sub", "extract") or _is_index(term):
            return polynomial(term.args[0])
        case "add":
            return plus(polynomial(term.args[0]), _addend(term.args[1]), 1)
        case "sub":
            return plus(polynomial(term.args[0]), polynomial(term.args[1]), -1)
        case "mul":
            return times(polynomial(term.args[0]), polynomial(term.args[1]))
        case "shl" if term.args[1].is_const:
            return times(polynomial(term.args[0]), _constant(1 << int(term.args[1].attr or 0)))
        case "concat" if term.args[-1].is_const and len(term.args) == 2:
            low = term.args[-1]
            return plus(times(polynomial(term.args[0]), _constant(1 << low.width)), _constant(int(low.attr or 0)), 1)
    return {(term,): 1}


def _is_index(term: Term) -> bool:
    return term.op == "extract" and term.attr in (0, None) and is_index(term.args[0])


def is_index(term: Term) -> bool:
    """A loop index, a coordinate, or the index of a dot product."""
    return term.op == "sym" and str(term.attr).startswith(("loop", "coordinate", "k32", "index:"))


def _constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def _addend(term: Term) -> Polynomial:
    """A large constant that is added is a subtraction."""
    if term.is_const and int(term.attr or 0) >> (term.width - 1):
        return _constant(int(term.attr or 0) - (1 << term.width))
    return polynomial(term)


def plus(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    result = dict(a)
    for monomial, factor in b.items():
        result[monomial] = result.get(monomial, 0) + sign * factor
    return {m: f for m, f in result.items() if f}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for m, f in a.items():
        for n, g in b.items():
            key = tuple(sorted((*m, *n), key=lambda t: t.serial))
            result[key] = result.get(key, 0) + f * g
    return {m: f for m, f in result.items() if f}


def indices_of(p: Polynomial) -> set[Term]:
    return {t for m in p for t in m if is_index(t)}


def coefficient(p: Polynomial, index: Term) -> Polynomial:
    """The factor of `index` where it occurs linearly."""
    return {tuple(t for t in m if t is not index): f for m, f in p.items() if m.count(index) == 1}


def without(p: Polynomial, indices: set[Term]) -> Polynomial:
    return {m: f for m, f in p.items() if not indices & set(m)}


def to_term(p: Polynomial, width: int = 64) -> Term:
    """The polynomial as a term, modulo 2**width."""
    total = terms.const(0, width)
    for monomial, factor in p.items():
        product = terms.const(factor, width)
        for leaf in monomial:
            wide = terms.apply("zext", width, (leaf,)) if leaf.width < width else terms.extract(leaf, 0, width)
            product = terms.apply("mul", width, (wide, product))
        total = terms.apply("add", width, (total, product))
    return total


def to_expr(p: Polynomial, leaf: Callable[[Term], Expr]) -> Expr:
    """The polynomial as an expression of the specification, with its leaves named by `leaf`."""
    total: Expr = Int(0)
    for monomial, factor in p.items():
        product: Expr = Int(factor)
        for each in monomial:
            product = Binary("*", product, leaf(each))
        total = Binary("+", total, product)
    return simplify_expr(total)
