"""Trip counts are right or not given; questions to the solver are cut to what bears on them."""

from __future__ import annotations

import pytest

from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH, trip_count
from lift.unroll.relevance import bits, canonical, connected
from lift.unroll.solver import Verdict, implied, satisfiable
from lift.unroll.terms import FALSE, TRUE, Term, apply, const, equal, extract, negate, sym

INDEX = sym("i0", INDEX_WIDTH)
N = sym("n", 8)


def wide(term: Term) -> Term:
    return apply("zext", 16, (term,))


def counter(step: int = 1, start: int = 0) -> Term:
    moved = apply("mul", 16, (extract(INDEX, 0, 16), const(step, 16)))
    return apply("add", 16, (moved, const(start, 16)))


ENDS = {
    "last is n - 1": equal(counter(), apply("sub", 16, (wide(N), const(1, 16)))),
    "last is n": equal(counter(), wide(N)),
    "not below n": negate(apply("ult", 1, (counter(), wide(N)))),
    "next not below n": negate(apply("ult", 1, (counter(start=1), wide(N)))),
    "steps of 4 reach n": negate(apply("ult", 1, (counter(4, 4), wide(N)))),
    "n is at most": apply("ule", 1, (wide(N), counter(4, 4))),
    "not below n as signed": negate(apply("slt", 1, (counter(), wide(N)))),
    "n is at most as signed": apply("sle", 1, (wide(N), counter(1, 1))),
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 9, 255])
def test_the_count_is_that_of_executing_the_loop(name: str, n: int) -> None:
    ends = ENDS[name]
    found = trip_count(ends, INDEX, 1 << 16, [])
    assert found is not None

    def value(term: Term, index: int) -> int:
        return terms.evaluate(term, lambda t: index if t is INDEX else n, lambda *_: 0)

    if value(found.domain, 0):
        executed = next(i for i in range(70000) if value(ends, i)) + 1
        assert value(found.count, 0) == executed


@pytest.mark.parametrize("name", ENDS)
def test_the_domain_is_not_empty(name: str) -> None:
    found = trip_count(ENDS[name], INDEX, 1 << 16, [])
    assert found is not None and satisfiable([found.domain])


@pytest.mark.parametrize(
    "ends",
    [
        equal(apply("mul", 16, (counter(), counter())), wide(N)),
        equal(counter(2), wide(N)),
        equal(apply("xor", 16, (counter(), wide(sym("m", 8)))), wide(N)),
    ],
)
def test_what_is_not_linear_has_no_count(ends: Term) -> None:
    assert trip_count(ends, INDEX, 1 << 16, []) is None


def test_a_counter_too_narrow_for_the_bound_limits_the_domain() -> None:
    """A 2-bit counter never reaches n - 1 for n above 4."""
    narrow = apply("zext", 16, (extract(INDEX, 0, 2),))
    found = trip_count(equal(narrow, apply("sub", 16, (wide(N), const(1, 16)))), INDEX, 4, [])
    assert found is not None
    assert not satisfiable([found.domain, equal(N, const(5, 8))])
    assert satisfiable([found.domain, equal(N, const(4, 8))])


WORD = sym("word", 16)
LOW, HIGH = extract(WORD, 0, 8), extract(WORD, 8, 8)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17])
def test_a_bound_that_wraps_in_fewer_bits_than_the_counter_has(n: int) -> None:
    """A length of 16 in four bits is 0, and one less is 15: the counter has five."""
    left = apply("zext", 5, (apply("add", 4, (extract(N, 0, 4), const(15, 4))),))
    ends = equal(apply("add", 5, (apply("mul", 5, (extract(INDEX, 0, 5), const(31, 5))), left)), const(0, 5))
    found = trip_count(ends, INDEX, 32, [])
    assert found is not None
    values = {N: const(n, 8)}
    assert terms.substitute(found.domain, values) is TRUE
    assert terms.substitute(found.count, values).attr == (n - 1) % 16 + 1


def test_disjoint_slices_of_a_word_have_nothing_to_do_with_each_other() -> None:
    about_high = equal(HIGH, const(3, 8))
    assert connected([about_high, equal(LOW, N)], equal(LOW, const(1, 8))) == [equal(LOW, N)]


def test_conditions_are_connected_through_others() -> None:
    chain = [equal(LOW, N), equal(N, sym("m", 8)), equal(sym("m", 8), const(1, 8))]
    assert set(connected(chain, equal(LOW, const(1, 8)))) == set(chain)


def test_what_cannot_be_is_always_connected() -> None:
    assert FALSE in connected([FALSE, TRUE], equal(LOW, const(1, 8)))


def test_the_bits_of_a_slice_are_those_of_the_slice() -> None:
    assert list(bits(HIGH).values()) == [0xFF00]


def test_the_name_of_an_index_does_not_matter() -> None:
    a, b = (canonical([equal(sym(name, INDEX_WIDTH), const(3, INDEX_WIDTH))]) for name in ("i7", "i9"))
    assert a == b


def test_two_indices_stay_two() -> None:
    i, j = sym("i11", INDEX_WIDTH), sym("i12", INDEX_WIDTH)
    (condition,) = canonical([equal(i, j)])
    assert condition is not TRUE


@pytest.mark.parametrize(("conclusion", "verdict"), [(equal(LOW, const(2, 8)), Verdict.PROVED), (equal(HIGH, const(2, 8)), Verdict.REFUTED)])
def test_implications(conclusion: Term, verdict: Verdict) -> None:
    assert implied([equal(N, const(2, 8)), equal(LOW, N)], conclusion) is verdict


def test_a_solver_that_gives_up_proves_nothing() -> None:
    """(x y) mod 641 is the product of the remainders, mod 641: true, but not proved with so few resources."""
    x, y = (apply("zext", 32, (sym(name, 16),)) for name in ("x16", "y16"))

    def remainder(value: Term) -> Term:
        return apply("urem", 32, (value, const(641, 32)))

    def product(a: Term, b: Term) -> Term:
        return apply("mul", 32, (a, b))

    same = equal(remainder(product(x, y)), remainder(product(remainder(x), remainder(y))))
    assert implied([], same, rlimit=5_000) is Verdict.UNKNOWN
    assert satisfiable([negate(same)], rlimit=5_000)
