"""Powers to multiplications (IEEE 1364-2005, 5.1.5, table 5-6)."""

from __future__ import annotations

from lift.netlist.builder import Builder
from lift.netlist.model import Node

POWER_BITS = 8  # of an exponent that is not constant


def power(b: Builder, base: Node, exponent: Node, base_signed: bool, exponent_signed: bool) -> Node:
    """`base` ** `exponent` modulo 2 ** base.width, by repeated squares.  A negative exponent leaves 1, -1 and 0 only."""
    result, square = b.const(1, base.width), base
    for bit in range(exponent.width):
        factor = b.extract(exponent, bit, 1)
        if factor.op != "const" or factor.attr or factor.xmask:
            result = b.mux(factor, b.op("mul", result, square), result)
        square = b.op("mul", square, square)
    if not exponent_signed:
        return result
    return b.mux(b.extract(exponent, exponent.width - 1, 1), _reciprocal(b, base, exponent, base_signed), result)


def _reciprocal(b: Builder, base: Node, exponent: Node, signed: bool) -> Node:
    one, none = b.const(1, base.width), b.const(0, base.width)
    result = b.mux(b.op("eq", base, none), b.const(0, base.width, -1), b.mux(b.op("eq", base, one), one, none))
    if not signed or base.width == 1:
        return result
    minus = b.const(-1, base.width)
    return b.mux(b.op("eq", base, minus), b.mux(b.extract(exponent, 0, 1), minus, one), result)
