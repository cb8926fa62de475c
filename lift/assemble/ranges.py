"""The guard of a template -> the ranges of its indices.

column < c, row < r                              -->  row : r, column : c
lane < min(16, cols - 16 * block), block < ceil(cols / 16)  -->  column < cols, with block = column / 16 and lane = column % 16
byte < 4 * cols                                  -->  column < cols, k < 4, with byte = 4 * column + k
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from math import gcd
from types import MappingProxyType

from lift.assemble.errors import NoTemplate, writing
from lift.assemble.family import Template
from lift.assemble.guards import below, conjuncts, has_index, inequality, loop_limits
from lift.assemble.integers import Polynomial, Reading, coefficient, index, indices_of, plus, to_term, without
from lift.assemble.rewriting import plain
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term


@dataclass(frozen=True, slots=True)
class Axis:
    """One index variable of the instruction: 0 <= symbol < extent; `size` is the number of values that the hardware has for it."""

    symbol: Term
    extent: Polynomial
    size: int | None


@dataclass(frozen=True, slots=True)
class Ranges:
    """`axes` in the order of the tensor's dimensions.  `indices` maps each index symbol of the template to a polynomial over axes and
    over quotients and remainders of axes (terms `udiv` and `urem` of an axis).  `conditions` are the parts of the guard without an index.
    `known` are facts about the template's indices, `reading` knows their greatest values."""

    axes: tuple[Axis, ...]
    indices: dict[Term, Polynomial]
    conditions: tuple[Term, ...]
    known: tuple[Term, ...]
    reading: Reading


def ranges(template: Template, domain: list[Term], scale: Mapping[Term, int] = MappingProxyType({})) -> Ranges:
    """The ranges of a template's indices; `domain` holds throughout.  `scale` are the parts of an element that a coordinate counts, where that is
    known otherwise than by its bound."""
    return _Solver(template, domain, scale).run()


class _Solver:
    def __init__(self, template: Template, domain: list[Term], scale: Mapping[Term, int]) -> None:
        self.template, self.domain = template, domain
        self.loops = dict(template.loops)
        self.sizes = {c.symbol: c.size for c in template.coordinates}
        limits = loop_limits(template.loops, domain)
        self.reading = Reading({symbol: size - 1 for symbol, size in (*self.sizes.items(), *limits.items())})
        self.known = [*domain, *below(self.sizes.items()), *(terms.apply("ult", 1, (i, plain(n))) for i, n in template.loops)]
        self.bounds: dict[Term, Polynomial] = {}
        self.merged: dict[Term, Term] = {}  # coordinate -> the loop over blocks of it
        self.scale: dict[Term, int] = {}  # byte coordinate -> bytes per element
        self.given = scale
        self.conditions: list[Term] = []

    def run(self) -> Ranges:
        for condition in conjuncts(self.template.guard):
            if has_index(condition):
                with writing("", condition):
                    self._bounded(inequality(condition, self.known, self.reading))
            else:
                self.conditions.append(condition)
        return self._result()

    def _bounded(self, found: Polynomial) -> None:
        indices = sorted(indices_of(found), key=lambda t: t.serial)
        factors = {i: -coefficient(found, i).get((), 0) for i in indices}
        if any(coefficient(found, i).keys() != {()} for i in indices) or any(f <= 0 for f in factors.values()):
            raise NoTemplate("a guard with indices that are multiplied")
        self._bound(factors, without(found, set(indices)))

    def _bound(self, factors: dict[Term, int], bound: Polynomial) -> None:
        """sum of factor * index < bound."""
        coordinate = next((i for i in factors if i in self.sizes), None)
        if self.reading.range(bound)[0] < 0:
            raise NoTemplate("a bound of an index that can be negative")
        if coordinate is None or factors[coordinate] != 1 or coordinate in self.bounds:
            raise NoTemplate("a guard that bounds no coordinate, or one more than once")
        others = {i: f for i, f in factors.items() if i is not coordinate}
        scale = reduce(gcd, [*others.values(), *bound.values()], 0)
        if scale > 1 and self.sizes[coordinate] % scale == 0:
            self.scale[coordinate] = scale
            others = {i: f // scale for i, f in others.items()}
            bound = {m: f // scale for m, f in bound.items()}
        size = self.sizes[coordinate] // self.scale.get(coordinate, 1)
        if others and (len(others) > 1 or next(iter(others.values())) != size or next(iter(others)) in self.merged.values()):
            raise NoTemplate("a guard over several indices that is no strip-mined bound")
        if others:
            self.merged[coordinate] = next(iter(others))
        self.bounds[coordinate] = bound

    def _result(self) -> Ranges:
        axes: list[Axis] = []
        indices: dict[Term, Polynomial] = {}
        for number, (loop, count) in enumerate(self.template.loops):
            if loop not in self.merged.values():
                axis = index(f"row{number}")
                axes.append(Axis(axis, self.reading.exact(count), None))
                indices[loop] = {(axis,): 1}
        for number, place in enumerate(self.template.coordinates):
            self._coordinate(place.symbol, number, axes, indices)
        return Ranges(tuple(axes), indices, tuple(self.conditions), tuple(self.known), self.reading)

    def _coordinate(self, symbol: Term, number: int, axes: list[Axis], indices: dict[Term, Polynomial]) -> None:
        scale = self.scale.get(symbol, 1 if symbol in self.bounds else self.given.get(symbol, 1))
        scale = scale if self.sizes[symbol] % scale == 0 and scale < self.sizes[symbol] else 1
        size = self.sizes[symbol] // scale
        axis, extent = index(f"column{number}"), self.bounds.get(symbol, {(): size})
        loop = self.merged.get(symbol)
        if loop is None:
            axes.append(Axis(axis, extent, size))
            element: Polynomial = {(axis,): 1}
        else:
            self._check_count(loop, extent, size)
            axes.append(Axis(axis, extent, None))
            block, lane = (terms.make(op, INDEX_WIDTH, (axis, terms.const(size, INDEX_WIDTH))) for op in ("udiv", "urem"))
            indices[loop], element = {(block,): 1}, {(lane,): 1}
        if scale > 1:
            part = index(f"byte{number}")
            axes.append(Axis(part, {(): scale}, scale))
            element = plus({m: f * scale for m, f in element.items()}, {(part,): 1}, 1)
        indices[symbol] = element

    def _check_count(self, loop: Term, bound: Polynomial, size: int) -> None:
        """The blocks that the loop runs over are exactly those that hold an element."""
        count, wanted = plain(self.loops[loop]), to_term(bound, INDEX_WIDTH)
        least, most = self.reading.range(bound)
        rounded = terms.apply("add", INDEX_WIDTH, (wanted, terms.const(size - 1, INDEX_WIDTH)))
        blocks = terms.apply("lshr", INDEX_WIDTH, (rounded, terms.const(size.bit_length() - 1, INDEX_WIDTH)))
        right = least >= 0 and most + size < 1 << INDEX_WIDTH and size & (size - 1) == 0
        if not right or implied(self.domain, terms.equal(count, blocks)) is not Verdict.PROVED:
            raise NoTemplate("blocks that do not end with the last element")


def axis_sizes(axes: tuple[Axis, ...]) -> dict[Term, int]:
    return {a.symbol: a.size for a in axes if a.size is not None}
