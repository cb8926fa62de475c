"""Regions of tensors; and of a padded or concatenated tensor the pieces of a region, with their places in the operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from act.hlo.model import Shape

Region = tuple[tuple[int, int], ...]
"""Start and size in each dimension."""


def whole(shape: Shape) -> Region:
    return tuple((0, size) for size in shape.dims)


def sizes(region: Region) -> tuple[int, ...]:
    return tuple(size for _, size in region)


def matrix_dims(dims: tuple[int, ...]) -> tuple[int, int]:
    """The last two of `dims`, the others being 1."""
    return (1, 1, *dims)[-2:]  # type: ignore[return-value]


def padded(region: Region, low: Sequence[int], dims: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Region, bool]]:
    """For each piece its first element in `region`, its place in the operand of size `dims`, and whether it is data.  `low` elements
    come before the operand; a negative number leaves elements of it out."""
    cuts = [list(_cuts(start - before, size, extent)) for (start, size), before, extent in zip(region, low, dims, strict=True)]
    for pieces in product(*cuts):
        starts = tuple(start - (first - before) for (start, _, _), (first, _), before in zip(pieces, region, low, strict=True))
        yield starts, tuple((start, size) for start, size, _ in pieces), all(inside for _, _, inside in pieces)


def _cuts(start: int, size: int, extent: int) -> Iterator[tuple[int, int, bool]]:
    """A stretch before, inside and after an operand of `extent` elements."""
    for low, high, inside in ((start, 0, False), (0, extent, True), (extent, start + size, False)):
        first, last = max(start, low), min(start + size, high)
        if first < last:
            yield first, last - first, inside


def concatenated(region: Region, axis: int, extents: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...], Region]]:
    """For each operand of which `region` has a part: its number, the first element of the part in `region`, and its place in the operand."""
    (start, size), position = region[axis], 0
    for number, extent in enumerate(extents):
        low, high = max(start, position), min(start + size, position + extent)
        if low < high:
            part = (*region[:axis], (low - position, high - low), *region[axis + 1 :])
            yield number, tuple(low - start if dimension == axis else 0 for dimension in range(len(region))), part
        position += extent
