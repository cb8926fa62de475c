"""Elements of which some are always the same number, along one coordinate  -->  a choice by the coordinate between these numbers and the rest.

    x, y, 0, 0 at 0, 1, 2, 3   -->   mux(1 < coordinate, 0, what x and y are)

Constants before and after the rest are padding (padding.py); one between is chosen where the coordinate is its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from lift.assemble.errors import NoTemplate
from lift.assemble.unify import Unifier, coordinate
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term

Points = Sequence[tuple[int, ...]]


def with_constants(points: Points, values: Sequence[Term]) -> Term:
    """One term over the coordinates; NoTemplate if there is none."""
    for dimension in range(len(points[0])):
        with suppress(NoTemplate):
            if (fixed := _fixed(points, values, dimension)) is not None:
                return _with(fixed, points, values, dimension)
    raise NoTemplate("constants along no one coordinate")


def _fixed(points: Points, values: Sequence[Term], dimension: int) -> dict[int, Term] | None:
    """Where along a dimension all elements are one constant; None unless none of the others is a constant."""
    found: dict[int, set[Term]] = {}
    for point, value in zip(points, values, strict=True):
        found.setdefault(point[dimension], set()).add(value)
    fixed = {place: next(iter(each)) for place, each in found.items() if len(each) == 1 and next(iter(each)).is_const}
    rest = [v for place, each in found.items() if place not in fixed for v in each]
    return None if not fixed or not rest or any(v.is_const for v in rest) else fixed


def _with(fixed: dict[int, Term], points: Points, values: Sequence[Term], dimension: int) -> Term:
    kept = [(p, v) for p, v in zip(points, values, strict=True) if p[dimension] not in fixed]
    total = Unifier([p for p, _ in kept]).unify(tuple(v for _, v in kept))
    first, last = min(p[dimension] for p, _ in kept), max(p[dimension] for p, _ in kept)
    place = coordinate(dimension)
    for number in sorted(fixed):
        if first < number < last:
            total = _chosen(terms.equal(place, _index(number)), fixed[number], total)
    for number in sorted((n for n in fixed if n < first and fixed[n] is not fixed.get(n + 1)), reverse=True):
        total = _chosen(terms.apply("ult", 1, (place, _index(number + 1))), fixed[number], total)
    for number in sorted(n for n in fixed if n > last and fixed[n] is not fixed.get(n - 1)):
        total = _chosen(terms.apply("ult", 1, (_index(number - 1), place)), fixed[number], total)
    return total


def _chosen(condition: Term, number: Term, rest: Term) -> Term:
    return terms.make("mux", rest.width, (condition, number, rest))


def _index(number: int) -> Term:
    return terms.const(number, INDEX_WIDTH)
