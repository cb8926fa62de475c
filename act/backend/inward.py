"""Moves of widened integers -> widened moves, before anything is cut into tiles: machines widen what they load or compute, and move what is narrow.

Before --> after:  `pad(convert<s32>(x: s8), 0)` --> `convert<s32>(pad(x, 0))`
                   `pad(convert<s32>(x) - 3, 0)` --> `convert<s32>(pad(x, 3)) - 3`
"""

from __future__ import annotations

from act.backend.analysis import integral, type_of
from act.backend.reductions import Rewriting
from act.hlo.dtypes import integer_range, wrap
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace

MOVES = frozenset(["broadcast", "concatenate", "pad", "reshape", "reverse", "slice", "transpose"])


def moves_before_conversions(computation: Computation) -> Computation:
    """Every move whose operands are all widened from one type, or constants that this type holds, is made in that type."""
    state = Rewriting()
    for each in computation:
        if each.opcode in MOVES:
            each = _before_constant(state, each)
        kind = _narrow(state, each) if each.opcode in MOVES else None
        state.values[each.name] = each if kind is None else _widened(state, each, kind)
    return replace(computation, instructions=tuple(state.values.values()))


def _before_constant(state: Rewriting, each: Instruction) -> Instruction:
    """The move of what a constant is added to, or taken from, with the constant after it."""
    value, shape = state.values[each.operands[0]], type_of(each)
    constant = _constant(state, value.operands[1]) if value.opcode in ("add", "subtract") else None
    if constant is None or each.opcode == "concatenate" or not integral(shape.dtype) or _source(state, value.operands[0]) in ("", None):
        return each
    added, others = constant.attributes["value"], each.operands[1:]
    if not isinstance(added, int):
        return each
    if others:
        padding = _constant(state, others[0])
        if padding is None:
            return each
        before = padding.attributes["value"] - (added if value.opcode == "add" else -added)
        others = (state.add(each, "padding", Shape(shape.dtype), "constant", (), value=wrap(shape.dtype, before)),)
    moved = replace(each, name=f"{each.name}.moved", operands=(value.operands[0], *others))
    kind = _narrow(state, moved)
    state.values[moved.name] = moved if kind is None else _widened(state, moved, kind)
    scalar = state.add(each, "constant", Shape(shape.dtype), "constant", (), value=added)
    spread = state.add(each, "spread", shape, "broadcast", (scalar,), dimensions=())
    return Instruction(each.name, shape, value.opcode, (moved.name, spread), {}, each.line)


def _narrow(state: Rewriting, each: Instruction) -> str | None:
    """The one type from which operands are widened."""
    found = {_source(state, operand) for operand in each.operands} - {""}
    if len(found) != 1:
        return None
    (kind,) = found
    return kind if kind is not None and all(_holds(state, operand, kind) for operand in each.operands) else None


def _source(state: Rewriting, name: str) -> str | None:
    """The type from which a value is widened; nothing for a constant, None for any other value."""
    value = state.values[name]
    if _constant(state, name) is not None:
        return ""
    if value.opcode != "convert":
        return None
    source, wide = type_of(state.values[value.operands[0]]).dtype, type_of(value).dtype
    if not integral(source) or not integral(wide) or source == wide:
        return None
    (low, high), (least, most) = integer_range(source), integer_range(wide)
    return source if least <= low and high <= most else None


def _constant(state: Rewriting, name: str) -> Instruction | None:
    """The constant whose one value all elements have, or whose elements they are; a move of several values is no constant."""
    value = state.values[name]
    while value.opcode in ("broadcast", "reshape", "slice"):
        value = state.values[value.operands[0]]
    return value if value.opcode == "constant" and (value.name == name or not isinstance(value.attributes["value"], tuple)) else None


def _holds(state: Rewriting, name: str, kind: str) -> bool:
    """Whether a constant is one value that the type holds; what is widened from it is."""
    constant, (low, high) = _constant(state, name), integer_range(kind)
    return constant is None or (isinstance(constant.attributes["value"], int) and low <= constant.attributes["value"] <= high)


def _widened(state: Rewriting, each: Instruction, kind: str) -> Instruction:
    operands = tuple(_in_narrow(state, each, operand, kind) for operand in each.operands)
    narrow = state.add(each, "narrow", Shape(kind, type_of(each).dims), each.opcode, operands, **each.attributes)
    return Instruction(each.name, type_of(each), "convert", (narrow,), {}, each.line)


def _in_narrow(state: Rewriting, each: Instruction, name: str, kind: str) -> str:
    constant, value = _constant(state, name), state.values[name]
    if constant is None:
        return value.operands[0]
    scalar = state.add(each, "constant", Shape(kind), "constant", (), value=constant.attributes["value"])
    dims = type_of(value).dims
    return state.add(each, "spread", Shape(kind, dims), "broadcast", (scalar,), dimensions=()) if dims else scalar
