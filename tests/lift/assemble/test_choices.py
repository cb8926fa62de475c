"""Integer expressions for choices, comparisons and sums that wrap are what the terms are, for all values tried."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from act.taidl import Expr, Int, Name
from act.taidl.expr import evaluate
from lift.assemble.choices import condition, expression
from lift.assemble.integers import index
from lift.unroll import terms
from lift.unroll.terms import Term

A, B, C = (terms.sym(name, 6) for name in "abc")
BIT = terms.apply("ult", 1, (A, B))


def number(term: Term) -> Expr:
    if term.is_const:
        return Int(int(term.attr or 0))
    if term.op == "sym":
        return Name(str(term.attr))
    found = expression(term, number)
    assert found is not None
    return found


def binary(op: str, width: int = 6) -> Term:
    return terms.make(op, width, (A, B))


TERMS: dict[str, Callable[[], Term]] = {
    **{op: (lambda op=op: binary(op)) for op in ("add", "sub", "mul", "and", "or")},
    **{op: (lambda op=op: binary(op, 1)) for op in ("eq", "ult", "ule", "slt", "sle")},
    "not": lambda: terms.make("not", 6, (A,)),
    "mux": lambda: terms.make("mux", 6, (BIT, binary("sub"), C)),
    "nested": lambda: terms.make("mux", 6, (terms.make("and", 1, (BIT, terms.make("redor", 1, (C,)))), binary("mul"), binary("and"))),
    "sext": lambda: terms.make("sext", 9, (A,)),
    "concat": lambda: terms.make("concat", 18, (A, B, C)),
    "clamp": lambda: terms.make("clamp", 4, (A,), "1:9:0"),
    "signed clamp": lambda: terms.make("clamp", 4, (A,), "-5:6:1"),
    "redand": lambda: terms.make("redand", 1, (A,)),
    "bits that differ": lambda: terms.make("xor", 1, (BIT, terms.apply("ult", 1, (B, C)))),
}


@pytest.mark.parametrize("what", TERMS)
def test_an_expression_is_what_the_term_is(what: str) -> None:
    term, rng = TERMS[what](), random.Random(what)
    said = number(term)
    for _ in range(300):
        values = {name: rng.choice([0, 1, 31, 32, 63, rng.randrange(64)]) for name in "abc"}
        assert evaluate(said, values) == value_of(term, values), values


def value_of(term: Term, values: dict[str, int]) -> int:
    if term.op == "clamp":
        low, high, is_signed = str(term.attr).split(":")
        x = value_of(term.args[0], values)
        x = terms.signed(x, term.args[0].width) if is_signed == "1" else x
        return min(max(x, int(low)), int(high)) % (1 << term.width)
    found = terms.substitute(term, {v: terms.const(values[str(v.attr)], 6) for v in (A, B, C)})
    return int(found.attr or 0)


def test_a_condition_on_a_bit_that_is_no_comparison_compares_it_with_one() -> None:
    bit = terms.sym("a", 1)
    assert [evaluate(condition(bit, number), {"a": n}) for n in (0, 1)] == [0, 1]


def test_what_depends_on_an_index_is_not_said() -> None:
    assert expression(terms.make("add", 32, (index("row"), index("row"))), number) is None
