"""Chains of selects (`m[i][j].field[7:0]`) to a base, a word index and a lowest bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pyslang.ast as ast

from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.select import position, total
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import array_dimensions, field_offset, is_flat, packed_range, width_of


@dataclass(frozen=True, slots=True)
class Selection:
    """Part of `symbol` (a variable, or an expression of other kind): its word `index` if it is an array, of that the bits from
    `low` - `bias`; `width` is that of the base's word.  `dimensions` are those not yet selected."""

    symbol: ast.Symbol | ast.Expression
    width: int
    index: Node | None = None
    low: Node | None = None
    bias: int = 0
    dimensions: tuple[tuple[int, int], ...] = ()


def selection(b: Builder, source: SourceMap, e: ast.Expression, convert: Callable[[ast.Expression], Node]) -> Selection | None:
    """The selection that `e` makes, None for an expression that cannot be selected from."""
    match e:
        case ast.ElementSelectExpression():
            return _element(b, source, e, convert)
        case ast.RangeSelectExpression():
            return _range(b, source, e, convert)
        case ast.MemberAccessExpression():
            return _member(b, source, e, convert)
        case ast.NamedValueExpression() | ast.HierarchicalValueExpression():
            dimensions, word = array_dimensions(e.type)
            return Selection(e.symbol, width_of(word), dimensions=tuple(dimensions))
    return Selection(e, width_of(e.type))


def words(b: Builder, base: Selection) -> Iterator[Node]:
    """The index of each word that the selection of an array leaves, in the order of their bits, the highest first."""
    if not base.dimensions:
        assert base.index is not None
        yield base.index
        return
    (left, right), *rest = base.dimensions
    step = 1 if right >= left else -1
    for k in range(left, right + step, step):
        at = b.const((k - min(left, right)) * _size(rest), 32)
        yield from words(b, replace(base, index=_sum(b, base.index, at), dimensions=tuple(rest)))


def _sum(b: Builder, index: Node | None, at: Node) -> Node:
    if index is None:
        return at
    if index.op == at.op == "const" and isinstance(index.attr, int) and isinstance(at.attr, int):
        return b.const(index.attr + at.attr, 32)
    return total(b, index, at)


def _element(b: Builder, source: SourceMap, e: ast.ElementSelectExpression, convert: Callable[[ast.Expression], Node]) -> Selection | None:
    base = selection(b, source, e.value, convert)
    if base is None:
        return None
    index, sign = convert(e.selector), e.selector.type.isSigned
    if base.dimensions:
        (left, right), *rest = base.dimensions
        at = position(b, index, sign, max(left, right), min(left, right), _size(rest))
        return replace(base, index=_sum(b, base.index, at), dimensions=tuple(rest))
    left, right, size = packed_range(e.value.type)
    return _lower(b, base, position(b, index, sign, left, right, size))


def _range(b: Builder, source: SourceMap, e: ast.RangeSelectExpression, convert: Callable[[ast.Expression], Node]) -> Selection | None:
    base = selection(b, source, e.value, convert)
    if base is None:
        return None
    if base.dimensions:
        return _slice(b, source, base, e, convert)
    left, right, size = packed_range(e.value.type)
    descending = left >= right
    if e.selectionKind == ast.RangeSelectionKind.Simple:
        return _lower(b, base, position(b, convert(e.right), e.right.type.isSigned, left, right, size))
    index, sign = convert(e.left), e.left.type.isSigned
    at = position(b, index, sign, left, right, size)
    if (e.selectionKind == ast.RangeSelectionKind.IndexedUp) == descending:
        return _lower(b, base, at)
    return replace(_lower(b, base, at), bias=base.bias + e.type.bitWidth - size)


def _slice(b: Builder, source: SourceMap, base: Selection, e: ast.RangeSelectExpression, convert: Callable[[ast.Expression], Node]) -> Selection:
    """Some of the words of an array, between constant bounds."""
    first, second = convert(e.left), convert(e.right)
    if first.op != "const" or second.op != "const" or not isinstance(first.attr, int) or not isinstance(second.attr, int):
        raise source.unsupported(e, "a range of array words that is not constant", "select words one by one")
    (left, right), *rest = base.dimensions
    one, count = first.attr, second.attr
    low, high = {
        ast.RangeSelectionKind.Simple: (min(one, count), max(one, count)),
        ast.RangeSelectionKind.IndexedUp: (one, one + count - 1),
    }.get(e.selectionKind, (one - count + 1, one))
    at = b.const((low - min(left, right)) * _size(rest), 32)
    return replace(base, index=_sum(b, base.index, at), dimensions=((high, low) if left >= right else (low, high), *rest))


def _member(b: Builder, source: SourceMap, e: ast.MemberAccessExpression, convert: Callable[[ast.Expression], Node]) -> Selection | None:
    base = selection(b, source, e.value, convert)
    if base is None or base.dimensions or not isinstance(e.member, ast.FieldSymbol) or not is_flat(e.value.type):
        raise source.unsupported(e, f"member '{e.member.name}'", "use structures of vectors")
    return _lower(b, base, b.const(field_offset(e.value.type, e.member), 32))


def _lower(b: Builder, base: Selection, at: Node) -> Selection:
    return replace(base, low=at if base.low is None else total(b, base.low, at))


def _size(dimensions: list[tuple[int, int]]) -> int:
    size = 1
    for left, right in dimensions:
        size *= abs(left - right) + 1
    return size
