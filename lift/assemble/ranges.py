"""The guard of a template -> the ranges of its indices.

    column < c, row < r                              -->  row : r, column : c
    lane < min(16, cols - 16 * block), block < ceil(cols / 16)  -->  column < cols, with block = column / 16 and lane = column % 16
    byte < 4 * cols                                  -->  column < cols, k < 4, with byte = 4 * column + k

Each replacement of a comparison by one on integers is proved equal by Z3 under the ranges of the indices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import gcd

from lift.assemble.family import NoTemplate, Template
from lift.assemble.integers import Polynomial, coefficient, indices_of, plus, polynomial, to_term, without
from lift.assemble.rewriting import clamp_bounds, plain, substitute
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import TRUE, Term


@dataclass(frozen=True, slots=True)
class Axis:
    """One index variable of the instruction: 0 <= symbol < extent; `size` is the number of values that the hardware has for it."""

    symbol: Term
    extent: Polynomial
    size: int | None


@dataclass(frozen=True, slots=True)
class Ranges:
    """`axes` in the order of the tensor's dimensions.  `indices` maps each index symbol of the template to a polynomial over axes and
    over quotients and remainders of axes (terms `udiv` and `urem` of an axis).  `limits` are (count, least, most) of loops."""

    axes: tuple[Axis, ...]
    indices: dict[Term, Polynomial]
    limits: tuple[tuple[Polynomial, int], ...]
    conditions: tuple[Term, ...]


def conjuncts(guard: Term) -> list[Term]:
    if guard is TRUE:
        return []
    return [c for a in guard.args for c in conjuncts(a)] if guard.op == "and" else [guard]


def ranges(template: Template, domain: list[Term], bytes_per_element: int = 1) -> Ranges:
    """The ranges of a template's indices; `domain` holds throughout.  `bytes_per_element` splits the byte index of a host access."""
    return _Solver(template, domain, bytes_per_element).run()


