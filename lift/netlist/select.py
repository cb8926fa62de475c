"""Indices of vectors and arrays as written in the source to positions counted from bit 0, and assignments to bit ranges.

Shared by the readers and the process executor; out of range reads give undefined bits, out of range writes have no effect (IEEE 1364-2005, 5.2.1 and
9.2.2).
"""

from __future__ import annotations

from lift.netlist.bounds import maximum
from lift.netlist.builder import Builder
from lift.netlist.model import Node


def position(b: Builder, index: Node, sign: bool, left: int, right: int, size: int = 1) -> Node:
    """The lowest bit (word when size is 1) of element `index` of a range [left:right] of elements of `size` bits; elements beyond the
    range lie beyond the vector, those below it at huge positions."""
    lower, upper = min(left, right), max(left, right)
    if index.op == "const" and not index.xmask:
        return _constant_position(b, index, sign, left, right, size)
    if (lower or left < right or sign) or size & (size - 1):
        width = max(index.width, upper.bit_length() + 1, lower.bit_length() + 1) + 1 + size.bit_length()
        index = b.extend(index, width, sign)
        if left < right:
            index = b.op("sub", b.const(upper, width), index)
        elif lower:
            index = b.op("sub", index, b.const(lower, width))
    if size & (size - 1):
        return b.op("mul", index, b.const(size, index.width))
    return b.concat([index, b.const(0, size.bit_length() - 1)]) if size > 1 else index


def _constant_position(b: Builder, index: Node, sign: bool, left: int, right: int, size: int) -> Node:
    value = index.attr
    assert isinstance(value, int)
    if sign and value >> (index.width - 1):
        value -= 1 << index.width
    offset = (value - right if left >= right else right - value) * size
    return b.const(offset, max(32, abs(offset).bit_length() + 1))


def total(b: Builder, one: Node, two: Node) -> Node:
    """The sum of two positions, wide enough for its carry."""
    width = max(one.width, two.width) + 1
    return b.op("add", *(b.extend(p, width, may_be_negative(p)) for p in (one, two)))


def may_be_negative(position: Node) -> bool:
    """Whether a position, read as a signed number, may lie below bit 0."""
    match position.op:
        case "sub" | "sext":
            return True
        case "add" | "mul" | "extract":
            return any(map(may_be_negative, position.args))
        case "concat":
            return may_be_negative(position.args[0])
        case "const":
            return (constant(position) or 0) < 0
    return False


def _raised(b: Builder, low: Node, width: int) -> tuple[Node, int]:
    """`low` and a number of bits by which it is higher than it was, so that no bit of a part of `width` bits that reaches into the vector
    lies below 0."""
    if width == 1 or not may_be_negative(low):
        return low, 0
    wide = max(low.width, width.bit_length() + 1) + 1
    return b.op("add", b.extend(low, wide, True), b.const(width - 1, wide)), width - 1


def constant(node: Node) -> int | None:
    """The value of a constant position; a huge one stands for a negative one."""
    if node.op != "const" or node.xmask:
        return None
    assert isinstance(node.attr, int)
    return node.attr - (1 << node.width) if node.width >= 32 and node.attr >> (node.width - 1) else node.attr


def read(b: Builder, value: Node, low: Node, width: int, bias: int = 0) -> Node:
    """`width` bits of `value` from bit `low` - `bias`."""
    at = constant(low)
    if at is not None:
        return _read_constant(b, value, at - bias, width)
    low, raised = _raised(b, low, width)
    bias += raised
    highest, largest = value.width + bias - width, maximum(low)
    if not bias and largest <= highest:
        return b.extract(b.op("lshr", value, low), 0, width)
    last = value.width + bias - 1  # the highest position of which a bit lies inside
    above = width - 1 if largest > highest else 0
    shifted = b.extract(b.op("lshr", _padded(b, value, above, bias), low), 0, width)
    if largest <= last:
        return shifted
    return b.mux(b.op("ule", low, b.const(last, low.width)), shifted, b.const(0, width, -1))


def _padded(b: Builder, value: Node, above: int, below: int) -> Node:
    """`value` between undefined bits."""
    parts = [b.const(0, above, -1)] if above else []
    parts.append(value)
    return b.concat([*parts, b.const(0, below, -1)] if below else parts)


def _read_constant(b: Builder, value: Node, low: int, width: int) -> Node:
    first, last = max(low, 0), min(low + width, value.width)
    if first >= last:
        return b.const(0, width, -1)
    return _padded(b, b.extract(value, first, last - first), low + width - last, first - low)


def replace(b: Builder, old: Node, low: Node, new: Node, bias: int = 0) -> Node:
    """`old` with the bits of `new` from bit `low` - `bias`."""
    at = constant(low)
    if at is not None:
        return _replace_constant(b, old, at - bias, new)
    low, raised = _raised(b, low, new.width)
    bias += raised
    width = max(old.width + bias, new.width)
    base = b.extend(b.concat([old, b.const(0, bias)]) if bias else old, width, False)
    mask = b.op("shl", b.const((1 << new.width) - 1, width), low)
    data = b.op("shl", b.extend(new, width, False), low)
    merged = b.op("or", b.op("and", base, b.op("not", mask)), data)
    return b.extract(merged, bias, old.width)


def _replace_constant(b: Builder, old: Node, low: int, new: Node) -> Node:
    first, last = max(low, 0), min(low + new.width, old.width)
    if first >= last:
        return old
    parts = [b.extract(old, last, old.width - last)] if last < old.width else []
    parts.append(b.extract(new, first - low, last - first))
    return b.concat([*parts, b.extract(old, 0, first)] if first else parts)
