"""Assignment patterns, streams, sets, powers and counts of bits to nodes (IEEE 1800-2017, 10.9, 11.4.13, 11.4.14 and 20.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyslang.ast as ast

from lift.netlist.builder import Builder
from lift.netlist.cases import match_pattern
from lift.netlist.model import Node
from lift.netlist.module import Target
from lift.netlist.power import POWER_BITS, power
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import width_of


class Aggregates:
    """Part of `Expressions`."""

    _b: Builder
    _source: SourceMap

    def expression(self, e: ast.Expression) -> Node:
        """See `Expressions`."""
        raise NotImplementedError

    def inside(self, left: Node, signed: bool, items: Iterable[ast.Expression]) -> Node:
        """1 bit: `left` equals one of the `items` or lies in one of their ranges."""
        result = self._b.const(0, 1)
        for item in items:
            result = self._b.op("or", result, self._in_range(left, signed, item) if isinstance(item, ast.ValueRangeExpression) else self._equal(left, item))
        return result

    def _equal(self, left: Node, item: ast.Expression) -> Node:
        value = self.expression(item)
        if not item.type.isUnpackedArray:
            return match_pattern(self._b, left, value, "x")
        parts = [self._b.extract(value, at, left.width) for at in range(0, value.width, left.width)]
        result = self._b.const(0, 1)
        for part in parts:
            result = self._b.op("or", result, self._b.op("eq", left, part))
        return result

    def _in_range(self, left: Node, signed: bool, item: ast.ValueRangeExpression) -> Node:
        compare = "sle" if signed and all(_is_open(e) or e.type.isSigned for e in (item.left, item.right)) else "ule"
        result = self._b.const(1, 1)
        if not _is_open(item.left):
            result = self._b.op("and", result, self._b.op(compare, self.expression(item.left), left))
        if not _is_open(item.right):
            result = self._b.op("and", result, self._b.op(compare, left, self.expression(item.right)))
        return result

    def _pattern(self, e: Any) -> Node:
        parts = [self.expression(element) for element in e.elements]
        width = sum(part.width for part in parts)
        assert width_of(e.type) % width == 0, (e.syntax, width)
        return self._b.concat(parts * (width_of(e.type) // width))

    def _streaming(self, e: ast.StreamingConcatenationExpression) -> Node:
        """Slices of the operands together, the last first when streamed to the left."""
        parts: list[Node] = []
        for stream in e.streams:
            if stream.withExpr is not None:
                raise self._source.unsupported(e, "'with' in a streaming concatenation", "select the words")
            parts.append(self.expression(stream.operand))
        value = self._b.concat(parts)
        if not e.sliceSize:
            return value
        return self._b.concat([self._b.extract(value, low, width) for low, width in slices(value.width, e.sliceSize)])

    def _power(self, e: ast.BinaryExpression, a: Node, b: Node) -> Node:
        """A power of two as a shift, any other by squares."""
        constants = a.op == b.op == "const" and not a.xmask and not b.xmask
        if a.op == "const" and a.attr == 2 and not e.right.type.isSigned and not constants:
            return self._b.op("shl", self._b.const(1, a.width), b)
        if b.op != "const" and a.op != "const" and b.width > POWER_BITS:
            raise self._source.unsupported(e, f"a power with an exponent of {b.width} bits", f"at most {POWER_BITS} bits, or a constant")
        return power(self._b, a, b, e.left.type.isSigned, e.right.type.isSigned)

    def _counted(self, e: ast.CallExpression) -> Node | None:
        """The value of a system function that counts bits, None for others."""
        match e.subroutineName:
            case "$countones" | "$onehot" | "$onehot0":
                return self._count(self.expression(e.arguments[0]), e.subroutineName, e.type.bitWidth)
            case "$isunknown" | "$value$plusargs" | "$test$plusargs":
                return self._b.const(0, e.type.bitWidth)  # two-state values, and no command line
            case "$clog2" if (value := self.expression(e.arguments[0])).op != "const":
                return self._logarithm(value, e.type.bitWidth)
        return None

    def _count(self, value: Node, name: str, width: int) -> Node:
        if name == "$countones":
            result = self._b.const(0, width)
            for bit in range(value.width):
                result = self._b.op("add", result, self._b.extend(self._b.extract(value, bit, 1), width, False))
            return result
        none = self._b.op("sub", value, self._b.const(1, value.width))
        several = self._b.op("redor", self._b.op("and", value, none))
        at_most_one = self._b.op("not", several)
        return at_most_one if name == "$onehot0" else self._b.op("and", at_most_one, self._b.true(value))

    def _logarithm(self, value: Node, width: int) -> Node:
        """The number of bits of `value` - 1, 0 for 0."""
        result = self._b.const(0, width)
        for bits in range(value.width):  # more than 2 ** bits needs bits + 1
            more = self._b.op("not", self._b.op("ule", value, self._b.const(1 << bits, value.width)))
            result = self._b.mux(more, self._b.const(bits + 1, width), result)
        return result


def slices(width: int, size: int) -> list[tuple[int, int]]:
    """(low, width) of the slices of `size` bits from the lowest bit upwards; the last may be smaller."""
    return [(low, min(size, width - low)) for low in range(0, width, size)]


def streamed(source: SourceMap, e: ast.StreamingConcatenationExpression, targets: Sequence[Target]) -> tuple[Target, ...]:
    """The targets of a stream on the left side, the highest first."""
    if not e.sliceSize:
        return tuple(targets)
    if len(targets) != 1 or targets[0].low is not None:
        raise source.unsupported(e, "several targets streamed to the left", "assign to one variable")
    raise source.unsupported(e, "a stream to the left on the left side", "write it on the right side")


def _is_open(e: ast.Expression) -> bool:
    while isinstance(e, ast.ConversionExpression):
        e = e.operand
    return e.type.isUnbounded
