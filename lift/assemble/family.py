"""The elements that a function writes, as one template over index variables.

Every element has coordinates: the position of its store among its like and the lane of the word, or the place in a state array.  Elements of one
function must be the same expression but for constants that are affine in the coordinates (anti-unification; Plotkin 1970); the template has
coordinate symbols there.  A varying part-select becomes the operator `lane` (word, index), bits [width * index + width - 1 : width * index].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from lift.assemble.bits import bits
from lift.assemble.errors import NoTemplate, NothingWritten
from lift.assemble.guards import conjuncts
from lift.assemble.read_ir import Effect
from lift.assemble.rewriting import plain
from lift.assemble.unify import Unifier, coordinate
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.relevance import connected
from lift.unroll.solver import satisfiable
from lift.unroll.terms import TRUE, Term


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
    if value.op == "mux" and value.args[2] is kept:
        guard, value = terms.both(guard, value.args[0]), value.args[1]
    elif value.op == "mux" and value.args[1] is kept:
        guard, value = terms.both(guard, terms.negate(value.args[0])), value.args[2]
    return Element((store, lane), guard, _bare(effect.address), value)


def array_template(effects: list[Effect], shape: tuple[int, ...]) -> Template:
    """Stores to a state array at constant indices."""
    first = effects[0]
    if any(e.loops for e in effects):
        raise NoTemplate(f"{first.memory} is stored in a loop")
    if any(not e.address.is_const for e in effects):
        raise NoTemplate(f"{first.memory} is stored at a computed index")
    zero = terms.const(0, INDEX_WIDTH)
    elements = [Element(_unflatten(int(e.address.attr or 0), shape), _all(e.conditions), zero, e.data) for e in effects]
    coordinates = _coordinates(first, elements)
    return _unified(first, elements, coordinates, tuple(c.symbol for c in coordinates))


def _template(first: Effect, elements: list[Element], lanes: bool) -> Template:
    coordinates = _coordinates(first, elements)
    unit = (coordinates[1].symbol,) if lanes else ()
    return _unified(first, elements, coordinates, unit)


def _coordinates(first: Effect, elements: list[Element]) -> tuple[Coordinate, ...]:
    """The grid that the elements fill, each place once."""
    found = [e.coordinates for e in elements]
    sizes = [max(places) + 1 for places in zip(*found, strict=True)]
    if len(found) != prod(sizes) or set(found) != set(product(*(range(n) for n in sizes))):
        raise NoTemplate(f"{first.memory} is stored in part")
    return tuple(Coordinate(coordinate(d), n) for d, n in enumerate(sizes))


def _unified(first: Effect, elements: list[Element], coordinates: tuple[Coordinate, ...], unit: tuple[Term, ...]) -> Template:
    unifier = Unifier([e.coordinates for e in elements])
    guard = unifier.unify(tuple(e.guard for e in elements))
    address = unifier.unify(tuple(e.address for e in elements))
    value = unifier.unify(tuple(e.value for e in elements))
    kept = tuple(c for c in coordinates if c.size > 1 or c.symbol in unit)
    loops = tuple((i, n) for i, n in first.loops if not n.is_const)
    fixed = tuple(Coordinate(i, int(n.attr or 0)) for i, n in first.loops if n.is_const)
    return Template(first.memory, loops, (*fixed, *kept), guard, address, unit, value)


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
