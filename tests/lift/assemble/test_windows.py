"""The greatest of elements around a moving position is a window, where the elements fill a grid."""

from types import SimpleNamespace

import pytest

from lift.assemble.errors import NoTemplate
from lift.assemble.integers import Reading, index
from lift.assemble.windows import Window, _check, _window
from lift.unroll import terms
from lift.unroll.terms import Term

ROW, COLUMN = index("row"), index("column")
STRIDE = terms.sym("stride", 2)


def position(symbol: Term, by: int = 0) -> Term:
    """stride * symbol + by, on 10 bits."""
    moved = terms.apply("mul", 10, (terms.extract(symbol, 0, 10), terms.apply("zext", 10, (STRIDE,))))
    return terms.apply("add", 10, (moved, terms.const(by, 10)))


def element(row: int, column: int) -> Term:
    address = terms.apply("add", 10, (terms.apply("mul", 10, (position(ROW, row), terms.sym("width", 10))), position(COLUMN, column)))
    return terms.load("image", 8, address)


def greatest(elements: list[Term], operation: str = "slt") -> Term:
    result, *rest = elements
    for each in rest:
        result = terms.mux(terms.apply(operation, 1, (each, result)), result, each)
    return result


INDICES = {symbol: {(symbol,): 1} for symbol in (ROW, COLUMN)}


def window(term: Term) -> Window | None:
    operands = SimpleNamespace(indices=INDICES, reading=Reading({ROW: 100, COLUMN: 100}))
    return _window(term, dict.fromkeys((ROW, COLUMN)), operands)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_elements_of_a_square_are_a_window(size: int) -> None:
    found = window(greatest([element(r, c) for r in range(size) for c in range(size)]))
    assert found is not None
    assert (found.operation, found.kind) == ("maximum", "s")
    assert [(p.symbol, p.size, p.stride) for p in found.positions] == [(ROW, size, {(STRIDE,): 1}), (COLUMN, size, {(STRIDE,): 1})]


def test_a_window_need_not_be_a_square() -> None:
    found = window(greatest([element(0, c) for c in range(3)]))
    assert found is not None
    assert [p.size for p in found.positions] == [1, 3]


def test_unsigned_elements_are_compared_as_such() -> None:
    found = window(greatest([element(0, c) for c in range(2)], "ult"))
    assert found is not None
    assert found.kind == "u"


@pytest.mark.parametrize(
    "elements",
    [
        [element(0, 0), element(0, 2)],
        [element(0, 0), element(0, 1), element(1, 0)],
        [element(0, 0), element(1, 1)],
        [element(0, 0), terms.load("other", 8, terms.extract(element(0, 1).args[0], 0, 10))],
    ],
    ids=["a gap", "a corner", "a diagonal", "another image"],
)
def test_elements_that_fill_no_grid_are_none(elements: list[Term]) -> None:
    assert window(greatest(elements)) is None


def test_comparisons_of_both_kinds_are_none() -> None:
    assert window(greatest([greatest([element(0, c) for c in range(2)]), greatest([element(1, c) for c in range(2)], "ult")], "ult")) is None


def test_a_position_whose_index_says_more_than_where_is_none() -> None:
    row = terms.extract(ROW, 0, 8)
    assert window(greatest([terms.apply("add", 8, (element(0, c), row)) for c in range(2)])) is not None  # along the columns
    column = terms.extract(COLUMN, 0, 8)
    assert window(greatest([terms.apply("add", 8, (element(0, c), column)) for c in range(2)])) is None


@pytest.mark.parametrize(("stride", "is_window"), [(STRIDE, True), (terms.const(2, 2), False)], ids=["a register", "a constant"])
def test_one_padded_element_is_a_window_only_where_a_read_in_steps_does_not_say_it(stride: Term, is_window: bool) -> None:
    moved = terms.apply("mul", 10, (terms.extract(ROW, 0, 10), terms.apply("zext", 10, (stride,))))
    outside = terms.apply("ult", 1, (moved, terms.sym("pad", 10)))
    found = window(terms.mux(outside, terms.const(0, 8), terms.load("image", 8, moved)))
    assert (found is not None) == is_window


@pytest.mark.parametrize("by", [2, 4])
def test_positions_may_move_by_a_constant(by: int) -> None:
    places = [terms.apply("add", 32, (terms.apply("mul", 32, (ROW, terms.const(by, 32))), terms.const(k, 32))) for k in range(3)]
    found = window(greatest([terms.load("image", 8, place) for place in places]))
    assert found is not None
    assert [(p.size, p.stride) for p in found.positions] == [(3, {(): by})]


@pytest.mark.parametrize(("moves", "most", "reason"), [(False, 100, "may not move"), (True, 1000, "may wrap")])
def test_a_window_moves_and_its_positions_do_not_wrap(moves: bool, most: int, reason: str) -> None:
    found = window(greatest([element(r, c) for r in range(2) for c in range(2)]))
    assert found is not None
    known = [terms.negate(terms.equal(STRIDE, terms.const(0, 2)))] if moves else []
    operands = SimpleNamespace(indices=INDICES, reading=Reading({ROW: most, COLUMN: most}))
    with pytest.raises(NoTemplate, match=reason):
        _check(found.positions[0], known, operands)  # type: ignore[arg-type]
