"""The greatest (or least) of the elements around a position that moves in steps  -->  reduce-window over the image that they are taken from.

Before: max(f(s * i), f(s * i + 1), f(s * i + 2)) with a loop index i, f a read, perhaps under a mask of padding.  After: f over all positions, and a window
of 3 that moves by s.  Several indices give a window of several dimensions.  That every operand is the first one moved is seen by putting the moved
position in: the result is the operand itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from act.taidl import Binary, Int
from act.taidl import simplify as simplify_expr
from lift.assemble.elementwise import extreme
from lift.assemble.errors import NoTemplate
from lift.assemble.guards import below, fit
from lift.assemble.integers import Polynomial, index, is_index, to_expr, to_term
from lift.assemble.reads import Operands
from lift.assemble.rewriting import neutral_of, substitute
from lift.assemble.tensors import Extents, Tensor, size_text
from lift.unroll import terms
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term

MOST_ELEMENTS = 64
_REDUCTION = {("maximum", "s"): "max", ("minimum", "s"): "min", ("maximum", "u"): "umax", ("minimum", "u"): "umin"}
Render = Callable[[Term, Extents, list[Term]], Tensor]  # with what is known of the indices


@dataclass(frozen=True, slots=True)
class Position:
    """A term that is `stride` * `symbol`, a loop index whose axis is `axis`; elements are taken at it and up to `size` - 1 after it."""

    term: Term
    symbol: Term
    axis: Term
    stride: Polynomial
    size: int = 1


@dataclass(frozen=True, slots=True)
class Window:
    """`operation` over the elements that `element` is at the positions."""

    operation: str
    kind: str
    element: Term
    positions: tuple[Position, ...]


def windowed(term: Term, want: Extents, operands: Operands, known: list[Term], render: Render) -> Tensor | None:
    """The tensor of such a choice; None for other terms."""
    window = _window(term, want, operands)
    if window is None:
        return None
    for each in window.positions:
        _check(each, known, operands)
    image = _image(window, want, operands, known, render)
    lines = operands.lines
    image = lines.convert(lines.number(image, term.width, window.kind), f"{window.kind}{term.width}")
    if not {p.symbol for p in window.positions} <= set(image.axes):
        raise NoTemplate("a window along an axis that its elements do not depend on", term)
    moved = {p.symbol: p for p in window.positions}
    sizes = [moved[a].size if a in moved else 1 for a in image.axes]
    strides = [size_text(to_expr(moved[a].stride, operands.leaves.expr)) if a in moved else "1" for a in image.axes]
    axes = tuple(moved[a].axis if a in moved else a for a in image.axes)
    neutral = neutral_of(_REDUCTION[window.operation, window.kind], term.width)
    start = lines.scalar(terms.signed(neutral, term.width) if window.kind == "s" else neutral, image.dtype)
    shape = f"size={'x'.join(map(str, sizes))} stride={'x'.join(strides)}"
    return lines.emit(
        image.dtype, axes, tuple(want[a] for a in axes), f"reduce-window({image.name}, {start.name}), window={{{shape}}}, to_apply={window.operation}"
    )


def _check(position: Position, known: list[Term], operands: Operands) -> None:
    """NoTemplate unless the position moves on from each index to the next, and no element's position wraps."""
    stands = terms.apply("sle", 1, (to_term(position.stride), terms.const(0, 64)))
    if implied(known, terms.negate(stands)) is not Verdict.PROVED:
        raise NoTemplate("a window that may not move", position.term)
    if _last(position, operands) >= 1 << position.term.width:
        raise NoTemplate("positions of a window that may wrap", position.term)


def _last(position: Position, operands: Operands) -> int:
    """The greatest position of an element."""
    return operands.reading.greatest(position.symbol) * operands.reading.range(position.stride)[1] + position.size - 1


