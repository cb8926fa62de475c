"""Slices -> address maps: which attribute is the start, along which coordinate each dimension runs, and with what step.

Before --> after:  `spad[row + i + j / 16 * block_stride][j % 16 : i < rows, j < cols]` --> starts (row, 0), axes (0, 1), if cols <= 16.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.generator.model import InHost, OnChip, Start, Typed
from act.generator.strides import scaled
from act.hlo.dtypes import stored_bytes
from act.records import dataclass
from act.taidl.bounds import Range, Ranges, bounds, refine
from act.taidl.expr import children
from act.taidl.model import Binary, Expr, Index, Int, Name, Slice
from act.taidl.simplify import constant, equal, from_polynomial, polynomial, simplify


class NotSelectable(Exception):
    """The reason why the compiler cannot use an instruction."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of an instruction by what they are, and the ranges that its conditions give the computational attributes.

    `free` are the computational attributes that only say where elements are.
    """

    alpha: frozenset[str]
    beta: frozenset[str]
    registers: frozenset[str]
    free: frozenset[str]
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Linear:
    """A coordinate: `start`, and for each index variable the factor it is multiplied with."""

    start: Start
    factors: dict[str, Expr]


def narrowing(slices: Sequence[Slice], scope: Scope) -> list[Expr]:
    """Conditions on alpha under which blocks `j / d` and `j % d` of an index variable vanish: its extent is at most `d`."""
    found: list[Expr] = []
    for piece in slices:
        extents = {index.name: index.extent for index in piece.indices}
        for part in (part for coordinate in piece.coordinates for part in _parts(coordinate)):
            match part:
                case Binary("/" | "%", Name(name), Int(by)) if name in extents and not at_most(extents[name], by, scope):
                    found.append(Binary("<=", extents[name], Int(by)))
    return list(dict.fromkeys(found))


def _parts(expr: Expr) -> Iterator[Expr]:
    yield expr
    for child in children(expr):
        yield from _parts(child)


def at_most(extent: Expr, limit: int, scope: Scope) -> bool:
    """Whether the conditions on alpha show that `extent` is not above `limit`."""
    high = bounds(extent, scope.ranges).high
    return high is not None and high <= limit


def index_ranges(indices: Sequence[Index], ranges: Ranges) -> dict[str, Range]:
    """The ranges of alpha and of the index variables."""
    found = dict(ranges)
    for index in indices:
        high = bounds(index.extent, ranges).high
        found[index.name] = Range(0, None if high is None else max(high - 1, 0))
    return found


def resolve_blocks(expr: Expr, ranges: Ranges) -> Expr:
    """`expr` without the divisions and remainders whose quotient is one number for all values in `ranges`."""
    match expr:
        case Binary(op, left, right):
            left, right = resolve_blocks(left, ranges), resolve_blocks(right, ranges)
            quotient = bounds(Binary("/", left, right), ranges) if op in ("/", "%") else Range()
            if quotient.low is None or quotient.low != quotient.high:
                return Binary(op, left, right)
            whole = Int(quotient.low)
            return whole if op == "/" else Binary("-", left, Binary("*", whole, right))
    return expr


def without_wrap(expr: Expr, size: int) -> Expr:
    """A coordinate without the wrap-around of an address: what is allocated lies within the `size` elements, so that `x % n` and
    `x & (n - 1)` are x when n is not less than `size`.  (That no address wraps is checked again in every finished program.)"""
    match expr:
        case Binary("%", inner, period) if (constant(period) or 0) >= size:
            return without_wrap(inner, size)
        case Binary("&", inner, mask) if (constant(mask) or 0) + 1 >= size and (constant(mask) or 0) & ((constant(mask) or 0) + 1) == 0:
            return without_wrap(inner, size)
    return expr


def linear(expr: Expr, size: int, indices: Sequence[Index], scope: Scope) -> Linear:
    """The coordinate, of `size` places, as a linear form; `NotSelectable` when it is none."""
    names = {index.name for index in indices}
    attribute, scale, offset, factors = None, 0, {}, {}
    for monomial, coefficient in polynomial(resolve_blocks(without_wrap(expr, size), index_ranges(indices, scope.ranges))).items():
        found = [factor.name for factor in monomial if isinstance(factor, Name)]
        if len(found) != len(monomial):
            raise NotSelectable("an address is not linear in the index variables")
        variables = [name for name in found if name in names]
        if len(variables) > 1:
            raise NotSelectable("an address is not linear in the index variables")
        if len(variables) == 1:
            rest = tuple(factor for factor, name in zip(monomial, found, strict=True) if name not in names)
            factors.setdefault(variables[0], {})[rest] = coefficient
        elif not variables and all(name in scope.alpha for name in found):
            offset[monomial] = coefficient
        elif not variables and len(found) == 1 and found[0] in scope.beta and attribute is None and coefficient > 0:
            attribute, scale = found[0], coefficient
        else:
            raise NotSelectable("an address depends on a register or on several attributes")
    return Linear(Start(attribute, scale, from_polynomial(offset)), {name: from_polynomial(terms) for name, terms in factors.items()})


def on_chip(piece: Slice, sizes: Sequence[int], scope: Scope) -> OnChip:
    """The address map of a slice of an accelerator memory of `sizes`."""
    coordinates = [linear(coordinate, size, piece.indices, scope) for coordinate, size in zip(piece.coordinates, sizes, strict=True)]
    axes, registers = [], []
    for index in piece.indices:
        places = [number for number, coordinate in enumerate(coordinates) if index.name in coordinate.factors]
        if len(places) != 1 or places[0] in axes:
            raise NotSelectable(f"a dimension of a slice of {piece.buffer} does not run along a coordinate of its own")
        axes.append(places[0])
        registers += _unit_step(coordinates[places[0]].factors[index.name], piece.buffer, scope)
    return OnChip(piece.buffer, tuple(coordinate.start for coordinate in coordinates), tuple(axes), tuple(registers))


def main_coordinate(access: OnChip) -> int:
    """The coordinate along which values are placed; along all others they begin at 0."""
    return next((position for position, start in enumerate(access.starts) if start.attribute), 0)


def _unit_step(factor: Expr, buffer: str, scope: Scope) -> list[str]:
    match factor:
        case Name(name) if name in scope.registers:
            return [name]
    if constant(factor) != 1:
        raise NotSelectable(f"elements of a slice of {buffer} are not next to each other")
    return []


def in_host(piece: Slice, size: int, typed: Typed, scope: Scope) -> InHost:
    """The address map of a slice of host memory of `size` bytes that holds the bytes of `typed`."""
    if len(piece.coordinates) != 1:
        raise NotSelectable("host memory has more than one coordinate")
    form = linear(piece.coordinates[0], size, piece.indices, scope)
    strides = [form.factors.get(index.name, Int(0)) for index in piece.indices]
    if typed.dense:
        _check_dense(piece, strides)
        strides = _row_major(typed)
    elif typed.trailing:
        if constant(strides[-1]) != 1 or constant(piece.indices[-1].extent) != stored_bytes(typed.dtype):
            raise NotSelectable("the bytes of an element are not next to each other")
        strides.pop()
    chosen = scope.registers | scope.free
    if any(_names(stride) & chosen and scaled(stride) is None for stride in strides):
        raise NotSelectable("a stride is computed from a register or from an attribute that nothing else determines")
    names = [name for name, _ in filter(None, map(scaled, strides)) if name in chosen]
    return InHost(piece.buffer, form.start, tuple(strides), tuple(names))


def _check_dense(piece: Slice, strides: Sequence[Expr]) -> None:
    step: Expr = Int(1)
    for index, stride in reversed(list(zip(piece.indices, strides, strict=True))):
        if not equal(stride, step):
            raise NotSelectable("the bytes of a reshaped operand do not follow each other")
        step = Binary("*", step, index.extent)


def _row_major(typed: Typed) -> list[Expr]:
    strides: list[Expr] = []
    step: Expr = Int(stored_bytes(typed.dtype))
    for size in reversed(typed.dims):
        strides.append(simplify(step))
        step = Binary("*", step, size)
    return strides[::-1]


def _names(expr: Expr) -> set[str]:
    return {part.name for part in _parts(expr) if isinstance(part, Name)}


def attribute_ranges(alpha: Sequence[str], conditions: Sequence[Expr]) -> dict[str, Range]:
    """What `conditions` say of each computational attribute, at least that it is not negative."""
    return refine({name: Range(0, None) for name in alpha}, conditions)
