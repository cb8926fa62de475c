"""The interpreter agrees with the definition of the terms."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lift.ir import build, functions
from lift.ir.evaluate import EVALUATE, evaluate
from lift.ir.operations import PURE
from lift.ir.smt import TRANSLATE
from lift.unroll import terms
from lift.unroll.function import Argument
from tests.lift.ir import samples
from tests.lift.ir.random_terms import DEPTH, SYMBOLS
from tests.lift.ir.random_terms import terms as random_terms

ARGUMENTS = (*samples.scalars(*((name, width) for width, name in SYMBOLS.items())), Argument("m", 8, DEPTH, "memory"))


def test_every_pure_operation_has_both_definitions() -> None:
    assert set(EVALUATE) == set(TRANSLATE) == PURE


@settings(max_examples=150, deadline=None)
@given(random_terms(), st.integers(0, 1 << 32))
def test_a_built_term_evaluates_to_the_value_of_the_term(term: terms.Term, seed: int) -> None:
    draw = random.Random(seed)
    values = {name: draw.choice((0, 1, (1 << width) - 1, 1 << (width - 1), draw.getrandbits(width))) for width, name in SYMBOLS.items()}
    memory = [draw.getrandbits(8) for _ in range(DEPTH)]
    expected = terms.evaluate(term, lambda s: values[str(s.attr)], lambda _, address: memory[address])
    (function,) = functions(build(samples.of(term, *ARGUMENTS)))
    assert evaluate(function, [*(values[name] for name in SYMBOLS.values()), memory]) == (expected,)


def test_loops_store_row_by_row_under_mask_and_condition() -> None:
    (function,) = functions(build(samples.copy_rows()))
    draw = random.Random(1)
    dram, before = [draw.getrandbits(16) for _ in range(1 << 10)], [draw.getrandbits(16) for _ in range(64)]
    after = list(before)
    evaluate(function, [5, 2, 3, 100, 0xFF0F, 1, 30, dram, before, after])
    expected = list(before)
    for i in range(5):
        for j in range(2):
            row = 3 + i + 16 * j
            expected[row] = (dram[100 + i + 30 * j] + before[row] & 0xFF0F) | (expected[row] & 0x00F0)
    assert after == expected


def test_a_store_whose_condition_fails_changes_nothing() -> None:
    (function,) = functions(build(samples.copy_rows()))
    after = [7] * 64
    evaluate(function, [5, 2, 3, 100, 0xFFFF, 0, 30, [0] * 1024, [7] * 64, after])
    assert after == [7] * 64


def test_loads_read_the_state_before_the_instruction() -> None:
    """m[1] = m[0]; m[2] = m[1] shifts, it does not copy twice."""
    stores = tuple(samples.Store("m", terms.const(k + 1, 4), terms.load("m", 8, terms.const(k, 4)), None, None) for k in range(2))
    (function,) = functions(build(samples.function("m", (Argument("m", 8, 16, "memory"),), stores)))
    before = [5, 6, 7, *[0] * 13]
    after = list(before)
    evaluate(function, [before, after])
    assert after[:3] == [5, 5, 6]


def test_a_dot_grid_multiplies_matrices() -> None:
    (function,) = functions(build(samples.dot_grid(2)))
    pack = lambda a, b: a % 256 | (b % 256) << 8  # noqa: E731
    spad = {0: pack(1, -2), 1: pack(3, 4), 9: pack(5, 6), 8: pack(7, -8)}
    after: dict[int, int] = {}
    evaluate(function, [0, 8, 0, spad, after])
    signed = [[(word >> 32 * k & 0xFFFFFFFF) ^ 0x80000000 for k in range(2)] for word in (after[0], after[1])]
    assert [[v - 0x80000000 for v in row] for row in signed] == [[1 * 5 - 2 * 7, 1 * 6 + 2 * 8], [3 * 5 + 4 * 7, 3 * 6 - 4 * 8]]
