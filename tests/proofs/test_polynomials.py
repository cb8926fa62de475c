"""Addresses as polynomials: what is called equal is equal for all values, and an operator that may wrap is not taken for one of the integers."""

from __future__ import annotations

import pytest
import z3

from proofs.meaning import variable
from proofs.polynomials import Polynomials
from proofs.solve import prove_equal

a, b, n = variable("a", 8), variable("b", 8), variable("n", 8)


def wide(value: z3.BitVecRef, bits: int = 24) -> z3.BitVecRef:
    return z3.ZeroExt(bits - value.size(), value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((wide(a) + wide(b)) * wide(n), wide(a) * wide(n) + wide(n) * wide(b)),
        (wide(wide(a, 9) + wide(b, 9)), wide(a) + wide(b)),
        (z3.Extract(7, 0, wide(a) - wide(b)), a - b),
        (z3.SignExt(14, wide(a, 10) - wide(b, 10)), wide(a) - wide(b)),
        (z3.Concat(z3.BitVecVal(0, 16), a), wide(a)),
    ],
    ids=["distributed", "a-sum-that-does-not-wrap", "low-bits", "a-difference-with-sign", "zeros-in-front"],
)
def test_equal_addresses_are_one_polynomial(left: z3.BitVecRef, right: z3.BitVecRef) -> None:
    assert Polynomials([]).same(left, right)
    prove_equal("they are", left, right)


WRAPPING = pytest.mark.parametrize(
    ("left", "right", "under"),
    [
        (wide(a + b), wide(a) + wide(b), [z3.ULT(a, 100), z3.ULT(b, 100)]),
        (wide(a - b), wide(a) - wide(b), [z3.ULE(b, a)]),
        (wide(a * b), wide(a) * wide(b), [z3.ULT(a, 10), z3.ULT(b, 10)]),
        (wide(wide(a, 9) * wide(b, 9)), wide(a) * wide(b), [z3.ULT(a, 3)]),
    ],
    ids=["sum", "difference", "product", "product-of-wider-ones"],
)


@WRAPPING
def test_what_may_wrap_is_not_what_the_integers_give(left: z3.BitVecRef, right: z3.BitVecRef, under: list[z3.BoolRef]) -> None:
    assert not Polynomials([]).same(left, right)


@WRAPPING
def test_under_assumptions_that_exclude_wrapping_it_is(left: z3.BitVecRef, right: z3.BitVecRef, under: list[z3.BoolRef]) -> None:
    assert Polynomials(under).same(left, right)
    prove_equal("they are", left, right, under)


def test_other_addresses_are_other_polynomials() -> None:
    assert not Polynomials([]).same(wide(a) * wide(n), wide(b) * wide(n))
    assert not Polynomials([]).same(wide(a) + 1, wide(a))
