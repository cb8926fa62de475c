"""What an execution forks on: predicates that are not decided yet."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.choices import choice, undecided
from lift.unroll.loops import INDEX_WIDTH, trip_count
from lift.unroll.terms import FALSE, TRUE, Term

BIT = terms.sym("choices.bit", 1)
X, Y = terms.sym("choices.x", 8), terms.sym("choices.y", 8)
ONE, TWO, THREE = (terms.const(n, 8) for n in (1, 2, 3))


def about(value: Term) -> Term:
    return terms.equal(value, terms.const(7, 8))


def test_what_a_fact_turns_a_predicate_into_may_be_decided_as_well() -> None:
    value = terms.mux(BIT, ONE, terms.mux(about(terms.mux(BIT, X, Y)), TWO, THREE))
    facts = {BIT: FALSE, about(Y): FALSE}
    assert undecided(value, facts, choice) is None


def test_what_the_facts_leave_open_is_forked_on() -> None:
    value = terms.mux(BIT, ONE, terms.mux(about(terms.mux(BIT, X, Y)), TWO, THREE))
    assert undecided(value, {BIT: FALSE}, choice) is about(Y)
    assert undecided(value, {}, choice) is BIT
    assert undecided(value, {BIT: TRUE}, choice) is None


def test_a_bound_of_zero_less_one_is_the_greatest_value_of_the_counter() -> None:
    index = terms.sym("i987654", INDEX_WIDTH)
    moved = terms.apply("add", 8, (terms.extract(index, 0, 8), TWO))
    bound = terms.apply("sub", 8, (X, ONE))
    trips = trip_count(terms.equal(moved, bound), index, 256, [terms.equal(X, terms.const(0, 8))])
    assert trips is not None
    assert terms.substitute(trips.count, {X: terms.const(0, 8)}) is terms.const(254, INDEX_WIDTH)
