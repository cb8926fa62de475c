"""The elements that a function writes, as one template over index variables.

Every element has coordinates: the position of its store among its like and the lane of the word, or the place in a state array.  Elements of one
function must be the same expression but for constants that are affine in the coordinates (anti-unification; Plotkin 1970); the template has
coordinate symbols there.  A varying part-select becomes the operator `lane` (word, index), bits [width * index + width - 1 : width * index].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from types import MappingProxyType

from lift.assemble.bits import bits
from lift.assemble.constants import with_constants
from lift.assemble.effects import Effect
from lift.assemble.errors import NoTemplate, NothingWritten
from lift.assemble.guards import conjuncts
from lift.assemble.integers import Reading
from lift.assemble.places import split
from lift.assemble.rewriting import plain, substitute
from lift.assemble.unify import Unifier, coordinate, linear_form
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.relevance import connected
from lift.unroll.solver import satisfiable
from lift.unroll.terms import TRUE, Term

MOST_SPLIT = 1024  # elements along a coordinate
Shapes = Mapping[str, tuple[int, ...]]
NO_SHAPES: Shapes = MappingProxyType({})


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


def word_template(effects: list[Effect], lane_width: int, memory_width: int, shapes: Shapes = NO_SHAPES) -> Template:
    """Stores to a memory of words with lanes of `lane_width` bits; all of them under the same loops.  `shapes` are those of the state arrays."""
    first = effects[0]
    if any(e.loops != first.loops for e in effects):
        raise NoTemplate(f"stores to {first.memory} in different loops")
    effects = _ascending([_rising(e) for e in effects])
    elements = [e for s, effect in enumerate(effects) for j in range(memory_width // lane_width) if (e := _lane(effect, s, j, lane_width)) is not None]
    elements = _possible(elements)
    if not elements:
        raise NothingWritten(f"no element of {first.memory} is written")
    return _template(first, _numbered(elements), memory_width > lane_width, shapes)


def _numbered(elements: list[Element]) -> list[Element]:
    """Elements by the number of their store among those that change something."""
    number = {store: n for n, store in enumerate(sorted({e.coordinates[0] for e in elements}))}
    return [replace(e, coordinates=(number[e.coordinates[0]], *e.coordinates[1:])) for e in elements]


def _ascending(effects: list[Effect]) -> list[Effect]:
    """The stores in the order of their addresses, if these fall by a stride: no element is written twice, so the order does not matter."""
    if len(effects) < 2:
        return effects
    return effects[::-1] if _falls(effects[0].address, effects[1].address) else effects


def _falls(first: Term, second: Term) -> bool:
    """Does an address fall by a stride?"""
    half = 1 << _bare(first).width - 1
    a, b = linear_form(_whole(first)), linear_form(_whole(second))
    steps = [(b.get(t, 0) - a.get(t, 0)) % (2 * half) for t in a.keys() | b.keys()]
    return any(steps) and all(step == 0 or step >= half for step in steps)


def _whole(address: Term) -> Term:
    """An address, or what it is the low bits of."""
    bare = _bare(address)
    return bare.args[0] if bare.op == "extract" and bare.attr == 0 else bare


def _rising(effect: Effect) -> Effect:
    """The same of the iterations of a loop whose number is known."""
    if not effect.loops or not effect.loops[-1][1].is_const:
        return effect
    index, count = effect.loops[-1]
    first, second = (_with(effect, {index: terms.const(n, INDEX_WIDTH)}).address for n in (0, 1))
    last = terms.const(int(count.attr or 0) - 1, INDEX_WIDTH)
    return _with(effect, {index: terms.apply("sub", INDEX_WIDTH, (last, index))}) if _falls(first, second) else effect


def _with(effect: Effect, values: dict[Term, Term]) -> Effect:
    done: dict[Term, Term] = {}
    conditions = tuple(substitute(c, values, done) for c in effect.conditions)
    return replace(effect, conditions=conditions, address=substitute(effect.address, values, done), data=substitute(effect.data, values, done))


def _iterations(effect: Effect) -> list[Effect]:
    """The stores of the iterations of loops whose numbers are known, and few."""
    if not effect.loops or not effect.loops[0][1].is_const:
        return [effect]
    (index, count), *inner = effect.loops
    if int(count.attr or 0) > MOST_SPLIT:
        return [effect]
    rest = replace(effect, loops=tuple(inner))
    return [e for n in range(int(count.attr or 0)) for e in _iterations(_with(rest, {index: terms.const(n, INDEX_WIDTH)}))]


def _possible(elements: list[Element]) -> list[Element]:
    """Without the elements that are never written because their guard cannot hold.  Conjuncts that have nothing in common are asked apart: the
    rows and the lanes of a word are, and there are fewer of them than of elements."""
    done: dict[Term, Term] = {}
    return [e for e in elements if e.guard is TRUE or all(satisfiable(part) for part in _apart(conjuncts(plain(e.guard, done))))]


def _apart(conditions: list[Term]) -> Iterator[list[Term]]:
    """The conditions in groups that share no bits."""
    rest = conditions
    while rest:
        group = [rest[0], *connected(rest[1:], rest[0])]
        yield group
        rest = [c for c in rest if c not in group]


def _lane(effect: Effect, store: int, lane: int, width: int) -> Element | None:
    """Lane `lane` of one store, None when it keeps its old value."""
    value = bits(effect.data, lane * width, width)
    old = terms.load(effect.memory, effect.data.width, effect.address)
    guard = _all(effect.conditions)
    kept = terms.extract(old, lane * width, width) if width < old.width else old
    if value is kept:
        return None
    if value.op == "mux" and any(t.op == "load" and t.attr == effect.memory for t in terms.walk(value.args[0])):
        pass  # a choice by what is stored there, as of the greater of two, is no guard
    elif value.op == "mux" and value.args[2] is kept:
        guard, value = terms.both(guard, value.args[0]), value.args[1]
    elif value.op == "mux" and value.args[1] is kept:
        guard, value = terms.both(guard, terms.negate(value.args[0])), value.args[2]
    return Element((store, lane), guard, _bare(effect.address), value)


def array_template(effects: list[Effect], shape: tuple[int, ...], shapes: Shapes = NO_SHAPES) -> Template:
    """Stores to a state array at constant indices."""
    effects = [each for e in effects for each in _iterations(e)]
    first = effects[0]
    if any(e.loops for e in effects):
        raise NoTemplate(f"{first.memory} is stored in a loop")
    if any(not e.address.is_const for e in effects):
        raise NoTemplate(f"{first.memory} is stored at a computed index")
    zero, changing = terms.const(0, INDEX_WIDTH), [e for e in effects if e.data is not terms.load(e.memory, e.data.width, e.address)]
    if not changing:
        raise NothingWritten(f"no element of {first.memory} is changed")
    elements = [Element(_unflatten(int(e.address.attr or 0), shape), _all(e.conditions), zero, e.data) for e in effects]
    coordinates = _coordinates(first, elements)
    return _unified(first, elements, Grid([e.coordinates for e in elements], coordinates, tuple(c.symbol for c in coordinates)), shapes)


def _template(first: Effect, elements: list[Element], lanes: bool, shapes: Shapes) -> Template:
    coordinates = _coordinates(first, elements)
    unit = (coordinates[1].symbol,) if lanes else ()
    return _unified(first, elements, Grid([e.coordinates for e in elements], coordinates, unit), shapes)


def _coordinates(first: Effect, elements: list[Element]) -> tuple[Coordinate, ...]:
    """The grid that the elements fill, each place once."""
    found = [e.coordinates for e in elements]
    sizes = [max(places) + 1 for places in zip(*found, strict=True)]
    if len(found) != prod(sizes) or set(found) != set(product(*(range(n) for n in sizes))):
        raise NoTemplate(f"{first.memory} is stored in part")
    return tuple(Coordinate(coordinate(d), n) for d, n in enumerate(sizes))


def _unified(first: Effect, elements: list[Element], whole: Grid, shapes: Shapes) -> Template:
    """On the grid of the coordinates; if there is no template on it, on one where a coordinate is split in two or three (rows and columns, say), or with
    the constants among the elements apart."""
    try:
        return _on_grid(first, elements, whole, shapes)
    except NoTemplate as reason:
        for grid in _finer(whole):
            with suppress(NoTemplate):
                return _on_grid(first, elements, grid, shapes)
        with suppress(NoTemplate):
            return _on_grid(first, elements, whole, shapes, with_constants(whole.points, [e.value for e in elements]))
        raise reason


@dataclass(frozen=True, slots=True)
class Grid:
    """`points` are the places of the elements along `coordinates`; `unit` is where in a word or array they are."""

    points: list[tuple[int, ...]]
    coordinates: tuple[Coordinate, ...]
    unit: tuple[Term, ...]


def _on_grid(first: Effect, elements: list[Element], grid: Grid, shapes: Shapes, value: Term | None = None) -> Template:
    """`value` is the template of the values, if it is known."""
    unifier = Unifier(grid.points)
    guard = unifier.unify(tuple(e.guard for e in elements))
    address = unifier.unify(tuple(e.address for e in elements))
    value = unifier.unify(tuple(e.value for e in elements)) if value is None else value
    _check_rows(value, grid, shapes)
    kept = tuple(c for c in grid.coordinates if c.size > 1 or c.symbol in grid.unit)
    loops = tuple((i, n) for i, n in first.loops if not n.is_const)
    fixed = tuple(Coordinate(i, int(n.attr or 0)) for i, n in first.loops if n.is_const)
    return Template(first.memory, loops, (*fixed, *kept), guard, address, grid.unit, value)


def _check_rows(value: Term, grid: Grid, shapes: Shapes) -> None:
    """Raises NoTemplate where a coordinate counts through all elements of an array with rows."""
    reading = Reading({c.symbol: c.size - 1 for c in grid.coordinates})
    for load in terms.walk(value):
        shape = shapes.get(str(load.attr), ()) if load.op == "load" else ()
        if len(shape) > 1 and (index := reading.exact(load.args[0])).keys() <= {(), *((s,) for s in reading.most)}:
            split(index, shape, reading)


def _finer(grid: Grid) -> Iterator[Grid]:
    """Grids on which one coordinate is split into factors of its size, outermost first."""
    coordinates, points = grid.coordinates, grid.points
    for place, whole in enumerate(coordinates):
        for factors in _factorisations(whole.size):
            sizes = [*(c.size for c in coordinates[:place]), *factors, *(c.size for c in coordinates[place + 1 :])]
            parted = tuple(Coordinate(coordinate(d), n) for d, n in enumerate(sizes))
            finer = [(*p[:place], *_unflatten(p[place], factors), *p[place + 1 :]) for p in points]
            before, parts, after = parted[:place], parted[place : place + len(factors)], parted[place + len(factors) :]
            renamed = [*(c.symbol for c in before), _joined(parts), *(c.symbol for c in after)]
            new = dict(zip((c.symbol for c in coordinates), renamed, strict=True))
            yield Grid(finer, parted, tuple(new[u] for u in grid.unit))


def _factorisations(size: int) -> Iterator[tuple[int, ...]]:
    """Two factors, then three; not for sizes that would take long."""
    if size > MOST_SPLIT:
        return
    divisors = [d for d in range(2, size) if size % d == 0]
    yield from ((size // d, d) for d in divisors)
    yield from ((size // d // e, d, e) for d in divisors for e in divisors if size % (d * e) == 0 and d * e < size)


def _joined(parts: tuple[Coordinate, ...]) -> Term:
    """The coordinate that was split."""
    total = parts[0].symbol
    for each in parts[1:]:
        total = terms.apply("add", INDEX_WIDTH, (terms.apply("mul", INDEX_WIDTH, (total, terms.const(each.size, INDEX_WIDTH))), each.symbol))
    return total


def _all(conditions: tuple[Term, ...]) -> Term:
    guard = TRUE
    for condition in conditions:
        guard = terms.both(guard, condition)
    return guard


def _bare(address: Term) -> Term:
    """An address without the extension to the index type."""
    return address.args[0] if address.op == "zext" else address


def _unflatten(index: int, shape: Sequence[int]) -> tuple[int, ...]:
    result: list[int] = []
    for size in reversed(shape):
        index, position = divmod(index, size)
        result.append(position)
    return tuple(reversed(result))
