"""A region of a dot product -> the regions of its operands, block by block of the contracted dimension.

In a region of the result batch dimensions have size 1, and so have all free dimensions of an operand but one (see `several`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from act.hlo.model import Shape
from act.records import dataclass

Place = tuple[int, int]
"""Start and size in one dimension."""

PLAIN_DOT = (("lhs_batch_dims", ()), ("lhs_contracting_dims", (1,)), ("rhs_batch_dims", ()), ("rhs_contracting_dims", (0,)))
"""rows x depth times depth x columns."""


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
    free: tuple[int, ...]
    contracted: tuple[int, ...]
    rank: int

    def tile(self, batch: tuple[Place, ...], free: tuple[Place, ...], block: tuple[Place, ...], is_right: bool) -> Tile:
        """At most one of the places `free`, and one of `block`, is more than one element."""
        region = [(0, 0)] * self.rank
        for axis, place in zip((*self.batch, *self.free, *self.contracted), (*batch, *free, *block), strict=True):
            region[axis] = place
        depth, other = (max((size for _, size in places), default=1) for places in (block, free))
        dims = (depth, other) if is_right else (other, depth)
        if not self.free:
            return Tile(tuple(region), dims, False)
        turned = (_moving(self.free, free) < _moving(self.contracted, block)) == is_right
        return Tile(tuple(region), (dims[1], dims[0]) if turned else dims, turned)


def _moving(axes: tuple[int, ...], places: tuple[Place, ...]) -> int:
    """The axis along which there is more than one element; the last where there is none."""
    return next((axis for axis, (_, size) in zip(axes, places, strict=True) if size > 1), axes[-1])


def several(numbers: Mapping[str, Any], left: Shape, right: Shape, region: tuple[Place, ...]) -> int | None:
    """A dimension of a region of the result along which it must be taken apart, since a batch dimension or two free dimensions of one operand
    reach beyond one element there."""
    sides = [_side(numbers, name, shape) for name, shape in (("lhs", left), ("rhs", right))]
    start = len(sides[0].batch)
    for axis in range(start):
        if region[axis][1] > 1:
            return axis
    for side in sides:
        places = [axis for axis in range(start, start + len(side.free)) if region[axis][1] > 1]
        if len(places) > 1:
            return places[0]
        start += len(side.free)
    return None


def blocks(numbers: Mapping[str, Any], left: Shape, right: Shape, region: tuple[Place, ...], depth: int) -> tuple[tuple[int, int], Iterator[tuple[Tile, Tile]]]:
    """The dimensions of the product as a matrix, and the operands of each of the products of matrices whose sum it is; of a region that
    `several` leaves as it is, and with a contracted dimension.

    Of several contracted dimensions the largest is cut into blocks, and the others are taken index by index."""
    sides = [_side(numbers, name, shape) for name, shape in (("lhs", left), ("rhs", right))]
    batches, first = len(sides[0].batch), len(sides[0].free)
    batch, free = region[:batches], (region[batches : batches + first], region[batches + first :])
    totals = [left.dims[axis] for axis in sides[0].contracted]
    longest = totals.index(max(totals))
    steps = [depth if which == longest else 1 for which in range(len(totals))]
    cuts = [[(start, min(step, total - start)) for start in range(0, total, step)] for step, total in zip(steps, totals, strict=True)]
    pairs = ((sides[0].tile(batch, free[0], block, False), sides[1].tile(batch, free[1], block, True)) for block in product(*cuts))
    rows, columns = (max((size for _, size in places), default=1) for places in free)
    return (rows, columns), pairs


def _side(numbers: Mapping[str, Any], name: str, shape: Shape) -> _Side:
    contracted, batch = numbers[f"{name}_contracting_dims"], numbers[f"{name}_batch_dims"]
    free = tuple(axis for axis in range(shape.rank) if axis not in (*contracted, *batch))
    return _Side(tuple(batch), free, tuple(contracted), shape.rank)
