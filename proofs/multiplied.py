"""Two values with products of variables in them -> the same values with a variable for each product, one for both where the factors are proved equal.

What is then equal for any values of these variables is equal for the products; multiplications stay away from the solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import z3

from lift.ir.subterms import subterms
from proofs.meaning import variable
from proofs.solve import NotProved, prove_equal

SMALL = 8  # bits of a product that the solver may have
RLIMIT = 2_000_000  # of the question whether two addresses are the same


@dataclass(slots=True)
class Multiplied:
    """`known` are products that have a variable: their factors and the variable; all of it under the conditions `under`."""

    under: Sequence[z3.BoolRef]
    known: list[tuple[z3.BitVecRef, z3.BitVecRef, z3.BitVecRef]] = field(default_factory=list)

    def without(self, value: z3.BitVecRef) -> z3.BitVecRef:
        """`value` with variables for products; of three or more factors that are no constants none is replaced."""
        pairs = []
        for t in (t for t in subterms([value]) if _is_product(t) and t.size() > SMALL):
            factors = [z3.simplify(f) for f in _factors(t)]
            constants, rest = [f for f in factors if z3.is_bv_value(f)], [f for f in factors if not z3.is_bv_value(f)]
            if len(rest) == 2:
                found = self._variable(*rest)
                for c in constants:
                    found = c * found
                pairs.append((t, found))
        return z3.substitute(value, *pairs) if pairs else value

    def _variable(self, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        for first, second, found in self.known:
            if first.size() == a.size() and any(self._same(a, x) and self._same(b, y) for x, y in ((first, second), (second, first))):
                return found
        made = variable(f"product {len(self.known)} of {a.size()} bits", a.size())
        self.known.append((a, b, made))
        return made

    def _same(self, a: z3.BitVecRef, b: z3.BitVecRef) -> bool:
        if a.eq(b):
            return True
        try:
            prove_equal("factors", a, b, self.under)
        except NotProved:
            return False
        return True


def _is_product(term: z3.ExprRef) -> bool:
    return z3.is_app_of(term, z3.Z3_OP_BMUL)


def _factors(product: z3.BitVecRef) -> list[z3.BitVecRef]:
    """Those of a product of products."""
    return [f for a in product.children() for f in (_factors(a) if _is_product(a) else [a])]


def prove_same_sum(what: str, left: z3.BitVecRef, right: z3.BitVecRef, under: Sequence[z3.BoolRef]) -> None:
    """`prove_equal` of values that are sums of products; with the products themselves where the sums are of other ones."""
    products = Multiplied(under)
    try:
        prove_equal(what, products.without(left), products.without(right), under)
    except NotProved:
        prove_equal(what, left, right, under)


def prove_same_choice(what: str, left: z3.BitVecRef, right: z3.BitVecRef, under: Sequence[z3.BoolRef]) -> None:
    """`prove_equal` of values with loads: the cases of `left` one after the other, equal loads first."""
    if z3.is_app_of(left, z3.Z3_OP_ITE):
        condition, then, otherwise = left.children()
        prove_same_choice(what, then, right, [*under, condition])
        prove_same_choice(what, otherwise, right, [*under, z3.Not(condition)])
        return
    ours, pairs = [t for t in subterms([left]) if z3.is_select(t)], []
    for load in (t for t in subterms([right]) if z3.is_select(t)):
        for other in ours:
            if load.arg(0).eq(other.arg(0)) and not load.eq(other) and _same_address(load.arg(1), other.arg(1), under):
                pairs.append((load, other))
                break
    prove_equal(what, left, z3.substitute(right, *pairs) if pairs else right, under)


def _same_address(a: z3.BitVecRef, b: z3.BitVecRef, under: Sequence[z3.BoolRef]) -> bool:
    products = Multiplied(under)
    try:
        prove_equal("address", products.without(a), products.without(b), under, RLIMIT)
    except NotProved:
        return False
    return True


__all__ = ["Multiplied", "prove_same_choice", "prove_same_sum"]
