"""A value -> the sum of multiples of values that it is, modulo 2**width: `base + stride + 2 * stride` as {base: 1, stride: 3}."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, width

Linear = dict[SSAValue | None, int]
"""Value -> factor; None is the constant."""


def linear_form(value: SSAValue, most: int) -> Linear | None:
    """None where it has more than `most` values, or is no integer."""
    if not isinstance(value.type, IntegerType):
        return None
    mask, found = (1 << width(value)) - 1, Linear()
    stack = [(value, 1)]
    while stack:
        each, factor = stack.pop()
        known = constant_value(each)
        if known is not None:
            found[None] = found.get(None, 0) + known * factor
            continue
        parts = _parts(each)
        if parts is None:
            found[each] = found.get(each, 0) + factor
        else:
            stack += [(part, factor * by) for part, by in parts]
        if len(found) + len(stack) > most + 1:
            return None
    return {atom: factor & mask for atom, factor in found.items() if factor & mask}


def _parts(value: SSAValue) -> list[tuple[SSAValue, int]] | None:
    """What a sum, a difference or a multiple is made of, with factors."""
    op = value.owner
    if not isinstance(op, Operation) or op.name not in ("arith.addi", "arith.subi", "arith.muli", "arith.shli"):
        return None
    a, b = op.operands
    known = constant_value(b)
    match op.name:
        case "arith.addi":
            return [(a, 1), (b, 1)]
        case "arith.subi":
            return [(a, 1), (b, -1)]
        case "arith.muli" if known is not None:
            return [(a, known)]
        case "arith.shli" if known is not None and known < width(value):
            return [(a, 1 << known)]
    return None
