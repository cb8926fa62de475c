"""Arithmetic in a type of an odd width (a 20-bit partial sum) -> the same arithmetic in a common type, where nothing wraps.

Before --> after:  `convert<s32>(dot<s20>(convert<s20>(a), convert<s20>(b)))` --> `dot<s32>(convert<s32>(a), convert<s32>(b))`,
if the dot product of so many terms of the types of a and b fits 20 bits.
"""

from __future__ import annotations

from collections.abc import Mapping

from act.backend.analysis import common, exact_range, full_range, integral, is_odd
from act.generator.model import Apply, Leaf, Pattern, Splat
from act.hlo.dtypes import integer_range
from act.hlo.model import Shape
from act.records import replace
from act.taidl.bounds import Range, bounds

Interval = tuple[int, int]


def without_odd_widths(pattern: Pattern, ranges: Mapping[str, Range]) -> Pattern:
    """The same value, in common types as far as that is exact; `ranges` are those of the computational attributes."""
    if not isinstance(pattern, Apply):
        return pattern
    pattern = replace(pattern, children=tuple(without_odd_widths(child, ranges) for child in pattern.children))
    if pattern.opcode == "convert" and is_odd(pattern.children[0].dtype):
        wide = _widened(pattern.children[0], ranges)
        if wide is not None:
            same = (wide.dtype, wide.dims) == (pattern.dtype, pattern.dims)
            return wide if same else replace(pattern, children=(wide,))
    return pattern


def _widened(pattern: Pattern, ranges: Mapping[str, Range]) -> Pattern | None:
    """A pattern of the common type with the values of `pattern`; None when it wraps, or when it is an operand itself."""
    target = common(pattern.dtype)
    match pattern:
        case Splat():
            return replace(pattern, dtype=target)
        case Apply("convert", children=(child,)) if _within(interval(child, ranges), pattern.dtype):
            return replace(pattern, dtype=target) if child.dtype != target else child
        case Apply("convert") | Leaf():
            return None
    assert isinstance(pattern, Apply)
    if not _exact(pattern, ranges):
        return None
    children = [_widened(child, ranges) if is_odd(child.dtype) else child for child in pattern.children]
    return None if None in children else replace(pattern, dtype=target, children=tuple(children))


def _exact(pattern: Apply, ranges: Mapping[str, Range]) -> bool:
    found = _mathematical(pattern, ranges)
    return found is not None and _within(found, pattern.dtype)


def _within(found: Interval | None, dtype: str) -> bool:
    low, high = integer_range(dtype)
    return found is not None and low <= found[0] and found[1] <= high


def interval(pattern: Pattern, ranges: Mapping[str, Range]) -> Interval | None:
    """Bounds of the elements of a pattern."""
    match pattern:
        case Splat(value) if isinstance(value, int):
            return value, value
        case Apply():
            found = _mathematical(pattern, ranges)
            if found is not None and _within(found, pattern.dtype):
                return found
    return full_range(Shape(pattern.dtype))


def _mathematical(pattern: Apply, ranges: Mapping[str, Range]) -> Interval | None:
    """Bounds of the result before it is wrapped, with the greatest sizes that the attributes can have."""
    children = [found for child in pattern.children if (found := interval(child, ranges)) is not None]
    if len(children) < len(pattern.children) or not integral(pattern.dtype):
        return None
    types = []
    for child in pattern.children:
        sizes = [bounds(size, ranges).high for size in child.dims]
        if None in sizes:
            return None
        types.append(Shape(child.dtype, tuple(sizes)))
    return exact_range(pattern.opcode, pattern.attributes, children, types)
