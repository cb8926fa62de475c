"""Fields of an encoding -> conditions on the attributes that they hold, where nothing else keeps these small enough.

Before --> after:  `encode n = rows` in 3 bits, `when rows <= 16` --> `rows <= 7`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from act.generator.address import attribute_ranges, without_wrap
from act.taidl.bounds import Range, bounds
from act.taidl.expr import conjuncts, names, substitute
from act.taidl.model import Accelerator, Binary, Composite, Expr, Instruction, Int, Name
from act.taidl.simplify import polynomial, simplify

WIDE = 32
"""Bits of fields that hold whatever a kernel asks for; a program in which one does not is refused when it is written."""


def field_limits(accelerator: Accelerator, instruction: Instruction) -> tuple[Expr, ...]:
    return tuple(dict.fromkeys(_limits(instruction, instruction, {}, _ranges(accelerator, instruction))))


def field_limits_of_parts(accelerator: Accelerator, composite: Composite) -> tuple[Expr, ...]:
    """What the fields of all parts say of the attributes of the composite."""
    operation = composite.operation
    ranges = _ranges(accelerator, operation)
    found = (each for part in composite.parts for each in _limits(operation, accelerator.instructions[part.instruction], part.arguments, ranges))
    return tuple(dict.fromkeys(found))


def _limits(operation: Instruction, part: Instruction, arguments: Mapping[str, Expr], ranges: Mapping[str, Range]) -> Iterator[Expr]:
    for field in part.encode:
        width = field.high - field.low + 1
        value = simplify(substitute(field.value, arguments))
        if width >= WIDE or not names(value) or not names(value) <= ranges.keys():
            continue
        high = bounds(value, ranges).high
        if high is None or high >= 1 << width:
            yield Binary("<=", value, Int((1 << width) - 1))


def _ranges(accelerator: Accelerator, operation: Instruction) -> dict[str, Range]:
    """Of the attributes that are sizes of tensors or strides, and of the addresses of places on chip; of no others."""
    known = attribute_ranges(operation.alpha, [part for each in operation.when for part in conjuncts(each)])
    found: dict[str, Range] = {}
    for piece in operation.slices:
        buffer, indices = accelerator.buffers[piece.buffer], {index.name: index for index in piece.indices}
        found |= {name: known[name] for index in piece.indices for name in names(index.extent) if name in known}
        for coordinate, size in zip(piece.coordinates, (*buffer.access, *buffer.unit), strict=False):  # lengths are not compared before they are checked
            for monomial, scale in polynomial(without_wrap(coordinate, size)).items():
                factors = {factor.name for factor in monomial if isinstance(factor, Name)}
                if len(monomial) == 1 and factors <= {*operation.beta} and not buffer.hbm and scale > 0:
                    found |= dict.fromkeys(factors, Range(0, (size - 1) // scale))
                elif len(monomial) > 1 and factors & indices.keys():
                    found |= {name: known[name] for name in factors if name in known}
                elif factors & indices.keys() and not buffer.hbm and isinstance(extent := indices[min(factors)].extent, Name) and extent.name in known:
                    known[extent.name] = found[extent.name] = known[extent.name] & Range(0, size)
    return found
