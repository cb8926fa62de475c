"""The elements that a function writes, as one template over index variables.

Every element has coordinates: the position of its store among its like and the lane of the word, or the place in a state array.  Elements of one
function must be the same expression but for constants that are affine in the coordinates (anti-unification; Plotkin 1970); the template has
coordinate symbols there.  A varying part-select becomes the operator `lane` (word, index), bits [width * index + width - 1 : width * index].
"""

from __future__ import annotations

from dataclasses import dataclass

from lift.assemble.bits import bits
from lift.assemble.read_ir import Effect
from lift.assemble.rewriting import plain
from lift.unroll import terms
from lift.unroll.solver import satisfiable
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import TRUE, Term


class NoTemplate(Exception):
    """The elements are not one expression; the message says where they differ."""


class NothingWritten(NoTemplate):
    """Every element keeps its value."""


@dataclass(frozen=True, slots=True)
class Coordinate:
    """An index variable of unrolled elements: 0 <= symbol < size."""

    symbol: Term
    size: int


@dataclass(frozen=True, slots=True)
class Template:
    """For all loop indices and coordinates: where `guard` holds, element `unit` of word `address` of `memory` becomes `value`."""

    memory: str
    loops: tuple[tuple[Term, Term], ...]
    coordinates: tuple[Coordinate, ...]
    guard: Term
    address: Term
    unit: tuple[Term, ...]
    value: Term


@dataclass(frozen=True, slots=True)
class Element:
    coordinates: tuple[int, ...]
    guard: Term
    address: Term
    value: Term


def coordinate(number: int) -> Term:
    return terms.sym(f"coordinate{number}", INDEX_WIDTH)


def word_template(effects: list[Effect], lane_width: int, memory_width: int) -> Template:
    """Stores to a memory of words with lanes of `lane_width` bits; all of them under the same loops."""
    first = effects[0]
    if any(e.loops != first.loops for e in effects):
        raise NoTemplate(f"stores to {first.memory} in different loops")
    elements = [e for s, effect in enumerate(effects) for j in range(memory_width // lane_width) if (e := _lane(effect, s, j, lane_width)) is not None]
    elements = _possible(elements)
    if not elements:
        raise NothingWritten(f"no element of {first.memory} is written")
    return _template(first, elements, lanes=memory_width > lane_width)


def _possible(elements: list[Element]) -> list[Element]:
    """Without the elements that are never written because their guard cannot hold."""
    return [e for e in elements if e.guard is TRUE or satisfiable([plain(e.guard)])]


def _lane(effect: Effect, store: int, lane: int, width: int) -> Element | None:
    """Lane `lane` of one store, None when it keeps its old value."""
    value = bits(effect.data, lane * width, width)
    old = terms.load(effect.memory, effect.data.width, effect.address)
    guard = TRUE
    for condition in effect.conditions:
        guard = terms.both(guard, condition)
    kept = terms.extract(old, lane * width, width) if width < old.width else old
    if value is kept:
        return None
    if value.op == "mux" and value.args[2] is kept:
        guard, value = terms.both(guard, value.args[0]), value.args[1]
    elif value.op == "mux" and value.args[1] is kept:
        guard, value = terms.both(guard, terms.negate(value.args[0])), value.args[2]
    return Element((store, lane), guard, _bare(effect.address), value)


def array_template(effects: list[Effect], shape: tuple[int, ...]) -> Template:
    """Stores to a state array at constant indices."""
    first = effects[0]
    elements = []
    for effect in effects:
        if not effect.address.is_const:
            raise NoTemplate(f"{first.memory} is stored at a computed index")
        elements.append(Element(_unflatten(int(effect.address.attr), shape), _all(effect.conditions), terms.const(0, INDEX_WIDTH), effect.data))  # type: ignore[arg-type]
    sizes = [max(e.coordinates[d] for e in elements) + 1 for d in range(len(shape))]
    if len(elements) != _product(sizes):
        raise NoTemplate(f"{first.memory} is stored in part")
    coordinates = tuple(Coordinate(coordinate(d), n) for d, n in enumerate(sizes))
    return _unified(first, elements, coordinates, tuple(c.symbol for c in coordinates))


def _template(first: Effect, elements: list[Element], lanes: bool) -> Template:
    sizes = [max(e.coordinates[d] for e in elements) + 1 for d in (0, 1)]
    coordinates = tuple(Coordinate(coordinate(d), n) for d, n in enumerate(sizes))
    unit = (coordinates[1].symbol,) if lanes else ()
    return _unified(first, elements, coordinates, unit)


def _unified(first: Effect, elements: list[Element], coordinates: tuple[Coordinate, ...], unit: tuple[Term, ...]) -> Template:
    unifier = Unifier([e.coordinates for e in elements])
    guard = unifier.unify(tuple(e.guard for e in elements))
    address = unifier.unify(tuple(e.address for e in elements))
    value = unifier.unify(tuple(e.value for e in elements))
    kept = tuple(c for c in coordinates if c.size > 1 or c.symbol in unit)
    return Template(first.memory, first.loops, kept, guard, address, unit, value)


def _all(conditions: tuple[Term, ...]) -> Term:
    guard = TRUE
    for condition in conditions:
        guard = terms.both(guard, condition)
    return guard


def _bare(address: Term) -> Term:
    """An address without the extension to the index type."""
    return address.args[0] if address.op == "zext" else address


def _unflatten(index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    result: list[int] = []
    for size in reversed(shape):
        index, position = divmod(index, size)
        result.append(position)
    return tuple(reversed(result))


def _product(sizes: list[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


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
            raise NoTemplate("elements of different widths")
        if all(t.is_const for t in column):
            return self._constants([int(t.attr or 0) for t in column], first.width)
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
            raise NoTemplate("part-selects that are not lanes")
        return terms.make("lane", width, (word, self._constants([low // width for low in lows], INDEX_WIDTH)))

    def _constants(self, values: list[int], width: int) -> Term:
        base, slopes = self._affine(values, width)
        total = terms.const(base, width)
        for dimension, slope in enumerate(slopes):
            if slope:
                index = coordinate(dimension)
                wide = terms.extract(index, 0, width) if width < INDEX_WIDTH else terms.apply("zext", width, (index,))
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
        if len(atoms) > 8:
            raise NoTemplate("expressions of different shapes")
        total = self._constants([form.get(None, 0) & ((1 << width) - 1) for form in forms], width)
        for atom in atoms:
            factor = self._constants([form.get(atom, 0) & ((1 << width) - 1) for form in forms], width)
            if factor.is_const and factor.attr == 0:
                continue
            total = terms.apply("add", width, (terms.apply("mul", width, (atom, factor)), total))
        if atoms and all(len(form) <= 1 for form in forms):
            raise NoTemplate("expressions of different shapes")
        return total


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
