"""The Z3 translation agrees with the interpreter."""

from __future__ import annotations

import random

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from lift.ir import build, functions
from lift.ir.evaluate import evaluate
from lift.ir.smt import NotTranslatable, fresh, translate
from lift.unroll.terms import Term, const, sym
from tests.lift.ir import samples
from tests.lift.ir.random_terms import DEPTH, SYMBOLS, terms
from tests.lift.ir.test_evaluate import ARGUMENTS


def array(words: list[int], width: int) -> z3.ArrayRef:
    result = z3.K(z3.BitVecSort(64), z3.BitVecVal(0, width))
    for address, word in enumerate(words):
        result = z3.Store(result, z3.BitVecVal(address, 64), z3.BitVecVal(word, width))
    return result


@settings(max_examples=100, deadline=None)
@given(terms(), st.integers(0, 1 << 32))
def test_translation_and_interpreter_agree_on_random_values(term: Term, seed: int) -> None:
    draw = random.Random(seed)
    values = [draw.choice((0, 1, (1 << width) - 1, 1 << (width - 1), draw.getrandbits(width))) for width in SYMBOLS]
    memory = [draw.getrandbits(8) for _ in range(DEPTH)]
    (function,) = functions(build(samples.of(term, *ARGUMENTS)))
    constants = [z3.BitVecVal(v, width) for v, width in zip(values, SYMBOLS, strict=True)]
    (result,), _ = translate(function, [*constants, array(memory, 8)])
    assert z3.simplify(result).as_long() == evaluate(function, [*values, memory])[0]


def test_stores_and_conditions_give_the_array_at_return() -> None:
    address, condition = sym("a", 4), sym("c", 1)
    store = samples.Store("m", address, const(9, 8), const(0x0F, 8), condition)
    arguments = (*samples.scalars(("a", 4), ("c", 1)), samples.Argument("m", 8, 16, "memory"))
    (function,) = functions(build(samples.function("m", arguments, (store,))))
    start = array([0xF0] * 16, 8)
    for condition_value, expected in ((1, 0xF9), (0, 0xF0)):
        _, after = translate(function, [z3.BitVecVal(3, 4), z3.BitVecVal(condition_value, 1), start])
        assert z3.simplify(z3.Select(after[2], z3.BitVecVal(3, 64))).as_long() == expected


def test_a_symbolic_trip_count_is_refused() -> None:
    (function,) = functions(build(samples.copy_rows()))
    arguments = [fresh(a, f"x{k}") for k, a in enumerate(function.body.block.args)]
    with pytest.raises(NotTranslatable, match="symbolic trip count"):
        translate(function, arguments)


def test_a_small_constant_loop_is_unrolled() -> None:
    index = sym("i", 3)
    loop = samples.Loop(index, const(4, 3), (samples.Store("m", samples.zext(index, 4), samples.zext(index, 8), None, None),))
    (function,) = functions(build(samples.function("m", (samples.Argument("m", 8, 16, "memory"),), (loop,))))
    _, (after,) = translate(function, [array([77] * 16, 8)])
    assert [z3.simplify(z3.Select(after, z3.BitVecVal(k, 64))).as_long() for k in range(5)] == [0, 1, 2, 3, 77]
