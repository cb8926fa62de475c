"""Anti-unification: terms at points of a grid -> one term over coordinate symbols that is each of them at its point (Plotkin 1970).

Before --> after:  `a + 0`, `a + 4`, `a + 8` at 0, 1, 2 --> `a + 4 * coordinate0`;  `w[7:0]`, `w[15:8]` --> `lane(w, coordinate0)`.
"""

from __future__ import annotations

from math import gcd

from lift.assemble.errors import NoTemplate
from lift.assemble.integers import index
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term

MAX_ATOMS = 8


def coordinate(number: int) -> Term:
    return index(f"coordinate{number}")


class Unifier:
    """Anti-unification of terms, one for each of the given coordinates."""

    def __init__(self, points: list[tuple[int, ...]]) -> None:
        self.points = points
        self._done: dict[tuple[int, ...], Term] = {}

    def unify(self, column: tuple[Term, ...]) -> Term:
        first = column[0]
        if all(t is first for t in column):
            return first
        key = tuple(t.serial for t in column)
        if key not in self._done:
            self._done[key] = self._differing(column)
        return self._done[key]

    def _differing(self, column: tuple[Term, ...]) -> Term:
        first = column[0]
        if any(t.width != first.width for t in column):
            raise NoTemplate("elements of different widths", *column[:2])
        if all(t.is_const for t in column):
            return self._constants([int(t.attr or 0) for t in column], first.width)
        if any(t.op != first.op for t in column) and (spelled := tuple(map(_as_extension, column))) != column:
            return self.unify(spelled)
        same = all(t.op == first.op and len(t.args) == len(first.args) for t in column)
        if same and first.op == "extract":
            return self._parts(column)
        if same and all(t.attr == first.attr for t in column) and first.args:
            try:
                args = tuple(self.unify(tuple(t.args[i] for t in column)) for i in range(len(first.args)))
                return terms.make(first.op, first.width, args, first.attr)
            except NoTemplate:
                if first.op not in ("add", "sub", "mul"):
                    raise
        return self._linear(column)

    def _parts(self, column: tuple[Term, ...]) -> Term:
        """Part-selects of one width at an affine position."""
        word = self.unify(tuple(t.args[0] for t in column))
        width = column[0].width
        lows = [int(t.attr or 0) for t in column]
        if all(low == lows[0] for low in lows):
            return terms.extract(word, lows[0], width)
        if any(low % width for low in lows):
            return self._parts_of_lanes(word, lows, column)
        return terms.make("lane", width, (word, self._constants([low // width for low in lows], INDEX_WIDTH)))

    def _parts_of_lanes(self, word: Term, lows: list[int], column: tuple[Term, ...]) -> Term:
        """The same bits of lanes that are wider."""
        width = column[0].width
        lane = gcd(*(low - lows[0] for low in lows))
        inside = lows[0] % lane
        if inside + width > lane or word.width % lane:
            raise NoTemplate("part-selects that are not lanes", *column[:2])
        whole = terms.make("lane", lane, (word, self._constants([low // lane for low in lows], INDEX_WIDTH)))
        return terms.make("extract", width, (whole,), inside)

    def _constants(self, values: list[int], width: int) -> Term:
        base, slopes = self._affine(values, width)
        total = terms.const(base, width)
        for dimension, slope in enumerate(slopes):
            if slope:
                place = coordinate(dimension)
                wide = terms.extract(place, 0, width) if width < INDEX_WIDTH else terms.apply("zext", width, (place,))
                total = terms.apply("add", width, (terms.apply("mul", width, (wide, terms.const(slope, width))), total))
        return total

    def _affine(self, values: list[int], width: int) -> tuple[int, list[int]]:
        """base and slope for each dimension, modulo 2**width."""
        mask = (1 << width) - 1
        known = dict(zip(self.points, values, strict=True))
        origin = self.points[0]
        slopes = []
        for d in range(len(origin)):
            other = next((p for p in self.points if p[d] != origin[d] and all(p[e] == origin[e] for e in range(len(origin)) if e != d)), None)
            if other is None:
                slopes.append(0)
                continue
            steps, change = other[d] - origin[d], known[other] - known[origin]
            change = change - (1 << width) if change > mask // 2 else change + (1 << width) if change < -(mask // 2) else change
            if change % steps:
                raise NoTemplate("constants that are not affine in the position")
            slopes.append(change // steps)
        base = known[origin] - sum(s * p for s, p in zip(slopes, origin, strict=True))
        for point, value in known.items():
            if (base + sum(s * p for s, p in zip(slopes, point, strict=True)) - value) & mask:
                raise NoTemplate("constants that are not affine in the position")
        return base & mask, slopes

    def _linear(self, column: tuple[Term, ...]) -> Term:
        """Sums with the same atoms whose coefficients are affine in the position."""
        width = column[0].width
        forms = [linear_form(t) for t in column]
        atoms = sorted({a for form in forms for a in form if a is not None}, key=lambda a: a.serial)
        if len(atoms) > MAX_ATOMS:
            raise NoTemplate("expressions of different shapes", *column[:2])
        total = self._constants([form.get(None, 0) & ((1 << width) - 1) for form in forms], width)
        for atom in atoms:
            factor = self._constants([form.get(atom, 0) & ((1 << width) - 1) for form in forms], width)
            if factor.is_const and factor.attr == 0:
                continue
            total = terms.apply("add", width, (terms.apply("mul", width, (atom, factor)), total))
        if atoms and all(len(form) <= 1 for form in forms):
            raise NoTemplate("expressions of different shapes", *column[:2])
        return total


def _as_extension(term: Term) -> Term:
    """A shift to the right by a constant as what is left, extended."""
    if term.op not in ("ashr", "lshr") or not term.args[1].is_const or not 0 < int(term.args[1].attr or 0) < term.width:
        return term
    low = int(term.args[1].attr or 0)
    return terms.apply("sext" if term.op == "ashr" else "zext", term.width, (terms.extract(term.args[0], low, term.width - low),))


def linear_form(term: Term) -> dict[Term | None, int]:
    """A sum as atom -> coefficient, modulo 2**width; None is the constant."""
    match term.op:
        case "const":
            return {None: int(term.attr or 0)}
        case "add" | "sub":
            sign = 1 if term.op == "add" else -1
            result = dict(linear_form(term.args[0]))
            for atom, factor in linear_form(term.args[1]).items():
                result[atom] = result.get(atom, 0) + sign * factor
            return result
        case "mul" if term.args[1].is_const:
            return {a: f * int(term.args[1].attr or 0) for a, f in linear_form(term.args[0]).items()}
        case "shl" if term.args[1].is_const:
            return {a: f << int(term.args[1].attr or 0) for a, f in linear_form(term.args[0]).items()}
    return {term: 1}
