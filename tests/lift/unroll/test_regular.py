"""Rows of stores as a loop: the loop, written out again, is the stores."""

from __future__ import annotations

import pytest

from lift.unroll import regular, terms
from lift.unroll.function import Loop, Store
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.paths import substitute_statement
from lift.unroll.terms import Term

ROWS, LANES = 6, 3
BASE, STRIDE, COUNT = terms.sym("base", 14), terms.sym("stride", 14), terms.sym("count", 16)


@pytest.fixture(autouse=True)
def everything_is_worth_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular, "WORTHWHILE", 1)


def scaled(row: int) -> Term:
    return terms.apply("add", 14, (BASE, terms.apply("mul", 14, (STRIDE, terms.const(row, 14)))))


def word(address: Term) -> Term:
    return terms.load("m", 64, address)


def bounded(row: int) -> Term:
    return terms.apply("ult", 1, (terms.const(row, 16), COUNT))


def written_out(loop: Loop) -> list[object]:
    return [substitute_statement(s, {loop.index: terms.const(n, INDEX_WIDTH)}, {}) for n in range(int(loop.count.attr or 0)) for s in loop.body]


def rolled(stores: list[Store]) -> Loop:
    (loop,) = regular.regular(stores)
    assert isinstance(loop, Loop)
    assert written_out(loop) == stores
    return loop


def test_rows_a_stride_apart_are_a_loop() -> None:
    loop = rolled([Store("a", scaled(r), word(scaled(r)), None, bounded(r)) for r in range(ROWS)])
    assert len(loop.body) == 1


def test_rows_may_fall() -> None:
    rolled([Store("a", scaled(r), word(scaled(r)), None, bounded(r)) for r in reversed(range(ROWS))])


def test_an_iteration_has_as_many_stores_as_a_row() -> None:
    def element(r: int, c: int) -> Store:
        return Store("a", terms.const(8 * r + c * c, 8), terms.extract(word(scaled(r)), 8 * c, 8), None, None)

    loop = rolled([element(r, c) for r in range(ROWS) for c in range(LANES)])
    assert len(loop.body) == LANES


def test_parts_of_a_word_move_with_the_row() -> None:
    loop = rolled([Store("a", scaled(r), terms.extract(word(BASE), 8 * r, 8), None, None) for r in range(ROWS)])
    data = loop.body[0].data  # type: ignore[union-attr]
    assert data.op == "extract" and data.args[0].op == "lshr"


def test_a_sum_that_is_put_together_of_parts_begins_with_a_row_that_is_not() -> None:
    def address(r: int) -> Term:
        moved = terms.apply("add", 14, (BASE, terms.const(r, 14)))
        low = terms.apply("add", 12, (terms.extract(BASE, 0, 12), terms.const(r, 12)))
        return terms.concat(terms.extract(moved, 12, 2), low)

    assert address(0) is BASE
    rolled([Store("a", address(r), terms.const(0, 8), None, None) for r in range(ROWS)])


def test_stores_of_other_shapes_stay() -> None:
    stores = [Store("a", scaled(r), terms.const(r * r, 8), None, None) for r in range(ROWS)]
    assert regular.regular(stores) == tuple(stores)


def test_stores_of_which_only_some_have_a_condition_stay() -> None:
    stores = [Store("a", scaled(r), word(BASE), None, bounded(r) if r else None) for r in range(ROWS)]
    assert regular.regular(stores) == tuple(stores)


def test_a_loop_that_does_not_give_the_stores_back_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was thought of them."""
    stores = [Store("a", scaled(r), word(scaled(r)), None, bounded(r)) for r in range(ROWS)]
    affine = regular._Together._affine

    def wrong(self: regular._Together, values: list[int], width: int, bits: int = INDEX_WIDTH) -> Term:
        return affine(self, [v + (len(values) - 1) * n for n, v in enumerate(values)], width, bits)

    rolled(stores)
    monkeypatch.setattr(regular._Together, "_affine", wrong)
    assert regular.regular(stores) == tuple(stores)


def test_the_index_is_not_one_that_is_in_use() -> None:
    used = terms.sym("i0", INDEX_WIDTH)
    loop = rolled([Store("a", scaled(r), terms.extract(used, 0, 8), None, None) for r in range(ROWS)])
    assert loop.index is not used


def test_few_terms_are_not_worth_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular, "WORTHWHILE", 1000)
    stores = [Store("a", scaled(r), word(BASE), None, None) for r in range(ROWS)]
    assert regular.regular(stores) == tuple(stores)
