"""Regions of tensors; and of a padded or concatenated tensor the pieces of a region, with their places in the operands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

from act.hlo.model import Shape

Region = tuple[tuple[int, int], ...]
"""Start and size in each dimension."""


def whole(shape: Shape) -> Region:
    return tuple((0, size) for size in shape.dims)


def sizes(region: Region) -> tuple[int, ...]:
    return tuple(size for _, size in region)


def slice_of(region: Region) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The attributes of the slice that is a region."""
    limits, starts = tuple(start + size for start, size in region), tuple(start for start, _ in region)
    return ("limit", limits), ("start", starts), ("stride", (1,) * len(region))


def matrix_axes(dims: Sequence[int]) -> tuple[int, int] | None:
    """The two dimensions that are not 1, or the last ones; None where more are not 1."""
    several = [axis for axis, size in enumerate(dims) if size > 1]
    others = [axis for axis in reversed(range(len(dims))) if axis not in several]
    axes = sorted([*several, *others[: max(0, 2 - len(several))]])
    return (axes[0], axes[1]) if len(axes) == 2 else None


def matrix_dims(dims: tuple[int, ...]) -> tuple[int, int]:
    """The last two of `dims` where the others are 1; otherwise those two that are not 1."""
    axes = _far_axes(dims)
    return (1, 1, *dims)[-2:] if axes is None else (dims[axes[0]], dims[axes[1]])  # type: ignore[return-value]


def is_column(axis: int, dims: tuple[int, ...]) -> bool:
    """Whether one place of a dimension is a column of the matrix that a tensor is, and not a row."""
    axes = _far_axes(dims)
    return axis == (len(dims) - 1 if axes is None else axes[1])


def _far_axes(dims: tuple[int, ...]) -> tuple[int, int] | None:
    """The dimensions of the matrix that a tensor is, where they are not its last two."""
    return matrix_axes(dims) if len(dims) > 2 and math.prod(dims[:-2]) != 1 else None


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


def before_reshape(region: Region, dims: Sequence[int], source: Sequence[int]) -> Region | None:
    """The region of a tensor of dimensions `source` whose elements, in their order, are `region` of the same tensor as `dims`; None where
    they are no region there."""
    found: list[tuple[int, int]] = []
    for outer, inner in _groups(dims, source):
        places = region[outer[0] : outer[1]]
        start, size = _span(places, dims[outer[0] : outer[1]]) or (-1, 0)
        box = _box(start, size, source[inner[0] : inner[1]]) if start >= 0 else None
        if box is None:
            return None
        found += box
    return tuple(found)


def _groups(dims: Sequence[int], source: Sequence[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The shortest runs of dimensions of both that have the same number of elements, as first and end."""
    here = there = 0
    while here < len(dims) or there < len(source):
        first, begin, left, right = here, there, 1, 1
        while (here, there) == (first, begin) or left != right:
            if left <= right and here < len(dims):
                left, here = left * dims[here], here + 1
            else:
                right, there = right * source[there], there + 1
        while here < len(dims) and dims[here] == 1:
            here += 1
        while there < len(source) and source[there] == 1:
            there += 1
        yield (first, here), (begin, there)


def _span(places: Sequence[tuple[int, int]], dims: Sequence[int]) -> tuple[int, int] | None:
    """Start and number of the elements of a region in row-major order, if they follow each other."""
    start, size, step, whole_so_far = 0, 1, 1, True
    for (first, count), extent in zip(reversed(places), reversed(dims), strict=True):
        if count > 1 and not whole_so_far:
            return None
        start, size = start + first * step, size * count
        whole_so_far = whole_so_far and count == extent
        step *= extent
    return start, size


def _box(start: int, size: int, dims: Sequence[int]) -> Region | None:
    """The region that `size` elements from `start` on are, in row-major order."""
    if not dims:
        return () if (start, size) == (0, 1) else None
    inner = 1
    for extent in dims[1:]:
        inner *= extent
    if size >= inner:
        if start % inner or size % inner:
            return None
        return ((start // inner, size // inner), *((0, extent) for extent in dims[1:]))
    rest = _box(start % inner, size, dims[1:]) if start % inner + size <= inner else None
    return None if rest is None else ((start // inner, 1), *rest)
