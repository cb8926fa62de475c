"""slang's types to widths, ranges and element counts."""

from __future__ import annotations

from collections.abc import Iterator

import pyslang
import pyslang.ast as ast


def array_dimensions(kind: ast.Type) -> tuple[list[tuple[int, int]], ast.Type]:
    """The [left:right] of each unpacked dimension, outermost first, and the type of a word."""
    dimensions: list[tuple[int, int]] = []
    while kind.isUnpackedArray and kind.hasFixedRange:
        dimensions.append((kind.fixedRange.left, kind.fixedRange.right))
        kind = kind.arrayElementType
    return dimensions, kind


def packed_range(kind: ast.Type) -> tuple[int, int, int]:
    """The [left:right] range of a packed type and the width of its elements."""
    canonical = kind.canonicalType
    if canonical.isPackedArray:
        return canonical.fixedRange.left, canonical.fixedRange.right, canonical.arrayElementType.bitWidth
    if canonical.hasFixedRange:
        return canonical.fixedRange.left, canonical.fixedRange.right, 1
    return kind.bitWidth - 1, 0, 1


def integer_bits(value: pyslang.SVInt) -> tuple[int, int]:
    """(value, x mask) of a constant; a z digit has both bits set, an x digit only that of the mask."""
    ones = (1 << value.bitWidth) - 1
    if not value.hasUnknown:
        return int(value) & ones, 0
    digits = value.toString(pyslang.LiteralBase.Binary, False)
    bits, mask = 0, 0
    for digit in _pad(digits, value.bitWidth):
        bits = bits << 1 | (digit in "1z?")
        mask = mask << 1 | (digit in "xz?")
    return bits & ones, mask & ones


def _pad(digits: str, width: int) -> Iterator[str]:
    """slang leaves out equal leading digits."""
    digits = digits.replace("_", "").lower().lstrip("-")
    fill = digits[0] if digits[0] in "xz" else "0"
    yield from fill * (width - len(digits)) + digits
