"""A region of a dot product -> the regions of its operands, block by block of the contracted dimension.

One free dimension at most and one contracted dimension in each operand; batch dimensions have size 1 in a region of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from act.hlo.model import Shape
from act.records import dataclass

Place = tuple[int, int]
"""Start and size in one dimension."""

PLAIN_DOT = (("lhs_batch_dims", ()), ("lhs_contracting_dims", (1,)), ("rhs_batch_dims", ()), ("rhs_contracting_dims", (0,)))
"""rows x depth times depth x columns."""


class NotPlain(Exception):
    """The reason why a dot product is no product of matrices."""


def mirrored(numbers: Mapping[str, Any], shape: Shape, region: tuple[Place, ...]) -> tuple[Place, ...]:
    """The region of a tensor that becomes `region` when the tensor is reversed."""
    flipped = numbers["dimensions"]
    return tuple((shape.dims[axis] - start - size if axis in flipped else start, size) for axis, (start, size) in enumerate(region))


@dataclass(frozen=True, slots=True)
class Tile:
    """`region` of an operand, in memory a matrix of dimensions `stored`, which is what is needed or its transpose."""

    region: tuple[Place, ...]
    stored: tuple[int, int]
    transposed: bool


@dataclass(frozen=True, slots=True)
class _Side:
    batch: tuple[int, ...]
    free: int | None
    contracted: int
    rank: int

    def tile(self, batch: tuple[Place, ...], free: Place | None, block: Place, is_right: bool) -> Tile:
        region = [(0, 0)] * self.rank
        for axis, place in zip(self.batch, batch, strict=True):
            region[axis] = place
        region[self.contracted] = block
        if free is not None and self.free is not None:
            region[self.free] = free
        other = free[1] if free else 1
        dims = (block[1], other) if is_right else (other, block[1])
        if self.free is None:
            return Tile(tuple(region), dims, False)
        turned = (self.free < self.contracted) == is_right
        return Tile(tuple(region), (dims[1], dims[0]) if turned else dims, turned)


def blocks(numbers: Mapping[str, Any], left: Shape, right: Shape, region: tuple[Place, ...], depth: int) -> tuple[tuple[int, int], Iterator[tuple[Tile, Tile]]]:
    """The dimensions of the product as a matrix, and the operands of each of the products of matrices whose sum it is.  `NotPlain`."""
    sides = [_side(numbers, name, shape) for name, shape in (("lhs", left), ("rhs", right))]
    batch, free = region[: len(sides[0].batch)], list(region[len(sides[0].batch) :])
    if any(size != 1 for _, size in batch):
        raise NotPlain("has batch dimensions that are not computed one by one")
    rows = free.pop(0) if sides[0].free is not None else None
    columns = free.pop(0) if sides[1].free is not None else None
    total = left.dims[sides[0].contracted]
    pieces = [(start, min(depth, total - start)) for start in range(0, total, depth)]
    pairs = ((sides[0].tile(batch, rows, piece, False), sides[1].tile(batch, columns, piece, True)) for piece in pieces)
    return (rows[1] if rows else 1, columns[1] if columns else 1), pairs


def _side(numbers: Mapping[str, Any], name: str, shape: Shape) -> _Side:
    contracted, batch = numbers[f"{name}_contracting_dims"], numbers[f"{name}_batch_dims"]
    free = [axis for axis in range(shape.rank) if axis not in (*contracted, *batch)]
    if len(contracted) != 1 or len(free) > 1:
        raise NotPlain("has several free or contracted dimensions in one operand")
    return _Side(tuple(batch), free[0] if free else None, contracted[0], shape.rank)
