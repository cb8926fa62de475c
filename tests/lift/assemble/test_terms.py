"""Part-selects, integer readings, anti-unification and fused ReLU: what is found equals the terms for all values, what can wrap is refused."""

from __future__ import annotations

import pytest

from lift.assemble.bits import bits
from lift.assemble.errors import NoTemplate
from lift.assemble.integers import Polynomial, Reading, index, to_term
from lift.assemble.relu import fused_relu
from lift.assemble.rewriting import plain, substitute
from lift.assemble.unify import Unifier, coordinate
from lift.unroll import terms
from lift.unroll.terms import Term

A, B = terms.sym("a", 8), terms.sym("b", 8)
LOOP = index("loop0")


def c(value: int, width: int = 8) -> Term:
    return terms.const(value, width)


def wide(term: Term, width: int = 32) -> Term:
    return terms.apply("zext", width, (term,))


def add(*args: Term) -> Term:
    return terms.apply("add", args[0].width, args)


def mul(*args: Term) -> Term:
    return terms.apply("mul", args[0].width, args)


def value(term: Term, a: int, b: int) -> int:
    return terms.evaluate(plain(term), lambda s: {"a": a, "b": b}[str(s.attr)], lambda *_: 0)


@pytest.mark.parametrize("low", range(0, 24, 5))
def test_a_part_select_of_packed_values_is_that_part(low: int) -> None:
    packed = terms.concat(A, terms.apply("sext", 16, (B,)), A)
    shifted = terms.apply("or", 32, (packed, terms.apply("shl", 32, (wide(B), c(7, 32)))))
    for term in (packed, shifted, terms.apply("lshr", 32, (shifted, c(3, 32))), terms.mux(terms.extract(A, 0, 1), packed, shifted)):
        for a, b in ((0, 255), (255, 0), (0x5A, 0xA5), (0x81, 0x7E)):
            assert value(bits(term, low, 8), a, b) == value(term, a, b) >> low & 0xFF
    assert bits(packed, 0, 8) is A
    assert bits(terms.apply("lshr", 32, (packed, c(24, 32))), 0, 8) is A


def test_sums_that_fit_are_read_exactly() -> None:
    total = add(wide(A), mul(wide(B), c(4, 32)))
    assert Reading().exact(total) == {(A,): 1, (B,): 4}


def test_a_sum_that_can_wrap_is_a_leaf() -> None:
    total = wide(add(A, B))
    assert Reading().exact(total) == {(add(A, B),): 1}


def test_a_difference_that_can_be_negative_is_a_leaf() -> None:
    assert Reading().exact(terms.apply("sub", 8, (A, B))) == {(terms.apply("sub", 8, (A, B)),): 1}


def test_descending_indices_are_read_exactly_where_their_range_is_known() -> None:
    lane = add(mul(LOOP, c(-8, 32)), c(24, 32))
    assert Reading({LOOP: 3}).exact(lane) == {(LOOP,): -8, (): 24}
    assert Reading({LOOP: 4}).exact(lane) == {(lane,): 1}


def test_an_address_is_read_modulo_the_size_of_its_buffer() -> None:
    ten = terms.extract(add(terms.apply("zext", 14, (A,)), terms.sym("stride", 14)), 0, 10)
    assert Reading().modular(ten, 10) == {(A,): 1, (terms.sym("stride", 14),): 1}


def test_an_address_that_wraps_below_the_size_of_its_buffer_is_a_leaf() -> None:
    assert Reading().modular(terms.apply("zext", 10, (add(A, B),)), 10) == {(add(A, B),): 1}


def test_a_borrow_in_an_address_is_a_difference_modulo_its_size() -> None:
    below = terms.apply("sub", 8, (A, B))
    assert Reading().modular(below, 8) == {(A,): 1, (B,): -1}
    assert Reading().modular(terms.apply("zext", 10, (below,)), 10) == {(below,): 1}


