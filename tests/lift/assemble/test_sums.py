"""Addresses that are put together from bits, as sums."""

from __future__ import annotations

from lift.assemble.integers import Reading
from lift.assemble.sums import summed
from lift.unroll import terms

ROW, K = terms.sym("row", 4), terms.sym("k", 2)
HIGH = terms.apply("shl", 6, (terms.apply("zext", 6, (ROW,)), terms.const(2, 6)))


def union(a: terms.Term, b: terms.Term) -> terms.Term:
    return terms.make("or", 6, (a, b), None)


def test_bits_that_do_not_meet_are_a_sum() -> None:
    address = summed(union(HIGH, terms.apply("zext", 6, (K,))))
    assert address.op == "add"
    assert Reading().exact(address) == {(ROW,): 4, (K,): 1}


def test_bits_that_may_meet_stay_as_they_are() -> None:
    address = union(HIGH, terms.apply("zext", 6, (ROW,)))
    assert summed(address) is address
