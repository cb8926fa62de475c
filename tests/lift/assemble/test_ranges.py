"""Templates and their ranges: strip-mined bounds, parts of elements, and what is refused."""

from __future__ import annotations

import pytest

from lift.assemble.effects import Effect
from lift.assemble.errors import NoTemplate, NothingWritten
from lift.assemble.family import Coordinate, Template, array_template, word_template
from lift.assemble.integers import Reading, index
from lift.assemble.ranges import ranges
from lift.assemble.unify import coordinate
from lift.unroll import terms
from lift.unroll.terms import TRUE, Term

COLS, ROWS = terms.sym("cols", 16), terms.sym("rows", 16)
LANE, BLOCK = coordinate(0), index("loop0")


def n(value: int, width: int = 32) -> Term:
    return terms.const(value, width)


def wide(term: Term) -> Term:
    return terms.apply("zext", 32, (term,))


def less(a: Term, b: Term) -> Term:
    return terms.apply("ult", 1, (a, b))


def blocks(size: int) -> Term:
    rounded = terms.apply("add", 32, (wide(COLS), n(size - 1)))
    return terms.apply("lshr", 32, (rounded, n(size.bit_length() - 1)))


def limited(count: Term, limit: int) -> Term:
    return terms.both(terms.negate(terms.equal(count, n(0))), terms.apply("ule", 1, (count, n(limit))))


def template(guard: Term, loops: tuple[tuple[Term, Term], ...] = (), size: int = 4) -> Template:
    return Template("memory", loops, (Coordinate(LANE, size),), guard, n(0), (LANE,), n(0, 8))


def test_a_bound_of_a_lane_is_its_range() -> None:
    (axis,) = ranges(template(less(LANE, wide(COLS))), []).axes
    assert (axis.extent, axis.size) == ({(COLS,): 1}, 4)


def test_a_lane_without_a_bound_has_all_its_values() -> None:
    (axis,) = ranges(template(TRUE), []).axes
    assert axis.extent == {(): 4}


def strip_mined(count: Term) -> Template:
    return template(less(terms.apply("add", 32, (LANE, terms.apply("mul", 32, (BLOCK, n(4))))), wide(COLS)), ((BLOCK, count),))


def test_a_strip_mined_bound_is_one_range() -> None:
    found = ranges(strip_mined(blocks(4)), [limited(blocks(4), 4)])
    (axis,) = found.axes
    assert (axis.extent, axis.size) == ({(COLS,): 1}, None)
    assert [m[0].op for m in found.indices[BLOCK]] == ["udiv"]
    assert [m[0].op for m in found.indices[LANE]] == ["urem"]


def test_blocks_that_end_elsewhere_are_refused() -> None:
    with pytest.raises(NoTemplate, match="blocks that do not end"):
        ranges(strip_mined(wide(ROWS)), [limited(wide(ROWS), 4)])


def test_a_bound_in_bytes_is_one_of_elements() -> None:
    found = ranges(template(less(LANE, terms.apply("mul", 32, (wide(COLS), n(4)))), size=16), [])
    assert [(a.extent, a.size) for a in found.axes] == [({(COLS,): 1}, 4), ({(): 4}, 4)]


def test_a_coordinate_that_counts_bytes_of_elements_is_split() -> None:
    found = ranges(template(TRUE, size=8), [], {LANE: 4})
    assert [a.extent for a in found.axes] == [{(): 2}, {(): 4}]


def test_conditions_without_an_index_are_kept() -> None:
    flag = terms.sym("flag", 1)
    assert ranges(template(terms.both(flag, less(LANE, wide(COLS)))), []).conditions == (flag,)


WRAPPING = terms.apply("add", 16, (COLS, ROWS))
REFUSED = {
    "two bounds of one lane": terms.both(less(LANE, wide(COLS)), less(LANE, wide(ROWS))),
    "a bound that wraps": less(LANE, wide(WRAPPING)),
    "a bound from below": less(wide(COLS), LANE),
    "an equality": terms.equal(LANE, wide(COLS)),
    "a multiplied lane": less(terms.apply("mul", 32, (LANE, wide(ROWS))), wide(COLS)),
    "a bound that can be negative": less(terms.apply("add", 32, (LANE, n(3))), wide(COLS)),
}


@pytest.mark.parametrize("guard", REFUSED)
def test_other_guards_are_refused(guard: str) -> None:
    with pytest.raises(NoTemplate):
        ranges(template(REFUSED[guard]), [])


def test_a_guard_over_two_loops_is_refused() -> None:
    loops = ((BLOCK, wide(ROWS)), (index("loop1"), wide(ROWS)))
    with pytest.raises(NoTemplate):
        ranges(template(less(terms.apply("add", 32, (BLOCK, index("loop1"))), wide(COLS)), loops), [])


# templates

WORD = terms.sym("word", 32)


def store(address: int, data: Term, *conditions: Term, loops: tuple[tuple[Term, Term], ...] = ()) -> Effect:
    return Effect("memory", loops, conditions, n(address), data)


def masked(address: int, lanes: tuple[int, ...]) -> Effect:
    """A store of some bytes of a word."""
    old = terms.load("memory", 32, n(address))
    return store(address, terms.concat(*(terms.extract(WORD if lane in lanes else old, 8 * lane, 8) for lane in (3, 2, 1, 0))))


def test_stores_at_affine_addresses_are_one_template() -> None:
    found = word_template([store(3, WORD), store(5, WORD)], 8, 32)
    assert [c.size for c in found.coordinates] == [2, 4]
    assert found.value.op == "lane"


def test_stores_at_falling_addresses_are_taken_in_the_order_of_their_addresses() -> None:
    found = word_template([store(5, WORD), store(3, WORD), store(1, WORD)], 8, 32)
    rows = found.coordinates[0]
    assert Reading({rows.symbol: 2}).exact(found.address) == {(): 1, (rows.symbol,): 2}


def test_a_store_of_the_first_lanes_only_is_a_shorter_template() -> None:
    assert [c.size for c in word_template([masked(0, (0, 1))], 8, 32).coordinates] == [2]


@pytest.mark.parametrize("lanes", [(1,), (0, 2), (3,)])
def test_a_store_of_other_lanes_is_refused(lanes: tuple[int, ...]) -> None:
    with pytest.raises(NoTemplate, match="in part"):
        word_template([masked(0, lanes)], 8, 32)


def test_a_store_that_keeps_every_lane_writes_nothing() -> None:
    with pytest.raises(NothingWritten):
        word_template([masked(0, ())], 8, 32)


def test_stores_in_different_loops_are_refused() -> None:
    with pytest.raises(NoTemplate, match="different loops"):
        word_template([store(0, WORD), store(1, WORD, loops=((BLOCK, wide(ROWS)),))], 8, 32)


def test_an_array_is_stored_once_in_each_place() -> None:
    whole = [store(k, n(k, 8)) for k in range(4)]
    assert [c.size for c in array_template(whole, (2, 2)).coordinates] == [2, 2]
    for wrong in (whole[:3], [*whole[:3], whole[0]], [store(0, n(0, 8), loops=((BLOCK, wide(ROWS)),))]):
        with pytest.raises(NoTemplate):
            array_template(wrong, (2, 2))


def test_an_array_whose_elements_keep_their_values_is_not_written() -> None:
    kept = [store(k, terms.load("memory", 8, n(k))) for k in range(4)]
    with pytest.raises(NothingWritten):
        array_template(kept, (2, 2))
    assert array_template([store(0, n(1, 8)), store(1, n(1, 8))], (2,)).value is n(1, 8)