class _Solver:
    def __init__(self, template: Template, domain: list[Term], bytes_per_element: int) -> None:
        self.template, self.domain, self.bytes = template, domain, bytes_per_element
        self.loops = dict(template.loops)
        self.sizes = {c.symbol: c.size for c in template.coordinates}
        self.known = [*domain]
        self.known += [terms.apply("ult", 1, (c.symbol, terms.const(c.size, INDEX_WIDTH))) for c in template.coordinates]
        self.known += [terms.apply("ult", 1, (i, plain(n))) for i, n in template.loops]
        self.bounds: dict[Term, Polynomial] = {}
        self.merged: dict[Term, tuple[Term, int]] = {}  # coordinate -> (loop, size)
        self.scale: dict[Term, int] = {}  # byte coordinate -> bytes per element
        self.conditions: list[Term] = []

    def run(self) -> Ranges:
        for condition in conjuncts(self.template.guard):
            self._condition(condition)
        return self._result()

    def _condition(self, condition: Term) -> None:
        inequality = self._linear(condition)
        if inequality is None:
            if indices_of({(t,): 1 for t in terms.walk(condition) if not t.args and t.op == "sym"}):
                raise NoTemplate("a guard that is no bound of an index")
            self.conditions.append(condition)
            return
        indices = sorted(indices_of(inequality), key=lambda t: t.serial)
        bound = without(inequality, set(indices))
        factors = {i: -coefficient(inequality, i).get((), 0) for i in indices}
        if any(coefficient(inequality, i).keys() - {()} for i in indices) or any(f <= 0 for f in factors.values()):
            raise NoTemplate("a guard with indices that are multiplied")
        self._bound(factors, bound)

    def _bound(self, factors: dict[Term, int], bound: Polynomial) -> None:
        """sum of factor * index < bound."""
        coordinate = next((i for i in factors if i in self.sizes), None)
        others = {i: f for i, f in factors.items() if i is not coordinate}
        scale = reduce(gcd, [*others.values(), *bound.values()], 0) if coordinate is not None and factors[coordinate] == 1 else 1
        if coordinate is not None and scale > 1 and self.sizes[coordinate] % scale == 0:
            self.scale[coordinate] = scale
            others = {i: f // scale for i, f in others.items()}
            bound = {m: f // scale for m, f in bound.items()}
            factors = {coordinate: 1, **others}
        size = self.sizes.get(coordinate, 0) // self.scale.get(coordinate, 1) if coordinate is not None else 0  # type: ignore[arg-type]
        if coordinate is not None and not others and factors[coordinate] == 1:
            self.bounds[coordinate] = bound
        elif coordinate is not None and len(others) == 1 and factors[coordinate] == 1 and next(iter(others.values())) == size:
            self.merged[coordinate] = (next(iter(others)), size)
            self.bounds[coordinate] = bound
        else:
            raise NoTemplate("a guard over several indices that is no strip-mined bound")

    def _linear(self, condition: Term) -> Polynomial | None:
        """bound - index expression, positive exactly where `condition` holds; None when the condition has no index."""
        if not any(t.op == "sym" and (t in self.sizes or t in self.loops) for t in terms.walk(condition)):
            return None
        if condition.op not in ("ult", "ule"):
            raise NoTemplate(f"a guard with the operator {condition.op} over an index")
        left, right = (polynomial(_unclamped(a)) for a in condition.args)
        inequality = plus(right, left, -1)
        if condition.op == "ule":
            inequality = plus(inequality, {(): 1}, 1)
        positive = terms.apply("slt", 1, (terms.const(0, 64), to_term(inequality)))
        original = plain(condition)
        same = terms.negate(terms.apply("xor", 1, (positive, original)))
        if implied(self.known, same) is not Verdict.PROVED:
            raise NoTemplate("a guard that is no linear bound on integers")
        return inequality

    def _result(self) -> Ranges:
        axes: list[Axis] = []
        indices: dict[Term, Polynomial] = {}
        limits: list[tuple[Polynomial, int]] = []
        swallowed = {loop for loop, _ in self.merged.values()}
        for number, (index, count) in enumerate(self.template.loops):
            if index in swallowed:
                continue
            axis = terms.sym(f"index:row{number}", INDEX_WIDTH)
            axes.append(Axis(axis, polynomial(count), None))
            indices[index] = {(axis,): 1}
        for number, place in enumerate(self.template.coordinates):
            self._coordinate(place.symbol, number, axes, indices)
        return Ranges(tuple(axes), indices, tuple(limits), tuple(self.conditions))

    def _coordinate(self, symbol: Term, number: int, axes: list[Axis], indices: dict[Term, Polynomial]) -> None:
        scale = self.scale.get(symbol, 1)
        size = self.sizes[symbol] // scale
        axis = terms.sym(f"index:column{number}", INDEX_WIDTH)
        merged = self.merged.get(symbol)
        extent = self.bounds.get(symbol, {(): size})
        if merged is None:
            axes.append(Axis(axis, extent, size))
            element: Polynomial = {(axis,): 1}
        else:
            loop, _ = merged
            self._check_count(loop, extent, size)
            axes.append(Axis(axis, extent, None))
            block = terms.make("udiv", INDEX_WIDTH, (axis, terms.const(size, INDEX_WIDTH)))
            lane = terms.make("urem", INDEX_WIDTH, (axis, terms.const(size, INDEX_WIDTH)))
            indices[loop], element = {(block,): 1}, {(lane,): 1}
        if scale > 1:
            part = terms.sym(f"index:byte{number}", INDEX_WIDTH)
            axes.append(Axis(part, {(): scale}, scale))
            indices[symbol] = plus({m: f * scale for m, f in element.items()}, {(part,): 1}, 1)
        else:
            indices[symbol] = element

    def _check_count(self, loop: Term, bound: Polynomial, size: int) -> None:
        """The blocks that the loop runs over are exactly those that hold an element."""
        count, wanted = plain(self.loops[loop]), to_term(bound, INDEX_WIDTH)
        rounded = terms.apply("add", INDEX_WIDTH, (wanted, terms.const(size - 1, INDEX_WIDTH)))
        blocks = terms.apply("lshr", INDEX_WIDTH, (rounded, terms.const(size.bit_length() - 1, INDEX_WIDTH)))
        if size & (size - 1) or implied(self.domain, terms.equal(count, blocks)) is not Verdict.PROVED:
            raise NoTemplate("blocks that do not end with the last element")


def _unclamped(term: Term) -> Term:
    """Without the clamps to a block's size: they change nothing where the index is smaller than it (which is proved afterwards)."""
    values = {t: _fit(t.args[0], t.width) for t in terms.walk(term) if t.op == "clamp" and clamp_bounds(t)[0] == 0 and not clamp_bounds(t)[2]}
    return substitute(term, values) if values else term


def _fit(term: Term, width: int) -> Term:
    return term if term.width == width else terms.extract(term, 0, width) if term.width > width else terms.apply("zext", width, (term,))
