"""Quantised products -> products of bytes: what is added to widened bytes before they are multiplied is multiplied apart, and unsigned bytes are
signed ones that 128 is added to, for machines that multiply signed bytes only.

Before --> after:  `dot(convert(x: s8) + c, y)` --> `dot(convert(x), y) + dot(c, y)` in 32 bits
                   `convert<s32>(x: u8)` --> `convert<s32>(convert<s8>(x) + -128) + 128`, where the sum of bytes wraps
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.analysis import integral, type_of
from act.backend.failure import parts_of
from act.backend.reductions import Rewriting
from act.generator.model import Apply, Selector
from act.hlo.dtypes import integer_range, width, wrap
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace

BYTE = "s8"
LARGEST = 512
"""The largest constant that is taken apart into bytes."""


def multiplies_bytes(selectors: Sequence[Selector]) -> bool:
    """Whether all products of matrices that leave wide integers are of widened bytes, none of them unsigned."""
    dots = [part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply) and part.opcode == "dot"]
    wide = [part for part in dots if integral(part.dtype) and width(part.dtype) > width(BYTE)]
    return bool(wide) and all(_widens(child) for part in wide for child in part.children)


def _widens(child: object) -> bool:
    return isinstance(child, Apply) and child.opcode == "convert" and getattr(child.children[0], "dtype", BYTE) == BYTE


def unsigned_as_signed(computation: Computation) -> Computation:
    """Every conversion of unsigned bytes to wider integers."""
    state = Rewriting()
    for each in computation:
        state.values[each.name] = _signed(state, each) if each.opcode == "convert" and _is_unsigned(state, each) else each
    return replace(computation, instructions=tuple(state.values.values()))


def _is_unsigned(state: Rewriting, each: Instruction) -> bool:
    source, shape = type_of(state.values[each.operands[0]]), type_of(each)
    return source.dtype == "u8" and integral(shape.dtype) and width(shape.dtype) > width(BYTE) and bool(shape.dims)


def _signed(state: Rewriting, each: Instruction) -> Instruction:
    shape, (source,) = type_of(each), each.operands
    least, _ = integer_range(BYTE)
    narrow = Shape(BYTE, shape.dims)
    signed = state.add(each, "signed", narrow, "convert", (source,))
    moved = state.add(each, "moved", narrow, "add", (signed, _splat(state, each, least, narrow)))
    wide = state.add(each, "wide", shape, "convert", (moved,))
    return Instruction(each.name, shape, "add", (wide, _splat(state, each, -least, shape)), {}, each.line)


def _splat(state: Rewriting, each: Instruction, value: int, shape: Shape) -> str:
    scalar = state.add(each, "constant", Shape(shape.dtype), "constant", (), value=value)
    return state.add(each, "spread", shape, "broadcast", (scalar,), dimensions=())


def products_without_zero_points(computation: Computation) -> Computation:
    """Every product of integers of which an operand is widened bytes with a constant added."""
    state = Rewriting()
    for each in computation:
        if each.opcode == "dot" and width(type_of(each).dtype) > width(BYTE) and integral(type_of(each).dtype):
            each = _expanded(state, each)
        state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


def _expanded(state: Rewriting, each: Instruction) -> Instruction:
    """The sum of all products of a part of one operand and a part of the other, of which not all are constants."""
    sides = [_parts(state, name) for name in each.operands]
    if any(side is None for side in sides) or all(constant == 0 for _, constant in filter(None, sides)):
        return each
    left, right = (list(_terms(state, each, *side)) for side in sides if side is not None)
    shape, total = type_of(each), ""
    for one, is_one in left:
        for other, is_other in right:
            if is_one and is_other:
                continue
            term = state.add(each, "product", shape, "dot", (one, other), **each.attributes)
            total = state.add(each, "sum", shape, "add", (total, term)) if total else term
    whole = _product_of_constants(state, each, *(side[1] for side in sides if side is not None))
    return Instruction(each.name, shape, "add", (total, _splat(state, each, whole, shape)), {}, each.line)


def _product_of_constants(state: Rewriting, each: Instruction, one: int, other: int) -> int:
    source, length = type_of(state.values[each.operands[0]]), 1
    for axis in each.attributes["lhs_contracting_dims"]:
        length *= source.dims[axis]
    return wrap(type_of(each).dtype, one * other * length)


def _parts(state: Rewriting, name: str) -> tuple[str, int] | None:
    """Widened bytes and the constant that is added to them, so that nothing wraps as a byte; None for anything else."""
    value, constant = state.values[name], 0
    while value.opcode in ("add", "subtract") and width(type_of(value).dtype) > width(BYTE):
        known = [_constant(state, operand) for operand in value.operands]
        if value.opcode == "add" and known[0] is not None:
            value, change = state.values[value.operands[1]], known[0]
        elif known[1] is not None:
            value, change = state.values[value.operands[0]], known[1] if value.opcode == "add" else -known[1]
        else:
            return None
        constant += change
    return (value.name, constant) if _is_byte(state, value) and abs(constant) <= LARGEST else None


def _is_byte(state: Rewriting, value: Instruction) -> bool:
    return type_of(value).dtype == BYTE or (value.opcode == "convert" and type_of(state.values[value.operands[0]]).dtype == BYTE)


def _constant(state: Rewriting, name: str) -> int | None:
    value = state.values[name]
    while value.opcode in ("broadcast", "reshape", "slice"):
        value = state.values[value.operands[0]]
    found = value.attributes["value"] if value.opcode == "constant" else None
    return found if isinstance(found, int) else None


def _terms(state: Rewriting, each: Instruction, name: str, constant: int) -> Iterator[tuple[str, bool]]:
    """The value, and bytes whose sum is the constant; with each whether it is constant."""
    yield name, False
    low, high = integer_range(BYTE)
    shape = type_of(state.values[name])
    while constant:
        part = max(low, min(constant, high))
        yield _splat(state, each, part, Shape(shape.dtype, shape.dims)), True
        constant -= part
