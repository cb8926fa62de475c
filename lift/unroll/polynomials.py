"""Sums and products of terms as polynomials over what is neither."""

from __future__ import annotations

from collections.abc import Callable

from lift.unroll.terms import Term

Monomial = tuple[Term, ...]  # sorted by serial
Polynomial = dict[Monomial, int]


def constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def plus(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
    """a + factor * b."""
    result = dict(a)
    for monomial, size in b.items():
        result[monomial] = result.get(monomial, 0) + factor * size
    return {m: s for m, s in result.items() if s}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for m, s in a.items():
        for n, t in b.items():
            product = tuple(sorted((*m, *n), key=lambda leaf: leaf.serial))
            result[product] = result.get(product, 0) + s * t
    return {m: s for m, s in result.items() if s}


def operation(term: Term, read: Callable[[Term], Polynomial]) -> Polynomial | None:
    """The sum or product of what `read` makes of the operands, equal modulo 2**width; None for other operators."""
    match term.op:
        case "add":
            return plus(read(term.args[0]), read(term.args[1]))
        case "sub":
            return plus(read(term.args[0]), read(term.args[1]), -1)
        case "mul":
            return times(read(term.args[0]), read(term.args[1]))
        case "shl" if term.args[1].is_const:
            return times(read(term.args[0]), constant(1 << int(term.args[1].attr or 0)))
    return None


def wrapped(term: Term, bits: int) -> Polynomial:
    """A polynomial that equals the low `bits` of `term`, at least as wide, modulo 2**bits; coefficients are 0 to 2**bits - 1."""
    if term.op == "const":
        return reduced(constant(int(term.attr or 0)), bits)
    if term.op == "extract" and term.attr in (0, None):
        return wrapped(term.args[0], bits)
    if term.op in ("zext", "sext") and term.args[0].width >= bits:
        return wrapped(term.args[0], bits)
    found = operation(term, lambda a: wrapped(a, bits))
    return {(term,): 1} if found is None else reduced(found, bits)


def reduced(p: Polynomial, bits: int) -> Polynomial:
    """The same modulo 2**bits, coefficients 0 to 2**bits - 1."""
    return {m: s for m, size in p.items() if (s := size % (1 << bits))}