def test_high_bits_that_are_shifted_out_of_an_address_do_not_count() -> None:
    low = terms.extract(LOOP, 0, 7)
    doubled = terms.apply("shl", 8, (terms.apply("zext", 8, (low,)), c(1, 8)))
    joined = terms.make("concat", 8, (low, terms.sym("bit", 1)))
    assert Reading({LOOP: 255}).modular(doubled, 8) == {(LOOP,): 2}
    assert Reading({LOOP: 255}).modular(joined, 8) == {(LOOP,): 2, (terms.sym("bit", 1),): 1}
    assert Reading({LOOP: 255}).exact(doubled) != {(LOOP,): 2}
    narrow = terms.extract(LOOP, 0, 6)
    assert Reading({LOOP: 255}).modular(terms.make("concat", 8, (narrow, c(0, 2))), 8) == {(LOOP,): 4}
    assert Reading({LOOP: 255}).modular(terms.make("concat", 8, (c(0, 1), narrow, c(0, 1))), 8) != {(LOOP,): 2}


def test_polynomials_are_their_terms_again() -> None:
    p: Polynomial = {(A, B): 3, (): 5}
    assert value(to_term(p), 200, 77) == 3 * 200 * 77 + 5


def at(template: Term, *point: int) -> Term:
    return substitute(template, {coordinate(d): terms.const(p, 32) for d, p in enumerate(point)})


GRID = [(i, j) for i in range(2) for j in range(3)]


def test_affine_constants_become_coordinates() -> None:
    column = tuple(add(A, c(7 + 5 * i - 2 * j)) for i, j in GRID)
    template = Unifier(GRID).unify(column)
    assert [at(template, *p) for p in GRID] == list(column)


def test_part_selects_at_affine_positions_become_lanes() -> None:
    word = terms.sym("word", 48)
    column = tuple(terms.extract(word, 8 * (3 * i + j), 8) for i, j in GRID)
    template = Unifier(GRID).unify(column)
    assert template.op == "lane"
    assert [at(template, *p) for p in GRID] == list(column)


def test_a_term_that_vanished_at_the_first_point_is_found_again() -> None:
    stride = terms.sym("stride", 8)
    column = (A, add(A, stride), add(A, terms.apply("mul", 8, (stride, c(2)))))
    template = Unifier([(0,), (1,), (2,)]).unify(column)
    known = {"a": 200, "stride": 77, str(coordinate(0).attr): 2}
    assert terms.evaluate(template, lambda s: known[str(s.attr)], lambda *_: 0) == (200 + 2 * 77) % 256


@pytest.mark.parametrize(
    "column",
    [
        (c(0), c(1), c(4)),
        (A, B, A),
        (terms.extract(terms.sym("word", 48), 0, 8), terms.extract(terms.sym("word", 48), 3, 8), terms.extract(terms.sym("word", 48), 6, 8)),
        (A, terms.sym("w", 9), A),
    ],
    ids=["no affine constants", "other operands", "no lanes", "other widths"],
)
def test_what_has_no_common_form_is_refused(column: tuple[Term, ...]) -> None:
    with pytest.raises(NoTemplate):
        Unifier([(0,), (1,), (2,)]).unify(column)


X = terms.sym("x", 32)
NEGATIVE = terms.apply("slt", 1, (X, terms.const(0, 32)))


def clamp(x: Term, low: int, high: int) -> Term:
    return terms.make("clamp", 8, (x,), f"{low}:{high}:1")


def test_a_relu_before_a_saturation_raises_its_lower_bound() -> None:
    assert fused_relu(clamp(terms.mux(NEGATIVE, terms.const(0, 32), X), -128, 127)) is clamp(X, 0, 127)


def test_a_relu_after_a_saturation_raises_its_lower_bound() -> None:
    assert fused_relu(terms.mux(NEGATIVE, c(0), clamp(X, -128, 127))) is clamp(X, 0, 127)


def test_a_relu_alone_is_a_saturation_at_the_greatest_number() -> None:
    found = fused_relu(terms.mux(NEGATIVE, terms.const(0, 32), X))
    assert found is not None and found.attr == "0:2147483647:1"


def test_zero_under_another_condition_is_no_relu() -> None:
    other = terms.apply("slt", 1, (X, terms.const(5, 32)))
    assert fused_relu(terms.mux(other, terms.const(0, 32), X)) is None
    assert fused_relu(terms.mux(other, c(0), clamp(X, -128, 127))) is None
