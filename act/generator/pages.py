"""An address in two attributes, a page and a place in it -> one attribute, where the place is always within the page.

Before --> after:  `pad[16 * page + off + i]`, if off < 16 --> `pad[page_off + i]`, issued with page = page_off / 16 and off = page_off % 16
"""

from __future__ import annotations

from act.generator.forms import Form, with_slices
from act.records import replace
from act.taidl.bounds import Range, refine
from act.taidl.expr import conjuncts, names
from act.taidl.model import Binary, Expr, Instruction, Int, Name, Slice
from act.taidl.simplify import from_polynomial, polynomial

Pair = tuple[str, str, int]
"""The attributes of the page and of the place in it, and the size of a page."""


def with_joined_addresses(form: Form) -> Form:
    """The form with one attribute for each such pair that is used in no other way."""
    operation = form.operation
    pairs = dict.fromkeys(pair for piece in operation.slices for coordinate in piece.coordinates for pair in _pairs(coordinate, operation))
    for pair in pairs:
        if _is_only_joined(form.operation, pair):
            form = _joined(form, pair)
    return form


def _pairs(coordinate: Expr, operation: Instruction) -> list[Pair]:
    terms = {factors[0].name: size for factors, size in polynomial(coordinate).items() if len(factors) == 1 and isinstance(factors[0], Name)}
    places = [(name, size) for name, size in terms.items() if name in operation.beta]
    if len(places) != 2:
        return []
    (place, one), (page, size) = sorted(places, key=lambda each: each[1])
    return [(page, place, size)] if one == 1 and _limit(operation, place) == size - 1 else []


def _limit(operation: Instruction, name: str) -> int | None:
    """The greatest value of an attribute, by the conditions and by the width of the field that holds it."""
    fields = [Range(0, (1 << each.high - each.low + 1) - 1) for each in operation.encode if each.value == Name(name)]
    start = fields[0] if fields else Range(0, None)
    return refine({name: start}, _conditions(operation))[name].high


def _conditions(operation: Instruction) -> list[Expr]:
    return [part for each in operation.when for part in conjuncts(each)]


def _is_only_joined(operation: Instruction, pair: Pair) -> bool:
    """Every coordinate has both attributes in this way or none of them, and no condition is about more than the place in the page."""
    page, place, _ = pair
    coordinates = [each for piece in operation.slices for each in piece.coordinates]
    if any({page, place} & names(each) and pair not in _pairs(each, operation) for each in coordinates):
        return False
    others = [each.value for each in operation.sets] + ([operation.cost] if operation.cost else [])
    extents = [index.extent for piece in operation.slices for index in piece.indices]
    used = {name for each in (*others, *extents) for name in names(each)}
    return not used & {page, place} and all(names(each) == {place} or not names(each) & {page, place} for each in _conditions(operation))


def _joined(form: Form, pair: Pair) -> Form:
    page, place, size = pair
    operation, name = form.operation, f"{page}_{place}"
    while name in operation.attributes:
        name += "_"

    def change(coordinate: Expr) -> Expr:
        terms = polynomial(coordinate)
        if (Name(page),) not in terms:
            return coordinate
        rest = {factors: factor for factors, factor in terms.items() if factors not in ((Name(page),), (Name(place),))}
        return from_polynomial({(Name(name),): 1, **rest})

    operation = with_slices(operation, lambda piece: Slice(piece.buffer, tuple(map(change, piece.coordinates)), piece.indices))
    beta = tuple(name if each == page else each for each in operation.beta if each != place)
    when = tuple(each for each in _conditions(operation) if place not in names(each))
    given: dict[str, Expr] = {page: Binary("/", Name(name), Int(size)), place: Binary("%", Name(name), Int(size))}
    return Form(replace(operation, beta=beta, when=when), {**given, **form.given})
