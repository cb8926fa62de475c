"""Which tensors in host memory an e-class is a view of: slices, reshapes, transposes, broadcasts, reversals
and truncations are only other strides.

A view is a base class, whose elements lie in row-major order, and for each dimension of the viewed tensor the distance in bytes between
neighbours.  Distances along dimensions of size 1 are 0, so that equal places are equal views.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from act.backend.analysis import integral
from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import stored_bytes, width
from act.hlo.model import Shape
from act.records import dataclass, field


class View(NamedTuple):
    """Element (i, j, ...) begins `offset` + i * strides[0] + j * strides[1] + ... bytes after the start of the tensor `base`."""

    base: int
    offset: int
    strides: tuple[int, ...]


def row_major(shape: Shape) -> tuple[int, ...]:
    """The strides in bytes of a tensor whose elements follow each other; 0 where the size is 1."""
    strides, step = [], stored_bytes(shape.dtype)
    for size in reversed(shape.dims):
        strides.append(step if size != 1 else 0)
        step *= size
    return tuple(reversed(strides))


def reshaped(dims: tuple[int, ...], strides: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of the same elements seen with the dimensions `target`; None when no strides can say it."""
    result: list[int] = []
    pending = [(size, stride) for size, stride in zip(dims, strides, strict=True) if size != 1]
    current = (1, 0)
    for size in reversed(target):
        if size == 1:
            result.append(0)
            continue
        if current[0] == 1 and pending:
            current = pending.pop()
        while current[0] % size and pending:
            outer = pending.pop()
            if outer[1] != current[0] * current[1]:
                return None
            current = (current[0] * outer[0], current[1])
        if current[0] % size:
            return None
        result.append(current[1])
        current = (current[0] // size, current[1] * size)
    return tuple(reversed(result))


@dataclass(slots=True)
class Views:
    """Finds and remembers the views of classes of a frozen graph."""

    graph: ClassGraph
    _found: dict[int, tuple[View, ...]] = field(default_factory=dict)
    _active: set[int] = field(default_factory=set)

    def of(self, number: int) -> tuple[View, ...]:
        """All views of a class; the last is the class itself, as a tensor of its own."""
        if number in self._found:
            return self._found[number]
        if number in self._active:
            return ()
        self._active.add(number)
        found = dict.fromkeys(view for node in self.graph.classes[number] for view in self._through(node))
        found[View(number, 0, row_major(self.graph.shape(number)))] = None
        self._active.discard(number)
        if not self._active:
            self._found[number] = tuple(found)
        return tuple(found)

    def _through(self, node: ENode) -> Iterator[View]:
        if node.opcode not in ("slice", "reshape", "transpose", "broadcast", "reverse", "bitcast-convert", "convert"):
            return
        child = node.children[0]
        assert isinstance(child, int)
        inner = self.graph.shape(child)
        for view in self.of(child):
            moved = _move(node, inner, view)
            if moved is not None:
                yield moved


def _move(node: ENode, inner: Shape, view: View) -> View | None:
    """The view of `node` when `view` is one of its operand, of type `inner`."""
    offset, strides = view.offset, view.strides
    match node.opcode:
        case "slice":
            offset += sum(start * stride for start, stride in zip(node.attribute("start"), strides, strict=True))
            moved = tuple(step * stride for step, stride in zip(node.attribute("stride"), strides, strict=True))
        case "transpose":
            moved = tuple(strides[axis] for axis in node.attribute("dimensions"))
        case "broadcast":
            dimensions = node.attribute("dimensions")
            placed = dict(zip(dimensions, strides, strict=True))
            moved = tuple(placed.get(axis, 0) for axis in range(node.shape.rank))
        case "reverse":
            flipped = node.attribute("dimensions")
            offset += sum((inner.dims[axis] - 1) * strides[axis] for axis in flipped)
            moved = tuple(-stride if axis in flipped else stride for axis, stride in enumerate(strides))
        case "reshape":
            found = reshaped(inner.dims, strides, node.shape.dims)
            if found is None:
                return None
            moved = found
        case "convert":
            if not _truncates(inner.dtype, node.shape.dtype):
                return None
            moved = strides
        case "bitcast-convert" if node.shape.rank == inner.rank + 1:
            moved = (*strides, stored_bytes(node.shape.dtype))
        case _:
            if inner.dims != node.shape.dims or stored_bytes(inner.dtype) != stored_bytes(node.shape.dtype):
                return None
            moved = strides
    return View(view.base, offset, tuple(0 if size == 1 else stride for size, stride in zip(node.shape.dims, moved, strict=True)))


def _truncates(source: str, target: str) -> bool:
    """Whether a conversion keeps the low bytes, which come first in memory, and nothing else; a predicate is a byte, 0 or 1."""
    if source == "pred":
        return integral(target) and width(target) == 8
    whole = integral(source) and integral(target) and width(source) % 8 == width(target) % 8 == 0
    return whole and width(target) <= width(source)


def extent(shape: Shape, view: View) -> tuple[int, int]:
    """The first byte and the end of the bytes that a view touches, relative to its base."""
    reach = [(size - 1) * stride for size, stride in zip(shape.dims, view.strides, strict=True)]
    low = view.offset + sum(step for step in reach if step < 0)
    high = view.offset + sum(step for step in reach if step > 0) + stored_bytes(shape.dtype)
    return low, high


def byte_size(shape: Shape) -> int:
    return stored_bytes(shape.dtype) * math.prod(shape.dims)
