"""Choices that are known when a kernel is compiled -> slices and concatenations: selections by a constant predicate, and dynamic slices and
updates at constant places.

Before --> after:  `select({{1,0},{1,1}}, x, y)` --> `concatenate(concatenate(x[0:1,0:1], y[0:1,1:2]), x[1:2])`
                   `dynamic-update-slice(x, u, 4, 0)` --> `concatenate(x[0:4], u, x[4 + n:])` for u of n rows
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from act.backend.analysis import type_of
from act.backend.convolutions import slice_of
from act.backend.reductions import Rewriting
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace

KNOWN = frozenset(["select", "dynamic-slice", "dynamic-update-slice"])
LARGEST = 4096
"""Pieces of the largest mask that is taken apart."""

Ends = tuple[int, int]


def choices_as_pieces(computation: Computation) -> Computation:
    """Each of these operators, where its predicate or its places are constants."""
    state = Rewriting()
    for each in computation:
        found = _pieces(state, each) if each.opcode in KNOWN else None
        state.values[each.name] = each if found is None else replace(state.values[found], name=each.name)
    return replace(computation, instructions=tuple(state.values.values()))


def _pieces(state: Rewriting, each: Instruction) -> str | None:
    """The name of a value that equals it."""
    match each.opcode:
        case "select":
            return _selected(state, each)
        case "dynamic-slice":
            starts = _starts(state, each.operands[1:], type_of(state.values[each.operands[0]]), type_of(each))
            return None if starts is None else _part(state, each, each.operands[0], starts, type_of(each).dims)
        case _:
            update = type_of(state.values[each.operands[1]])
            starts = _starts(state, each.operands[2:], type_of(each), update)
            return None if starts is None else _updated(state, each, each.operands[0], starts, update.dims)


def _starts(state: Rewriting, names: Sequence[str], whole: Shape, part: Shape) -> tuple[int, ...] | None:
    """The first element along each dimension, if it is known; what lies outside is moved in, as HLO says."""
    values = [state.values[name] for name in names]
    if not all(value.opcode == "constant" and isinstance(value.attributes["value"], int) for value in values):
        return None
    given = [int(value.attributes["value"]) for value in values]
    return tuple(max(0, min(start, size - taken)) for start, size, taken in zip(given, whole.dims, part.dims, strict=True))


def _part(state: Rewriting, each: Instruction, name: str, starts: Sequence[int], dims: Sequence[int]) -> str:
    pieces = {axis: (start, start + size, 1) for axis, (start, size) in enumerate(zip(starts, dims, strict=True))}
    return _same(state, each, slice_of(state, each, name, pieces))


def _same(state: Rewriting, each: Instruction, name: str) -> str:
    """A value of its own, which can take over the name of `each`."""
    return state.add(each, "same", type_of(state.values[name]), "reshape", (name,))


def _updated(state: Rewriting, each: Instruction, name: str, starts: Sequence[int], dims: Sequence[int]) -> str:
    """Along each dimension what comes before the update, the rows with it, and what comes after."""
    shape, whole = type_of(each), each.operands[1]
    for axis in reversed(range(shape.rank)):
        end, extent = starts[axis] + dims[axis], shape.dims[axis]
        inner = {outer: (starts[outer], starts[outer] + dims[outer], 1) for outer in range(axis)}
        sides = [slice_of(state, each, name, {**inner, axis: (low, high, 1)}) for low, high in ((0, starts[axis]), (end, extent)) if low < high]
        parts = (*sides[: starts[axis] > 0], whole, *sides[starts[axis] > 0 :])
        whole = _joined(state, each, parts, axis)
    return _same(state, each, whole)


def _joined(state: Rewriting, each: Instruction, parts: Sequence[str], axis: int) -> str:
    if len(parts) == 1:
        return parts[0]
    shapes = [type_of(state.values[part]) for part in parts]
    dims = tuple(sum(shape.dims[axis] for shape in shapes) if which == axis else size for which, size in enumerate(shapes[0].dims))
    return state.add(each, "joined", Shape(shapes[0].dtype, dims), "concatenate", tuple(parts), dimension=axis)


def _selected(state: Rewriting, each: Instruction) -> str | None:
    mask = state.values[each.operands[0]]
    if mask.opcode != "constant":
        return None
    if not isinstance(mask.attributes["value"], tuple):
        return _same(state, each, each.operands[1 if mask.attributes["value"] else 2])
    if sum(1 for _ in _runs(mask.attributes["value"])) > LARGEST:
        return None
    return _same(state, each, _chosen(state, each, mask.attributes["value"], ()))


def _runs(mask: Any) -> Iterator[Any]:
    """The pieces that a mask makes."""
    if not isinstance(mask, tuple):
        yield mask
        return
    for value, _ in groupby(mask):
        yield from _runs(value)


def _chosen(state: Rewriting, each: Instruction, mask: Any, above: tuple[Ends, ...]) -> str:
    """The part at the places `above` of the first dimensions; `mask` says of the others what is taken."""
    if not isinstance(mask, tuple) or len(set(_runs(mask))) == 1:
        taken = each.operands[1 if next(_runs(mask)) else 2]
        return slice_of(state, each, taken, {axis: (low, high, 1) for axis, (low, high) in enumerate(above)})
    parts, start = [], 0
    for value, group in groupby(mask):
        end = start + sum(1 for _ in group)
        parts.append(_chosen(state, each, value, (*above, (start, end))))
        start = end
    return _joined(state, each, parts, len(above))
