"""An address as a bit-vector -> a polynomial over the variables in it, modulo a power of two; equal polynomials are equal addresses.

A solver does not find that (i * n + j) * s is i * n * s + j * s in 40 bits, which is arithmetic.  Where a narrower value is extended, its operators are taken
for those of the integers if they do not wrap: their operands' ranges say so, or else Z3 proves it under the assumptions.  What is no sum or product is a
variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import z3

from proofs.solve import NotProved, is_possible

Monomial = tuple[str, ...]
Polynomial = dict[Monomial, int]


@dataclass(frozen=True, slots=True)
class Exact:
    """The integer that a bit-vector stands for, as a polynomial, and its range."""

    value: Polynomial
    low: int
    high: int


@dataclass(slots=True)
class Polynomials:
    """Polynomials that are right under `assuming`."""

    assuming: list[z3.BoolRef]
    known: dict[tuple[int, bool], Exact] = field(default_factory=dict)
    terms: list[z3.ExprRef] = field(default_factory=list)  # keeps what `known` has the numbers of

    def same(self, a: z3.BitVecRef, b: z3.BitVecRef) -> bool:
        """Whether both are one polynomial; if not, nothing is known.  Where both have the same number of leading zeros, modulo what is left."""
        short = _without_zeros(a), _without_zeros(b)
        left, right = short if short[0].size() == short[1].size() else (a, b)
        return left.size() == right.size() and self.modulo(left, left.size()) == self.modulo(right, right.size())

    def modulo(self, term: z3.BitVecRef, width: int) -> Polynomial:
        """Modulo 2**width, which is no wider than the term."""
        inner, kind = _extended(term), term.decl().kind()
        if kind in _OPERATORS:
            found = _folded(term, [self.modulo(a, width) for a in term.children()])
        elif kind == z3.Z3_OP_EXTRACT and term.params()[1] == 0:
            simple = z3.simplify(term)
            found = self.modulo(term.arg(0) if simple.decl().kind() == kind else simple, width)
        elif inner is not None:
            found = self.modulo(inner[0], width) if inner[0].size() >= width else self.exact(*inner).value
        else:
            found = self.exact(term, False).value
        return {m: k % 2**width for m, k in found.items() if k % 2**width}

    def exact(self, term: z3.BitVecRef, signed: bool) -> Exact:
        """The integer, read with or without sign."""
        key = term.get_id(), signed
        if key not in self.known:
            self.terms.append(term)
            self.known[key] = self._exact(term, signed)
        return self.known[key]

    def _exact(self, term: z3.BitVecRef, signed: bool) -> Exact:
        inner = _extended(term)
        if z3.is_bv_value(term):
            value = term.as_signed_long() if signed else term.as_long()
            return Exact({(): value} if value else {}, value, value)
        if inner is not None:
            return self._fitting(self.exact(*inner), term, signed, lambda: term >= 0)
        if term.decl().kind() in _OPERATORS:
            sides = [self.exact(a, signed) for a in term.children()]
            return self._fitting(_arithmetic(term, sides), term, signed, lambda: _wide(term, signed))
        simple = z3.simplify(term)
        return self.exact(simple, signed) if not simple.eq(term) else _variable(term, signed)

    def _fitting(self, found: Exact, term: z3.BitVecRef, signed: bool, fits: Callable[[], z3.BoolRef]) -> Exact:
        """The integer, if the bits of the term hold it; else the term is a variable."""
        low, high = _range(term.size(), signed)
        if low <= found.low and found.high <= high:
            return found
        if _always(fits(), self.assuming):
            return Exact(found.value, max(found.low, low), min(found.high, high))
        return _variable(term, signed)


def _extended(term: z3.BitVecRef) -> tuple[z3.BitVecRef, bool] | None:
    """What a term extends, and whether by its sign."""
    match term.decl().kind():
        case z3.Z3_OP_ZERO_EXT | z3.Z3_OP_SIGN_EXT if term.size() > term.arg(0).size():
            return term.arg(0), term.decl().kind() == z3.Z3_OP_SIGN_EXT
        case z3.Z3_OP_CONCAT if term.num_args() == 2 and z3.is_bv_value(term.arg(0)) and term.arg(0).as_long() == 0:
            return term.arg(1), False
    return None


def _without_zeros(term: z3.BitVecRef) -> z3.BitVecRef:
    """What it extends with zeros, if it does."""
    while (inner := _extended(term)) is not None and not inner[1]:
        term = inner[0]
    return term


def _range(width: int, signed: bool) -> tuple[int, int]:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def _variable(term: z3.BitVecRef, signed: bool) -> Exact:
    name = f"{term.sexpr()} as {'s' if signed else 'u'}{term.size()}"
    return Exact({(name,): 1}, *_range(term.size(), signed))


def _wide(term: z3.BitVecRef, signed: bool) -> z3.BoolRef:
    """Whether the operator gives the same in twice the bits."""
    wide = z3.SignExt if signed else z3.ZeroExt
    more = [wide(a.size() + 2, a) for a in term.children()]
    total = more[0]
    for other in more[1:]:
        total = _OPERATORS[term.decl().kind()](total, other)
    return total == wide(term.size() + 2, term)


_OPERATORS: dict[int, Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]] = {
    z3.Z3_OP_BADD: lambda a, b: a + b, z3.Z3_OP_BSUB: lambda a, b: a - b, z3.Z3_OP_BMUL: lambda a, b: a * b,
}  # fmt: skip


def _always(claim: z3.BoolRef, assuming: Iterable[z3.BoolRef]) -> bool:
    try:
        return not is_possible([*assuming, z3.Not(claim)])
    except NotProved:
        return False


def _arithmetic(term: z3.BitVecRef, sides: list[Exact]) -> Exact:
    value, kind = _folded(term, [s.value for s in sides]), term.decl().kind()
    low, high = sides[0].low, sides[0].high
    for side in sides[1:]:
        match kind:
            case z3.Z3_OP_BADD:
                low, high = low + side.low, high + side.high
            case z3.Z3_OP_BSUB:
                low, high = low - side.high, high - side.low
            case _:
                corners = [a * b for a in (low, high) for b in (side.low, side.high)]
                low, high = min(corners), max(corners)
    return Exact(value, low, high)


def _folded(term: z3.BitVecRef, sides: list[Polynomial]) -> Polynomial:
    total = sides[0]
    for side in sides[1:]:
        match term.decl().kind():
            case z3.Z3_OP_BADD:
                total = _sum(total, side, 1)
            case z3.Z3_OP_BSUB:
                total = _sum(total, side, -1)
            case _:
                total = _product(total, side)
    return total


def _sum(a: Polynomial, b: Polynomial, factor: int) -> Polynomial:
    found = {m: a.get(m, 0) + factor * b.get(m, 0) for m in (*a, *b)}
    return {m: k for m, k in found.items() if k}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for m, k in a.items():
        for n, other in b.items():
            both = tuple(sorted((*m, *n)))
            found[both] = found.get(both, 0) + k * other
    return {m: k for m, k in found.items() if k}


__all__ = ["Polynomials"]
