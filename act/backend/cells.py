"""Slices of memories -> the cells that they name, as runs of neighbours, in the order of the index variables.

A cell is the position of an element in its memory, row-major.  A coordinate is a sum; where each of its terms depends on the outer index
variables alone or on the inner ones alone, both are evaluated apart and added, which gives the same cells with far fewer evaluations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any

from act.backend.memo import by_identity, names_of
from act.backend.source import python_source
from act.records import dataclass, field
from act.taidl.expr import names
from act.taidl.model import Binary, Expr, Index, Int, Slice, Unary

Run = tuple[int, int]
"""The first of some neighbours, and how many there are."""

Part = Callable[[Mapping[str, int]], list[list[int]]]
"""Values of names -> for every coordinate its value, in the order of some index variables."""


Condition = Callable[[Mapping[str, int]], bool]
"""Whether a condition is true for values of its names."""


MOST = 2000
"""Values of names for which the cells of a slice are kept."""


class OutOfBounds(Exception):
    """A slice names a cell that its memory does not have."""


@by_identity
def cells_of(piece: Slice, sizes: tuple[int, ...]) -> Cells:
    """The same object for equal slices, with what it has found out."""
    return Cells(piece, sizes)


def joined(runs: Iterable[Run]) -> list[Run]:
    """The same cells in the longest runs."""
    found: list[Run] = []
    end = -1
    for start, length in runs:
        if start == end:
            first, before = found[-1]
            found[-1] = first, before + length
        else:
            found.append((start, length))
        end = start + length
    return found


def of_one_length(starts: Sequence[int], length: int) -> list[Run]:
    """The longest runs of the cells of runs that are all of one `length`."""
    first, count = starts[0], len(starts)
    if starts == list(range(first, first + count * length, length)):
        return [(first, count * length)]
    return joined([(start, length) for start in starts])


def total(runs: Sequence[Run]) -> int:
    """How many cells there are."""
    return runs[0][1] if len(runs) == 1 else sum([length for _, length in runs])


def distinct(runs: Sequence[Run]) -> bool:
    """Whether no cell is named twice."""
    if len(runs) == 1:
        return True
    end = -1
    for start, length in sorted(runs):
        if start < end:
            return False
        end = start + length
    return True


@dataclass(slots=True)
class Cells:
    """The cells of one slice in a memory of `sizes`."""

    piece: Slice
    sizes: tuple[int, ...]
    _outer: Part = field(init=False)
    _inner: Part = field(init=False)
    _names: tuple[str, ...] = field(init=False)
    _steps: tuple[int, ...] = field(init=False)
    _every: tuple[str, ...] = field(init=False)
    _known: dict[tuple[int | None, ...], tuple[list[Run], list[int], list[int]]] = field(default_factory=dict)
    _runs: dict[tuple[int | None, ...], list[Run]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        terms = [list(_terms(coordinate)) for coordinate in self.piece.coordinates]
        outer, inner = _split(self.piece.indices, terms)
        within = {index.name for index in inner}
        near = [[term for term in each if names(term) & within] for each in terms]
        far = [[term for term in each if not names(term) & within] for each in terms]
        self._outer, self._inner = _evaluator(outer, far), _evaluator(inner, near)
        used = {name for each in near for term in each for name in names(term)} | {name for index in inner for name in names(index.extent)}
        self._names = tuple(sorted(used - within))
        own = {index.name for index in self.piece.indices}
        every = [*self.piece.coordinates, *(index.extent for index in self.piece.indices)]
        self._every = tuple(sorted({name for expr in every for name in names(expr)} - own))
        self._steps = tuple(prod(self.sizes[which + 1 :]) for which in range(len(self.sizes)))

    def runs(self, values: Mapping[str, int]) -> list[Run]:
        """The same list for the same values of names.  Raises `OutOfBounds`."""
        key = tuple([values.get(name) for name in self._every])
        found = self._runs.get(key)
        if found is None:
            if len(self._runs) >= MOST:
                self._runs.clear()
            found = self._runs[key] = self._found(values)
        return found

    def _found(self, values: Mapping[str, int]) -> list[Run]:
        key = tuple(values.get(name) for name in self._names)
        if key not in self._known:
            self._known[key] = self._tail(values)
        tail, low, high = self._known[key]
        outer = self._outer(values)
        if not tail or not outer[0]:
            return []
        for size, places, least, most in zip(self.sizes, outer, low, high, strict=True):
            if min(places) + least < 0 or max(places) + most >= size:
                raise OutOfBounds
        if len(tail) == 1:
            ((offset, length),) = tail
            return of_one_length([start + offset for start in self._flat(outer)], length)
        return joined((start + offset, length) for start in self._flat(outer) for offset, length in tail)

    def _tail(self, values: Mapping[str, int]) -> tuple[list[Run], list[int], list[int]]:
        inner = self._inner(values)
        if not inner[0]:
            return [], [], []
        return of_one_length(self._flat(inner), 1), [min(each) for each in inner], [max(each) for each in inner]

    def _flat(self, coordinates: list[list[int]]) -> list[int]:
        if len(coordinates) == 1:
            return coordinates[0]
        if len(coordinates) == 2:
            step = self._steps[0]
            return [first * step + second for first, second in zip(*coordinates, strict=True)]
        return [sum(place * step for place, step in zip(each, self._steps, strict=True)) for each in zip(*coordinates, strict=True)]


def _terms(expr: Expr) -> Iterator[Expr]:
    """What a sum adds up."""
    match expr:
        case Binary("+", left, right):
            yield from _terms(left)
            yield from _terms(right)
        case Binary("-", left, right):
            yield from _terms(left)
            yield from (Unary("-", term) for term in _terms(right))
        case _:
            yield expr


def _split(indices: tuple[Index, ...], terms: Sequence[Sequence[Expr]]) -> tuple[tuple[Index, ...], tuple[Index, ...]]:
    """Outer and inner index variables of which no term uses both kinds; as few outer ones as can be."""
    for count in range(1 if len(indices) > 1 else 0, len(indices)):
        outer, inner = indices[:count], indices[count:]
        sets = [{index.name for index in each} for each in (outer, inner)]
        if not any(names(term) & sets[0] and names(term) & sets[1] for each in terms for term in each):
            return outer, inner
    return (), indices


def _evaluator(indices: tuple[Index, ...], terms: Sequence[Sequence[Expr]]) -> Part:
    own = {index.name for index in indices}
    exprs = [_sum(each) for each in terms]
    used = {name for expr in (*exprs, *(index.extent for index in indices)) for name in names(expr)} - own
    loops = " ".join(f"for v_{index.name} in range({python_source(index.extent)})" for index in indices) or "for _ in (0,)"
    lists = ", ".join(f"[{python_source(expr)} {loops}]" for expr in exprs)
    return _compiled("".join(f"v_{name} = values.get({name!r}); " for name in sorted(used)), lists)


@by_identity
def all_of(conditions: Sequence[Expr], known: tuple[str, ...]) -> Condition:
    """Whether all conditions are true whose names are `known`, as a function of the values of those."""
    decided = [condition for condition in conditions if names_of(condition) <= {*known}]
    used = sorted({name for condition in decided for name in names_of(condition)})
    held = _compiled("".join(f"v_{name} = values[{name!r}]; " for name in used), " and ".join(map(python_source, decided)) or "True")
    return lambda values: bool(held(values)[0])


def _sum(terms: Sequence[Expr]) -> Expr:
    total: Expr = Int(0)
    for number, term in enumerate(terms):
        total = Binary("+", total, term) if number else term
    return total


@cache
def _compiled(bindings: str, lists: str) -> Part:
    scope: dict[str, Any] = {}
    exec(f"def part(values):\n    {bindings}\n    return [{lists}]", scope)
    return scope["part"]
