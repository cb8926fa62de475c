"""where index < low or index >= high then a number else data  -->  the data over low <= index < high, padded with the number.

The bounds may be on several axes.  That each condition is the bound it is read as is proved (`lift.assemble.guards.inequality`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from act.taidl import Binary, Expr, Int
from act.taidl import simplify as simplify_expr
from lift.assemble.errors import NoTemplate
from lift.assemble.guards import has_index, inequality
from lift.assemble.integers import Polynomial, index, indices_of, plus, to_expr, to_term, without
from lift.assemble.reads import Operands
from lift.assemble.rewriting import plain, substitute
from lift.assemble.tensors import Extents, Lines, Tensor, size_text
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term

Bounds = dict[Term, Polynomial]  # of template indices


def padded(term: Term, want: Extents, operands: Operands, known: list[Term], render: Callable[[Term, Extents], Tensor]) -> Tensor | None:
    """The tensor of such a choice; None for other terms.  NoTemplate when the bounds are none of single indices."""
    around, kept, rest = _peeled(term, operands)
    if not kept:
        return None
    lows, highs = _bounds(kept, known, operands)
    leaf = operands.leaves.expr
    before: Extents = {}
    inner: Extents = dict(want)
    values: dict[Term, Term] = {}
    indices, most = dict(operands.indices), dict(operands.reading.most)
    for number, symbol in enumerate(dict.fromkeys((*lows, *highs))):
        axis = _axis(symbol, operands)
        low = lows.get(symbol, {})
        before[axis] = to_expr(low, leaf)
        high = to_expr(highs[symbol], leaf) if symbol in highs else want[axis]
        inner[axis] = simplify_expr(Binary("-", high, before[axis]))
        moved = index(f"inner{number}")
        values[symbol] = terms.apply("add", INDEX_WIDTH, (moved, to_term(low, INDEX_WIDTH)))
        indices[moved], most[moved] = {(axis,): 1}, operands.reading.greatest(symbol)
    outer = operands.indices, operands.reading
    operands.indices, operands.reading = indices, replace(operands.reading, most=most)
    try:
        found = render(substitute(rest, values), inner)
    finally:
        operands.indices, operands.reading = outer
    found = operands.lines.broadcast(found, tuple(a for a in _axes(operands, inner) if a in found.axes or a in before), inner)
    return _pad(operands.lines, found, around, before, want)


def _axes(operands: Operands, inner: Extents) -> tuple[Term, ...]:
    return (*operands.order, *(a for a in inner if a not in operands.order))


def _peeled(term: Term, operands: Operands) -> tuple[Term, list[Term], Term]:
    """The number that is chosen outside of bounds of indices, the conditions that hold inside, and what is chosen there."""
    around, kept = term.args[1] if term.op == "mux" else term, list[Term]()
    while term.op == "mux" and term.args[1] is around and around.is_const and has_index(term.args[0]):
        conditions = list(_kept(term.args[0]))
        if any(c.op not in ("ult", "ule") or any(t.op == "load" and t.attr in operands.storage for t in terms.walk(c)) for c in conditions):
            break  # a choice by data, or of one place
        kept += conditions
        term = term.args[2]
    return around, kept, term


def _kept(condition: Term) -> Iterator[Term]:
    """The conditions, all of which hold where `condition` does not."""
    if condition.op == "or":
        for part in condition.args:
            yield from _kept(part)
    elif condition.op in ("ult", "ule"):
        yield terms.apply("ule" if condition.op == "ult" else "ult", 1, condition.args[::-1])
    else:
        yield terms.negate(condition)


def _bounds(conditions: list[Term], known: list[Term], operands: Operands) -> tuple[Bounds, Bounds]:
    """Of each index, the least value and the one that it does not reach."""
    lows: Bounds = {}
    highs: Bounds = {}
    for number, condition in enumerate(conditions):
        # Where an earlier one does not hold it does not matter what a later one says.
        found = inequality(condition, [*known, *map(plain, conditions[:number])], operands.reading)
        (symbol, *more) = indices_of(found) or [None]
        factor = found.get((symbol,), 0) if symbol is not None else 0
        if symbol is None or more or factor not in (1, -1):
            raise NoTemplate("padding that is no bound of one index", condition)
        rest = without(found, {symbol})
        bound = plus({(): 1}, rest, -1) if factor == 1 else rest
        side = lows if factor == 1 else highs
        if symbol in side or operands.reading.range(bound)[0] < 0:
            raise NoTemplate("padding with several bounds of an index, or a negative one", condition)
        side[symbol] = bound
    return lows, highs


def _axis(symbol: Term, operands: Operands) -> Term:
    place = operands.indices.get(symbol, {(symbol,): 1})
    ((monomial, factor), *more) = place.items()
    if more or factor != 1 or len(monomial) != 1:
        raise NoTemplate("padding along an index that is no axis", symbol)
    return monomial[0]


def _pad(lines: Lines, value: Tensor, around: Term, before: Extents, want: Extents) -> Tensor:
    """A number around the value's elements, up to what is wanted."""
    sizes = []
    for axis, extent in zip(value.axes, value.extents, strict=True):
        low: Expr = before.get(axis, Int(0))
        after = simplify_expr(Binary("-", Binary("-", want[axis], low), extent))
        sizes.append(f"{size_text(low)}_{size_text(after)}")
    number = int(around.attr or 0)
    constant = lines.scalar(terms.signed(number, around.width) if value.dtype[0] == "s" else number, value.dtype)
    return lines.emit(value.dtype, value.axes, tuple(want[a] for a in value.axes), f"pad({value.name}, {constant.name}), padding={'x'.join(sizes)}")
