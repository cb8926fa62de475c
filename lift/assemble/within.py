"""Instructions -> the same with a condition where a register or field could make them reach beyond a buffer.

The language says that every access lies within its buffer.  Hardware that is given more counts on, or wraps; the lift speaks of addresses that do not, so the
condition takes nothing away that it had said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from act.taidl import Accelerator, Binary, Expr, Instruction, Int, Slice, lookups, names, simplify, substitute
from act.taidl.bounds import always, bounds
from act.taidl.ranges import value_ranges, with_indices
from act.taidl.verify_clauses import address_registers


def within_buffers(accelerator: Accelerator, each: Instruction) -> Instruction:
    """With `when` conditions that keep the last element of each access in its buffer, where the ranges of registers and attributes do not."""
    conditions = tuple(dict.fromkeys(_conditions(accelerator, each)))
    return replace(each, when=(*each.when, *(c for c in conditions if c not in each.when))) if conditions else each


def _conditions(accelerator: Accelerator, each: Instruction) -> Iterator[Expr]:
    ranges, addresses = value_ranges(accelerator, each), set(each.beta) | address_registers(accelerator, each)
    for access in (*(r.slice for r in each.reads), *(w.slice for w in each.writes)):
        if access.buffer not in accelerator.buffers:
            continue
        buffer, inside = accelerator.buffers[access.buffer], with_indices(ranges, access.indices)
        for coordinate, size in zip(access.coordinates, buffer.access + buffer.unit, strict=False):
            if names(coordinate) & addresses or lookups(coordinate) or always(Binary("<", coordinate, Int(size)), inside):
                continue
            low = bounds(coordinate, inside).low
            if low is not None and low >= 0:
                yield _at_most(simplify(_last(coordinate, access)), size - 1)


def _at_most(value: Expr, limit: int) -> Expr:
    """The comparison without a constant on its left."""
    match value:
        case Binary("-", left, Int(less)):
            return Binary("<=", left, Int(limit + less))
    return Binary("<=", value, Int(limit))


def _last(coordinate: Expr, access: Slice) -> Expr:
    """The coordinate of the last element, where it grows with every index."""
    return substitute(coordinate, {i.name: Binary("-", i.extent, Int(1)) for i in access.indices})


__all__ = ["within_buffers"]
