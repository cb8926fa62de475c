"""Terms read as integer polynomials, and polynomials as expressions of the specification.

Addresses of hardware wrap; the specification's must lie within their buffer.  An address of a buffer of at most 2**n words is therefore read modulo
2**n: where it lies within the buffer both are one number.  Whatever is no address is read exactly: an operation that can wrap is a leaf, which no
expression can say.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from act.taidl import Binary, Expr, Int
from act.taidl import simplify as simplify_expr
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.polynomials import Monomial, Polynomial, constant, operation, plus, times
from lift.unroll.terms import Term

__all__ = [
    "Monomial", "Polynomial", "Reading", "candidate", "coefficient", "has_storage", "index", "indices_of", "is_index", "plus", "times",
    "to_expr", "to_term", "without",
]  # fmt: skip

INDEX = "index:"


def index(name: str) -> Term:
    """An index symbol of this package; no signal of a design has such a name."""
    return terms.sym(f"{INDEX}{name}", INDEX_WIDTH)


def is_index(term: Term) -> bool:
    """A loop index, a coordinate, the index of a dot product, or an axis."""
    return term.op == "sym" and str(term.attr).startswith(INDEX)


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads terms; `most` are the greatest values of index symbols."""

    most: Mapping[Term, int] = field(default_factory=dict)

    def exact(self, term: Term) -> Polynomial:
        """A polynomial that equals `term`; what might wrap is a leaf."""
        match term.op:
            case "const":
                return constant(int(term.attr or 0))
            case "zext":
                return self.exact(term.args[0])
            case "extract" if term.attr in (0, None):
                inner = self.exact(term.args[0])
                return inner if self._fits(inner, term.width) else {(term,): 1}
            case "concat" if len(term.args) == 2:
                high, low = term.args
                return plus(times(self.exact(high), constant(1 << low.width)), self.exact(low), 1)
        whole = operation(term, lambda a: self.modular(a, term.width))
        readings = () if whole is None else (_least(whole, term.width), whole)
        return next((p for p in readings if self._fits(p, term.width)), {(term,): 1})

    def modular(self, term: Term, bits: int) -> Polynomial:
        """A polynomial that equals `term` modulo 2**bits."""
        if term.width < bits:
            return self.exact(term)
        match term.op:
            case "zext" if term.args[0].width >= bits:
                return self.modular(term.args[0], bits)
            case "extract" if term.attr in (0, None) and (term.args[0].op not in ("sym", "load") or is_index(term.args[0])):
                return self.modular(term.args[0], bits)
            case "concat" if len(term.args) == 2:
                high, low = term.args
                return plus(self._scaled(high, low.width, bits), self.exact(low), 1)
            case "shl" if term.args[1].is_const:
                return _least(self._scaled(term.args[0], int(term.args[1].attr or 0), bits), bits)
        found = operation(term, lambda a: self.modular(a, bits))
        return self.exact(term) if found is None else _least(found, bits)

    def _scaled(self, term: Term, by: int, bits: int) -> Polynomial:
        """A polynomial that equals `term` * 2**by modulo 2**bits, where the highest bits of `term` do not count."""
        return times(self.modular(term, bits - by), constant(1 << by)) if by < bits else {}

    def limited(self, term: Term, limit: int) -> Polynomial:
        """A polynomial that equals `term` where that is at most `limit`."""
        found = self.modular(term, term.width)
        least, most = self.range(found)
        half = 1 << term.width - 1
        return found if -half < least and most < half and limit < half else self.exact(term)

    def _fits(self, p: Polynomial, width: int) -> bool:
        least, most = self.range(p)
        return least >= 0 and most < 1 << width

    def range(self, p: Polynomial) -> tuple[int, int]:
        """Bounds of a polynomial's value, by the ranges of its leaves."""
        least = most = p.get((), 0)
        for monomial, factor in p.items():
            size = factor if monomial else 0
            for leaf in monomial:
                size *= self.greatest(leaf)
            least, most = least + min(size, 0), most + max(size, 0)
        return least, most

    def greatest(self, leaf: Term) -> int:
        match leaf.op:
            case "udiv" if leaf.args[1].is_const and leaf.args[1].attr:
                return self.greatest(leaf.args[0]) // int(leaf.args[1].attr)
            case "urem" if leaf.args[1].is_const and leaf.args[1].attr:
                return int(leaf.args[1].attr) - 1
            case "const":
                return int(leaf.attr or 0)
        return self.most.get(leaf, (1 << leaf.width) - 1)


def has_storage(term: Term, storage: Container[str]) -> bool:
    """Whether a term depends on an element of `storage` or on an index."""
    return any((t.op == "load" and str(t.attr) in storage) or is_index(t) for t in terms.walk(term))


def _least(p: Polynomial, bits: int) -> Polynomial:
    """The same modulo 2**bits, with coefficients of least magnitude: a large constant that is added is a subtraction."""
    half = 1 << (bits - 1) if bits else 0
    return {m: g for m, f in p.items() if (g := (f + half) % (1 << bits) - half)}


def candidate(term: Term) -> Polynomial:
    """The polynomial that `term` would be if nothing wrapped; for use where equality is proved afterwards."""
    match term.op:
        case "const":
            return constant(int(term.attr or 0))
        case "zext":
            return candidate(term.args[0])
        case "extract" if term.attr in (0, None) and (term.args[0].op in ("zext", "add", "mul", "shl", "sub", "extract") or is_index(term.args[0])):
            return candidate(term.args[0])
        case "concat" if len(term.args) == 2:
            high, low = term.args
            return plus(times(candidate(high), constant(1 << low.width)), candidate(low), 1)
    found = operation(term, candidate)
    return {(term,): 1} if found is None else _least(found, term.width)


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
