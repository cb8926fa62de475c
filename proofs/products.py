"""Sums of products on both sides of a claim -> one variable: the cut that keeps multiplications and long sums away from the solver.

A product of two bytes is a variable of 16 bits, the same on both sides once its factors are proved equal; what is known of it is its range.  A sum of 20
bits that cannot leave their range is a sum of 32 bits: by induction over its terms, each step a lemma.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import z3

from lift.ir.subterms import subterms
from proofs.forms import is_extended
from proofs.meaning import Incomparable, variable
from proofs.solve import NotProved, prove, prove_equal

BYTE, PRODUCT, SUM, WORD = 8, 16, 20, 32
LARGEST = 1 << 14  # of the magnitude of a product of two bytes


def sign_extended(value: z3.BitVecRef, width: int) -> z3.BitVecRef:
    return z3.SignExt(width - value.size(), value)


@dataclass(slots=True)
class Products:
    """Takes products of sign-extended bytes for variables; `factors` are the bytes, in the order in which they were multiplied."""

    factors: list[tuple[z3.BitVecRef, z3.BitVecRef]] = field(default_factory=list)
    name: str = "product"

    def __call__(self, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        """The product in the width of its operands."""
        if not (is_extended(a) and is_extended(b) and a.arg(0).size() == b.arg(0).size() == BYTE):
            return a * b
        exact_product(a.size())
        self.factors.append((a.arg(0), b.arg(0)))
        number = term(len(self.factors) - 1, self.name)
        return number if a.size() == PRODUCT else sign_extended(number, a.size())


def term(number: int, name: str = "product") -> z3.BitVecRef:
    return variable(f"{name} {number}", PRODUCT)


@cache
def exact_product(width: int) -> None:
    """Lemma: 16 bits hold the product of two bytes, whatever width it is computed in."""
    a, b = variable("a", BYTE), variable("b", BYTE)
    narrow = sign_extended(a, PRODUCT) * sign_extended(b, PRODUCT)
    if width != PRODUCT:
        prove_equal(f"a product of bytes in {width} bits", sign_extended(a, width) * sign_extended(b, width), sign_extended(narrow, width))
    prove("the range of a product of bytes", _within(narrow, LARGEST))


def _within(value: z3.BitVecRef, bound: int) -> z3.BoolRef:
    return z3.And(value <= bound, value >= -bound)


@cache
def longer_sum(bound: int) -> None:
    """Lemma, one step of the induction over the terms of a sum: within a bound that leaves room for one more product, the sums of 20 and of 32 bits stay
    equal, and within the next bound."""
    narrow, product = variable("sum", SUM), variable("product", PRODUCT)
    wide = sign_extended(narrow, WORD)
    after = wide + sign_extended(product, WORD)
    same = after == sign_extended(narrow + sign_extended(product, SUM), WORD)
    prove(f"a sum within {bound} and one product more", z3.And(same, _within(after, bound + LARGEST)), [_within(wide, bound), _within(product, LARGEST)])


def sums_agree(terms: int) -> None:
    """A byte and `terms` products have the same sum in 20 and in 32 bits; NotProved where it can wrap."""
    for number in range(terms):
        longer_sum((1 << (BYTE - 1)) + number * LARGEST)


def chain(start: z3.BitVecRef, terms: int, width: int) -> z3.BitVecRef:
    total = sign_extended(start, width)
    for number in range(terms):
        total = total + sign_extended(term(number), width)
    return total


def cut_sum(
    what: str, lifted: z3.BitVecRef, loops: Sequence[z3.BitVecRef], stated: z3.BitVecRef, terms: int, under: list[z3.BoolRef]
) -> tuple[z3.BitVecRef, z3.BitVecRef]:
    """Both sides with one variable for the sum: of 20 bits where it was lifted, sign-extended where it is stated in more."""
    (narrow,) = loops
    wide = sum_of(what, stated)
    if wide.size() == narrow.size():
        prove_equal(f"{what}: the sum", wide, narrow, under)
        cut = variable("sum of products", SUM)
        return z3.substitute(lifted, (narrow, cut)), z3.substitute(stated, (wide, cut))
    start = next((t for t in summands(narrow) if not _has_products(t)), None)
    if start is None or not is_extended(start) or start.arg(0).size() != BYTE:
        raise Incomparable(f"{what}: a sum that does not begin with a byte")
    byte = variable("start of the sum", BYTE)
    prove_equal(f"{what}: the sum that was lifted", chain(byte, terms, SUM), z3.substitute(narrow, (start, sign_extended(byte, SUM))))
    sums_agree(terms)
    rest, begins = [], False
    for each in (t for t in summands(wide) if not _has_products(t)):
        if not begins and _equal(each, sign_extended(start.arg(0), WORD), under):
            begins = True
        else:
            rest.append(each)
    if not begins:
        raise NotProved(f"{what}: the sum begins with something else than the one that was lifted")
    products = [t for t in summands(wide) if _has_products(t)]
    left = total([sign_extended(byte, WORD), *products])
    prove_equal(f"{what}: the sum that is stated", chain(byte, terms, WORD), left)
    cut = variable("sum of products", SUM)
    return z3.substitute(lifted, (narrow, cut)), z3.substitute(stated, (wide, total([sign_extended(cut, WORD), *rest])))


def total(values: Sequence[z3.BitVecRef]) -> z3.BitVecRef:
    first, *more = values
    for each in more:
        first = first + each
    return first


def summands(value: z3.BitVecRef) -> Iterator[z3.BitVecRef]:
    if z3.is_app_of(value, z3.Z3_OP_BADD):
        for each in value.children():
            yield from summands(each)  # type: ignore[arg-type]
    elif not (z3.is_bv_value(value) and value.as_long() == 0):
        yield value


def _has_products(value: z3.ExprRef) -> bool:
    return any(is_product(t) for t in subterms([value]))


def is_product(value: z3.ExprRef) -> bool:
    """A product, extended (or put after copies of its sign, as Z3 simplifies that) or where it counts."""
    if is_extended(value) or z3.is_app_of(value, z3.Z3_OP_CONCAT):
        return is_product(value.children()[-1])
    if z3.is_app_of(value, z3.Z3_OP_ITE):
        return is_product(value.arg(1))
    return z3.is_const(value) and value.decl().name().startswith("product ")


def sum_of(what: str, stated: z3.BitVecRef) -> z3.BitVecRef:
    """The largest sum that has products among its terms."""
    found: list[z3.BitVecRef] = []
    _search(stated, found)
    if len(found) != 1:
        raise Incomparable(f"{what}: {len(found)} sums of products in one element")
    return found[0]


def _search(value: z3.ExprRef, found: list[z3.BitVecRef]) -> None:
    if z3.is_app_of(value, z3.Z3_OP_BADD) and any(is_product(t) for t in summands(value)):  # type: ignore[arg-type]
        if not any(value.eq(f) for f in found):
            found.append(value)  # type: ignore[arg-type]
        return
    for child in value.children():
        _search(child, found)


def _equal(a: z3.BitVecRef, b: z3.BitVecRef, under: list[z3.BoolRef]) -> bool:
    try:
        prove_equal("", a, b, under)
    except NotProved:
        return False
    return True


__all__ = ["Products", "cut_sum", "is_product", "sum_of", "summands", "sums_agree", "term", "total"]
