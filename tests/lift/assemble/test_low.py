"""Results that are the low bits of another result are found, and only those."""

from dataclasses import replace

import pytest

from lift.assemble.family import Coordinate, Template
from lift.assemble.low import low_parts
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import TRUE, Term

LANE = Coordinate(terms.sym("lane", INDEX_WIDTH), 16)
A, B = terms.load("wide", 32, terms.sym("address", 11)), terms.sym("other", 32)


def template(memory: str, value: Term) -> Template:
    return Template(memory, (), (LANE,), TRUE, terms.sym("address", 11), (LANE.symbol,), value)


def low(x: Term) -> Term:
    return terms.extract(x, 0, 8)


def dot(width: int, initial: Term, index: str) -> Term:
    k = terms.sym(index, INDEX_WIDTH)
    a, b = (terms.load(name, 8, k) for name in ("left", "right"))
    extended = [terms.apply("sext", width, (x,)) if x.width < width else x for x in (a, b)]
    return terms.make("dot", width, (initial, *extended, terms.const(16, INDEX_WIDTH)), index)


LESSER = terms.mux(terms.apply("slt", 1, (A, B)), A, B)
PAIRS = {
    "sum": (terms.apply("add", 32, (A, B)), terms.apply("add", 8, (low(A), low(B)))),
    "minimum": (LESSER, terms.mux(terms.apply("slt", 1, (A, B)), low(A), low(B))),
    "dot at two widths": (dot(32, A, "k"), dot(8, low(A), "m")),
}


@pytest.mark.parametrize(("wide", "narrow"), PAIRS.values(), ids=PAIRS)
def test_low_bits_computed_on_their_own_are_found(wide: Term, narrow: Term) -> None:
    assert low_parts({"narrow": template("narrow", narrow), "wide": template("wide", wide)}) == {"narrow": "wide"}


@pytest.mark.parametrize(
    "narrow",
    [terms.extract(LESSER, 8, 8), terms.mux(terms.apply("slt", 1, (B, A)), low(A), low(B)), terms.mux(terms.apply("slt", 1, (low(A), low(B))), low(A), low(B))],
    ids=["other bits", "the greater", "compared as bytes"],
)
def test_other_values_are_not(narrow: Term) -> None:
    assert low_parts({"narrow": template("narrow", narrow), "wide": template("wide", LESSER)}) == {}


def test_a_dot_product_of_other_operands_is_not() -> None:
    k = terms.sym("k", INDEX_WIDTH)
    swapped = terms.make("dot", 8, (low(A), terms.load("left", 8, k), terms.load("left", 8, k), terms.const(16, INDEX_WIDTH)), "k")
    assert low_parts({"narrow": template("narrow", swapped), "wide": template("wide", dot(32, A, "k"))}) == {}


def test_low_bits_at_other_places_are_not() -> None:
    elsewhere = replace(template("narrow", low(LESSER)), address=terms.sym("elsewhere", 11))
    assert low_parts({"narrow": elsewhere, "wide": template("wide", LESSER)}) == {}
