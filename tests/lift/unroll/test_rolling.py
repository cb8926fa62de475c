"""Iterations beside a loop become iterations of it, and only those that are."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.rolling import rolled
from lift.unroll.terms import Term

BASE, COUNT, INDEX = terms.sym("base", 32), terms.sym("count", INDEX_WIDTH), terms.sym("i0", INDEX_WIDTH)


def plus(a: Term, b: int) -> Term:
    return terms.apply("add", a.width, (a, terms.const(b, a.width)))


def store(index: Term, data: int = 0) -> Store:
    """a[base + index] = b[index] + data."""
    return Store("a", terms.apply("add", 32, (BASE, index)), plus(terms.load("b", 32, index), data), None, None)


def loop(first: int, count: Term = COUNT) -> Loop:
    """for i in 0 .. count - 1: a[base + i + first] = ..."""
    return Loop(INDEX, count, (store(plus(INDEX, first)),))


def at(number: int) -> Store:
    return store(terms.const(number, 32))


def test_an_iteration_before_a_loop_is_its_first() -> None:
    assert rolled([at(0), loop(1)]) == (loop(0, plus(COUNT, 1)),)


def test_several_iterations_before_a_loop_are_its_first_ones() -> None:
    assert rolled([at(0), at(1), loop(2)]) == (loop(0, plus(COUNT, 2)),)


def test_an_iteration_after_a_loop_is_its_last() -> None:
    assert rolled([loop(0), store(COUNT)]) == (loop(0, plus(COUNT, 1)),)


def test_iterations_on_both_sides() -> None:
    assert rolled([at(0), loop(1), store(plus(COUNT, 1))]) == (loop(0, plus(COUNT, 2)),)


def test_another_place_or_another_value_is_no_iteration() -> None:
    for first in (at(5), store(terms.const(0, 32), 7)):
        before: list[Statement] = [first, loop(1)]
        assert rolled(before) == tuple(before)
    after: list[Statement] = [loop(0), store(plus(COUNT, 1))]
    assert rolled(after) == tuple(after)


def test_iterations_with_loops_inside_are_told_whatever_their_indices_are_called() -> None:
    inner, other = terms.sym("i1", INDEX_WIDTH), terms.sym("i2", INDEX_WIDTH)

    def row(number: Term, index: Term) -> Loop:
        return Loop(index, COUNT, (store(terms.apply("add", 32, (number, index))),))

    whole = Loop(INDEX, COUNT, (row(plus(INDEX, 1), inner),))
    found = rolled([row(terms.const(0, 32), other), whole])
    assert found == (Loop(INDEX, plus(COUNT, 1), (row(INDEX, inner),)),)
    assert len(rolled([row(terms.const(3, 32), other), whole])) == 2
