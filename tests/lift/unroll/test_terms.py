"""The constructors simplify without changing a value; equal terms are one object."""

from __future__ import annotations

import random
from typing import Any

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from lift.netlist import fold as netlist_fold
from lift.unroll import terms
from lift.unroll.solver import Translator
from lift.unroll.terms import Term, const, fold, sym

BINARY = ["add", "sub", "mul", "and", "or", "xor", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr"]
COMPARE = ["eq", "ult", "ule", "slt", "sle"]
LEAVES = {f"{n}{w}": w for w in (1, 3, 8) for n in "xy"}


@st.composite
def raw(draw: st.DrawFn, width: int, depth: int = 4) -> tuple[str, int, tuple[object, ...], int | None]:
    """An expression as a plain tree: operator, width, operands, attribute."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        if draw(st.booleans()):
            return ("const", width, (), draw(st.sampled_from([0, 1, (1 << width) - 1]) | st.integers(0, (1 << width) - 1)) & ((1 << width) - 1))
        names = [n for n, w in LEAVES.items() if w >= width]
        name = draw(st.sampled_from(names))
        leaf = ("sym", LEAVES[name], (name,), None)
        low = draw(st.integers(0, LEAVES[name] - width))
        return leaf if LEAVES[name] == width else ("extract", width, (leaf,), low)
    kinds = ["binary", "not", "neg", "mux", "extract"] + (["compare", "reduce"] if width == 1 else ["concat", "zext", "sext"])
    match draw(st.sampled_from(kinds)):
        case "binary":
            return (draw(st.sampled_from(BINARY)), width, (draw(raw(width, depth - 1)), draw(raw(width, depth - 1))), None)
        case "not":
            return ("not", width, (draw(raw(width, depth - 1)),), None)
        case "neg":
            return ("neg", width, (draw(raw(width, depth - 1)),), None)
        case "mux":
            return ("mux", width, (draw(raw(1, depth - 1)), draw(raw(width, depth - 1)), draw(raw(width, depth - 1))), None)
        case "extract":
            wide = draw(st.integers(width, 8))
            return ("extract", width, (draw(raw(wide, depth - 1)),), draw(st.integers(0, wide - width)))
        case "compare":
            w = draw(st.sampled_from([1, 3, 8]))
            return (draw(st.sampled_from(COMPARE)), 1, (draw(raw(w, depth - 1)), draw(raw(w, depth - 1))), None)
        case "reduce":
            return (draw(st.sampled_from(["redor", "redand", "redxor"])), 1, (draw(raw(draw(st.sampled_from([1, 3, 8])), depth - 1)),), None)
        case "concat":
            high = draw(st.integers(1, width - 1))
            return ("concat", width, (draw(raw(high, depth - 1)), draw(raw(width - high, depth - 1))), None)
        case op:
            return (op, width, (draw(raw(draw(st.integers(1, width - 1)), depth - 1)),), None)


def build(tree: tuple[str, int, tuple[object, ...], int | None]) -> Term:
    op, width, args, attr = tree
    if op == "const":
        return const(attr or 0, width)
    return sym(str(args[0]), width) if op == "sym" else terms.apply(op, width, tuple(build(a) for a in args), attr)  # type: ignore[arg-type]


def direct(tree: tuple[str, int, tuple[object, ...], int | None], values: dict[str, int]) -> int:
    """The value of the tree, operator by operator, without any term."""
    op, width, args, attr = tree
    if op == "const":
        return attr or 0
    if op == "sym":
        return values[str(args[0])]
    return fold(op, width, tuple(direct(a, values) for a in args), tuple(a[1] for a in args), attr)  # type: ignore[arg-type, index]


@given(st.sampled_from([1, 3, 8]).flatmap(raw), st.integers(0, 2**32))
def test_simplification_keeps_the_value(tree: tuple[str, int, tuple[object, ...], int | None], seed: int) -> None:
    rng = random.Random(seed)
    term = build(tree)
    assert term.width == tree[1]
    for _ in range(4):
        values = {n: rng.choice([0, (1 << w) - 1, rng.getrandbits(w)]) for n, w in LEAVES.items()}
        assert terms.evaluate(term, lambda t, v=values: v[str(t.attr)], lambda *_: 0) == direct(tree, values)  # type: ignore[misc]


@given(st.sampled_from([1, 3, 8]).flatmap(raw))
def test_equal_expressions_are_one_object(tree: tuple[str, int, tuple[object, ...], int | None]) -> None:
    assert build(tree) is build(tree)


@given(st.sampled_from([1, 3, 8]).flatmap(raw), st.integers(0, 2**32))
def test_substitution_is_evaluation_with_the_value(tree: tuple[str, int, tuple[object, ...], int | None], seed: int) -> None:
    rng = random.Random(seed)
    values = {n: rng.getrandbits(w) for n, w in LEAVES.items()}
    result = terms.substitute(build(tree), {sym(n, w): const(values[n], w) for n, w in LEAVES.items()})
    assert result is const(direct(tree, values), tree[1])


@pytest.mark.parametrize("op", [*BINARY, *COMPARE])
@given(st.integers(1, 9), st.integers(0, 511), st.integers(0, 511))
def test_constants_fold_as_the_netlist_does(op: str, width: int, a: int, b: int) -> None:
    a, b = a & ((1 << width) - 1), b & ((1 << width) - 1)
    out = 1 if op in COMPARE else width
    expected = netlist_fold.evaluate(op, out, width, [a, b])
    if expected is not None:  # undefined otherwise: any value will do
        assert fold(op, out, (a, b), (width, width)) == expected


@pytest.mark.parametrize("op", [*BINARY, *COMPARE])
@given(st.integers(1, 9), st.integers(0, 511), st.integers(0, 511))
def test_constants_fold_as_the_solver_does(op: str, width: int, a: int, b: int) -> None:
    a, b = a & ((1 << width) - 1), b & ((1 << width) - 1)
    out = 1 if op in COMPARE else width
    x, y = sym("fold.a", width), sym("fold.b", width)
    translate = Translator()
    term = translate.value(terms.make(op, out, (x, y)))
    value: Any = z3.simplify(z3.substitute(term, (translate.value(x), z3.BitVecVal(a, width)), (translate.value(y), z3.BitVecVal(b, width))))
    assert value.as_long() == fold(op, out, (a, b), (width, width))


def test_copies_of_the_highest_bit_before_a_value_extend_it() -> None:
    choice = terms.mux(sym("c", 1), const(7, 4), sym("x4", 4))
    top = terms.extract(choice, 3, 1)
    assert top.op != "extract"  # it is a condition of its own
    assert terms.concat(top, top, choice) is terms.apply("sext", 6, (choice,))


def test_an_extension_is_within_the_range_of_what_it_extends() -> None:
    x = terms.apply("sext", 8, (sym("x4", 4),))
    assert terms.apply("slt", 1, (const(7, 8), x)) is terms.FALSE
    assert terms.apply("slt", 1, (x, const(-8, 8))) is terms.FALSE
    assert not terms.apply("slt", 1, (const(6, 8), x)).is_const
    assert not terms.apply("slt", 1, (x, const(-7, 8))).is_const