def _image(window: Window, want: Extents, operands: Operands, known: list[Term], render: Render) -> Tensor:
    """The elements over all positions, along the loop indices in place of their axes."""
    places = {p.axis: index(f"position{p.term.serial}") for p in window.positions}
    values = {p.term: fit(places[p.axis], p.term.width) for p in window.positions}
    last = {places[p.axis]: _last(p, operands) for p in window.positions}
    inner: Extents = {places.get(axis, axis): extent for axis, extent in want.items()}
    for each in window.positions:
        stride, place = to_expr(each.stride, operands.leaves.expr), places[each.axis]
        inner[place] = simplify_expr(Binary("+", Binary("*", Binary("-", want[each.axis], Int(1)), stride), Int(each.size)))
        operands.leaves.axes[place] = operands.leaves.axes[each.axis]
    outer = operands.indices, operands.reading, operands.order, operands.sizes
    operands.indices = {**operands.indices, **{place: {(place,): 1} for place in last}}
    operands.reading = replace(operands.reading, most={**operands.reading.most, **last})
    operands.order = tuple(places.get(axis, axis) for axis in operands.order)
    operands.sizes = {**operands.sizes, **{place: most + 1 for place, most in last.items()}}
    try:
        found = render(substitute(window.element, values), inner, [*known, *below((place, most + 1) for place, most in last.items())])
    finally:
        operands.indices, operands.reading, operands.order, operands.sizes = outer
    back = {places[p.axis]: p.symbol for p in window.positions}
    return replace(found, axes=tuple(back.get(axis, axis) for axis in found.axes))


def _window(term: Term, want: Extents, operands: Operands) -> Window | None:
    """What the term is the extreme of; one element under a mask is a window where its position moves by what a register says."""
    found = extreme(term)
    operation, kind = (found[0], found[1]) if found is not None else ("maximum", "s")
    elements = list(_elements(term, operation, kind))
    if len(elements) > MOST_ELEMENTS or len(set(elements)) != len(elements):
        return None
    if len(elements) == 1 and not _padded(term):
        return None
    for element in reversed(elements):
        positions = list(_positions(element, want, operands))
        if not positions or (len(elements) == 1 and all(p.stride.keys() <= {()} for p in positions)):
            continue  # a read in steps says it
        for sizes in _shapes(len(elements), len(positions)):
            if {_moved(element, positions, by) for by in product(*map(range, sizes))} == set(elements):
                return Window(operation, kind, element, tuple(replace(p, size=n) for p, n in zip(positions, sizes, strict=True)))
    return None


def _elements(term: Term, operation: str, kind: str) -> Iterator[Term]:
    found = extreme(term)
    if found is None or found[:2] != (operation, kind):
        yield term
    else:
        for part in found[2:]:
            yield from _elements(part, operation, kind)


def _padded(element: Term) -> bool:
    return element.op == "mux" and any(is_index(t) for t in terms.walk(element.args[0]))


def _positions(element: Term, want: Extents, operands: Operands) -> Iterator[Position]:
    """The products of a loop index and something else, one of each index."""
    for symbol, place in operands.indices.items():
        ((monomial, factor), *more) = place.items()
        if more or factor != 1 or len(monomial) != 1 or monomial[0] not in want:
            continue
        found = {t for t in terms.walk(element) if t.op == "mul" and any(_is_resized(a, symbol) for a in t.args)}
        if len(found) != 1:
            continue
        (term,) = found
        if any(t is symbol for t in terms.walk(substitute(element, {term: terms.const(0, term.width)}))):
            continue  # it is used elsewhere, too
        read = operands.reading.exact(term)
        if all(m.count(symbol) == 1 for m in read):
            stride = {tuple(t for t in m if t is not symbol): f for m, f in read.items()}
            if not any(is_index(t) for m in stride for t in m):
                yield Position(term, symbol, monomial[0], stride)


def _is_resized(term: Term, symbol: Term) -> bool:
    while term.op in ("zext", "extract") and term is not symbol:
        term = term.args[0]
    return term is symbol


def _moved(element: Term, positions: list[Position], by: tuple[int, ...]) -> Term:
    values = {p.term: terms.apply("add", p.term.width, (p.term, terms.const(n, p.term.width))) for p, n in zip(positions, by, strict=True) if n}
    return substitute(element, values) if values else element


def _shapes(elements: int, dimensions: int) -> Iterator[tuple[int, ...]]:
    """Sizes of windows of so many elements, those that are most alike first."""
    found = [s for s in product(range(1, elements + 1), repeat=dimensions) if prod(s) == elements]
    yield from sorted(found, key=lambda s: (max(s) - min(s), s))
