"""A body with symbolic dimensions and attributes -> the same body with integers."""

from __future__ import annotations

from collections.abc import Callable

from act.hlo.model import Computation, Dimension, Instruction, Shape, TupleShape, Value
from act.records import replace

SizeOf = Callable[[Dimension], int]


def instantiate(computation: Computation, value: SizeOf) -> Computation:
    """`value` gives the integer of each symbolic object; ints, names, floats and tuples are handled here."""
    return replace(computation, instructions=tuple(_instruction(each, value) for each in computation))


def _instruction(instruction: Instruction, value: SizeOf) -> Instruction:
    attributes = {name: _value(each, value) for name, each in instruction.attributes.items()}
    return replace(instruction, shape=_shape(instruction.shape, value), attributes=attributes)


def _shape(shape: Shape | TupleShape, value: SizeOf) -> Shape | TupleShape:
    if isinstance(shape, TupleShape):
        return TupleShape(tuple(_shape(element, value) for element in shape.elements))
    return Shape(shape.dtype, tuple(_value(size, value) for size in shape.dims))


def _value(item: Value, value: SizeOf) -> Value:
    if isinstance(item, tuple):
        return tuple(_value(each, value) for each in item)
    return item if isinstance(item, (int, float, str)) else value(item)
