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
from lift.assemble.guards import below
from lift.assemble.integers import Polynomial, index, is_index, to_expr
from lift.assemble.reads import Operands
from lift.assemble.rewriting import substitute
from lift.assemble.tensors import Extents, Tensor, size_text
from lift.unroll import terms
from lift.unroll.terms import Term

MOST_ELEMENTS = 64


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


def windowed(term: Term, want: Extents, operands: Operands, known: list[Term], render: Callable[[Term, Extents, list[Term]], Tensor]) -> Tensor | None:
    """The tensor of such a choice; None for other terms."""
    window = _window(term, want, operands)
    if window is None:
        return None
    image = _image(window, want, operands, known, render)
    lines = operands.lines
    image = lines.convert(lines.number(image, term.width, window.kind), f"{window.kind}{term.width}")
    if not {p.symbol for p in window.positions} <= set(image.axes):
        raise NoTemplate("a window along an axis that its elements do not depend on", term)
    moved = {p.symbol: p for p in window.positions}
    sizes = [moved[a].size if a in moved else 1 for a in image.axes]
    strides = [size_text(to_expr(moved[a].stride, operands.leaves.expr)) if a in moved else "1" for a in image.axes]
    axes = tuple(moved[a].axis if a in moved else a for a in image.axes)
    start = lines.scalar(_neutral(window, term.width), image.dtype)
    shape = f"size={'x'.join(map(str, sizes))} stride={'x'.join(strides)}"
    return lines.emit(
        image.dtype, axes, tuple(want[a] for a in axes), f"reduce-window({image.name}, {start.name}), window={{{shape}}}, to_apply={window.operation}"
    )


def _neutral(window: Window, width: int) -> int:
    greatest = (1 << width - (window.kind == "s")) - 1
    least = -greatest - 1 if window.kind == "s" else 0
    return least if window.operation == "maximum" else greatest


def _image(window: Window, want: Extents, operands: Operands, known: list[Term], render: Callable[[Term, Extents, list[Term]], Tensor]) -> Tensor:
    """The elements over all positions, whose symbols are the axes."""
    values: dict[Term, Term] = {}
    inner: Extents = dict(want)
    indices, most, sizes = dict(operands.indices), dict(operands.reading.most), dict(operands.sizes)
    for each in window.positions:
        count = 1 + operands.reading.greatest(each.symbol)
        last = _last(each, count, operands)
        if last >= 1 << each.term.width:
            raise NoTemplate("positions of a window that may wrap", each.term)
        place = index(f"position{each.term.serial}")
        values[each.term] = terms.extract(place, 0, each.term.width)
        inner[place] = simplify_expr(
            Binary("+", Binary("*", Binary("-", inner.pop(each.axis), Int(1)), to_expr(each.stride, operands.leaves.expr)), Int(each.size))
        )
        indices[place], most[place], sizes[place] = {(place,): 1}, last, last + 1
        operands.leaves.axes[place] = operands.leaves.axes[each.axis]
    places = dict(zip((p.axis for p in window.positions), values.values(), strict=True))
    order = tuple(_symbol(places[a]) if a in places else a for a in operands.order)
    outer = operands.indices, operands.reading, operands.order, operands.sizes
    operands.indices, operands.reading, operands.order, operands.sizes = indices, replace(operands.reading, most=most), order, sizes
    try:
        found = render(substitute(window.element, values), inner, [*known, *below((_symbol(v), sizes[_symbol(v)]) for v in values.values())])
    finally:
        operands.indices, operands.reading, operands.order, operands.sizes = outer
    back = {_symbol(v): p.symbol for v, p in zip(values.values(), window.positions, strict=True)}
    return replace(found, axes=tuple(back.get(a, a) for a in found.axes))


def _symbol(place: Term) -> Term:
    return place.args[0] if place.op == "extract" else place


def _last(position: Position, count: int, operands: Operands) -> int:
    """The greatest position of an element."""
    return (count - 1) * operands.reading.range(position.stride)[1] + position.size - 1


def _window(term: Term, want: Extents, operands: Operands) -> Window | None:
    """What the term is the extreme of; one element is a window where its position moves by more than one."""
    found = extreme(term)
    operation, kind = (found[0], found[1]) if found is not None else ("maximum", "s")
    elements = list(_elements(term, operation, kind))
    if len(elements) > MOST_ELEMENTS or len(set(elements)) != len(elements):
        return None
    for element in reversed(elements):
        positions = list(_positions(element, want, operands))
        if not positions or (len(elements) == 1 and not _padded(element)):
            continue
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
        others = [t for t in terms.walk(element) if symbol in t.args and t.op not in ("zext", "extract")]
        if len(found) != 1 or others:
            continue
        (term,) = found
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
