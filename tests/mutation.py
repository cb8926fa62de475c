"""A kernel -> all kernels that differ from it in one attribute of one instruction, shapes inferred anew.

What a program computes must be the changed kernel's value: a compiler that is blind to an attribute gives the old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

from act.hlo import Computation, Instruction, Shape, TupleShape
from act.hlo.dtypes import integer_range, is_float
from act.hlo.infer import infer
from act.hlo.shape_rules import ShapeError
from tests.fuzz_kernels import shape_of

OTHER_TYPES = ("s8", "u8", "s16", "s32", "u32")
OTHER_OPERATORS = (("add", "subtract", "multiply", "maximum", "minimum"), ("negate", "abs", "not"))
KINDS = ("add", "maximum", "minimum", "multiply")
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def mutants(computation: Computation) -> Iterator[tuple[str, Computation]]:
    """What was changed, and the kernel; only well-typed ones that differ."""
    for position, each in enumerate(computation.instructions):
        for other in changed(computation, each):
            lines = (*computation.instructions[:position], other, *computation.instructions[position + 1 :])
            made = inferred(replace(computation, instructions=lines), position)
            if made is not None and made != computation:
                yield f"{each.opcode} '{each.name}': {difference(each, other)}", made
    yield from _exchanged(computation)


def _exchanged(computation: Computation) -> Iterator[tuple[str, Computation]]:
    """Each parameter with the number of the next of its shape, and that with its."""
    for place, each in enumerate(computation.parameters):
        other = next((later for later in computation.parameters[place + 1 :] if later.shape == each.shape), None)
        if other is not None:
            made = {each.name: replace(each, attributes=other.attributes), other.name: replace(other, attributes=each.attributes)}
            lines = tuple(made.get(one.name, one) for one in computation.instructions)
            yield f"parameter '{each.name}': number={other.attributes['number']}", replace(computation, instructions=lines)


def difference(one: Instruction, other: Instruction) -> str:
    if one.opcode != other.opcode:
        return other.opcode
    if one.operands != other.operands:
        return "operands exchanged"
    if one.shape != other.shape:
        return f"{one.shape} becomes {other.shape}"
    return ", ".join(f"{name}={value}" for name, value in other.attributes.items() if value != one.attributes.get(name)) or "order"


def inferred(computation: Computation, position: int) -> Computation | None:
    """The shapes of what depends on the instruction at `position` follow from those before; None when they cannot."""
    shapes: dict[str, Any] = {each.name: each.shape for each in computation.instructions[:position]}
    lines, differ = [*computation.instructions[:position]], {computation.instructions[position].name}
    for each in computation.instructions[position:]:
        made: Instruction | None = each
        if each.name in differ or not differ.isdisjoint(each.operands):
            made = _inferred(each, tuple(shapes[name] for name in each.operands))
        if made is None:
            return None
        if made.shape != each.shape:
            differ.add(each.name)
        shapes[each.name] = made.shape
        lines.append(made)
    return replace(computation, instructions=tuple(lines))


def _inferred(each: Instruction, operands: tuple[Any, ...]) -> Instruction | None:
    if not operands:
        return each
    if each.opcode == "tuple":
        return replace(each, shape=TupleShape(operands))
    declared = shape_of(each)
    try:
        made = replace(each, shape=infer(each.opcode, operands, each.attributes, declared))
    except ShapeError:
        return None
    return None if each.opcode in ("reshape", "broadcast") and shape_of(made).dims != declared.dims else made


def changed(computation: Computation, each: Instruction) -> Iterator[Instruction]:
    """The instruction with one thing in it changed, well-typed or not."""
    if not isinstance(each.shape, Shape):
        return
    for name, value in each.attributes.items():
        for other in _others(each, name, value):
            yield replace(each, attributes={**each.attributes, name: other})
    if each.opcode == "compare" and is_float(shape_of(computation[each.operands[0]]).dtype):
        order = {} if "order" in each.attributes else {"order": "TOTAL"}
        yield replace(each, attributes={"direction": each.attributes["direction"], **order})
    if each.opcode in ("parameter", "convert", "dot", "convolution", "bitcast-convert"):
        yield from (replace(each, shape=Shape(dtype, each.shape.dims)) for dtype in OTHER_TYPES if dtype != each.shape.dtype and not is_float(each.shape.dtype))
    if each.opcode in ("parameter", "broadcast", "reshape"):
        yield from (replace(each, shape=Shape(each.shape.dtype, dims)) for dims in _other_dims(each.shape.dims))
    if len(each.operands) > 1 and each.opcode != "tuple":
        yield replace(each, operands=(*each.operands[1::-1], *each.operands[2:]))
    for group in OTHER_OPERATORS:
        if each.opcode in group:
            yield from (replace(each, opcode=opcode) for opcode in group if opcode != each.opcode)


def _other_dims(dims: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for axis, size in enumerate(dims):
        yield from ((*dims[:axis], other, *dims[axis + 1 :]) for other in (size - 1, size + 1) if other > 0)
    if len(set(dims)) > 1:
        yield dims[::-1]


def _others(each: Instruction, name: str, value: Any) -> Iterator[Any]:
    match each.opcode, name:
        case "constant", "value": yield from _constants(value, shape_of(each).dtype)
        case "reduce" | "reduce-window", "kind": yield from (kind for kind in KINDS if kind != value)
        case "compare", "direction": yield from (way for way in DIRECTIONS if way != value)
        case "transpose" | "broadcast", "dimensions": yield from _arranged(value, shape_of(each).rank)
        case "reverse" | "reduce", "dimensions": yield from (tuple(sorted({*value} ^ {axis})) for axis in range(4))
        case "concatenate" | "iota", "dimension": yield from (axis for axis in range(shape_of(each).rank) if axis != value)
        case "dot", _: yield from _other_axes(value)
        case "slice" | "pad", _: yield from _moved(value)
        case "convolution", "feature_group_count" | "batch_group_count": yield from (count for count in (1, 2, 3) if count != value)
        case "reduce-precision", "exponent_bits" | "mantissa_bits": yield from (value - 1, value + 1)
        case "dynamic-slice", "sizes": yield from _moved(value)
        case "convolution" | "reduce-window", "lhs_dims" | "rhs_dims" | "out_dims": yield from _arranged(value, len(value))
        case "convolution" | "reduce-window", "reversal": yield from ((*value[:at], 1 - turned, *value[at + 1 :]) for at, turned in enumerate(value))
        case "convolution" | "reduce-window", "size" | "stride" | "low" | "high" | "lhs_dilation" | "rhs_dilation": yield from _moved(value)


def _constants(value: Any, dtype: str) -> Iterator[Any]:
    if isinstance(value, tuple):
        yield from ((changed_value, *value[1:]) for changed_value in _constants(value[0], dtype))
        yield value[::-1]
    elif dtype == "pred":
        yield not value
    elif is_float(dtype):
        yield from (value + 1, -value - 0.5)
    else:
        low, high = integer_range(dtype)
        yield from (other for other in dict.fromkeys((value + 1, value - 1, -value, 0, low, high)) if low <= other <= high and other != value)


def _arranged(value: tuple[int, ...], rank: int) -> Iterator[tuple[int, ...]]:
    yield from (order for order in permutations(range(rank), len(value)) if order != value)


def _other_axes(value: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for place, axis in enumerate(value):
        yield from ((*value[:place], other, *value[place + 1 :]) for other in range(4) if other != axis and other not in value)
    if len(value) > 1:
        yield value[::-1]


def _moved(value: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for place, number in enumerate(value):
        yield from ((*value[:place], other, *value[place + 1 :]) for other in (number - 1, number + 1))
