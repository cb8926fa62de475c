"""Bit manipulation as data: a value as the runs of bits that it is made of.

`Piece` is a run of bits of a source value, a run of equal copies of one bit (a replicated sign), or a constant; `Pieces` are a value's, lowest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import SSAValue


@dataclass(frozen=True, slots=True)
class Piece:
    """`width` bits: of `source` from `low` on; if `fill`, copies of bit `low`; without a source the constant `low`."""

    source: SSAValue | None
    low: int
    width: int
    fill: bool = False

    @property
    def is_zero(self) -> bool:
        return self.source is None and self.low == 0

    def part(self, offset: int, bits: int) -> Piece:
        if self.fill:
            return Piece(self.source, self.low, bits, True)
        if self.source is None:
            return Piece(None, self.low >> offset & ((1 << bits) - 1), bits)
        return Piece(self.source, self.low + offset, bits)

    def top_bit(self) -> Piece:
        if self.fill:
            return Piece(self.source, self.low, 1, True)
        if self.source is None:
            return Piece(None, self.low >> (self.width - 1), 1)
        return Piece(self.source, self.low + self.width - 1, 1, True)


Pieces = tuple[Piece, ...]

# What an operation costs: the shortest form wins, and of two equally short ones that with more extensions and truncations.
CAST, OTHER = 10_000, 10_001


def zeros(bits: int) -> Piece:
    return Piece(None, 0, bits)


def joined(pieces: Iterator[Piece] | list[Piece]) -> Pieces:
    """Lowest first, neighbours that are one run united."""
    out: list[Piece] = []
    for piece in pieces:
        if piece.width == 0:
            continue
        last = out[-1] if out else None
        united = _unite(last, piece) if last is not None else None
        if united is None:
            out.append(piece)
        else:
            out[-1] = united
    return tuple(out)


def _unite(low: Piece, high: Piece) -> Piece | None:
    if low.source is not high.source:
        return None
    total = low.width + high.width
    if low.source is None:
        return Piece(None, low.low | high.low << low.width, total)
    if high.low == low.low and is_bit(high) and is_bit(low):
        return Piece(low.source, low.low, total, True)
    if not low.fill and not (high.fill and high.width > 1) and high.low == low.low + low.width:
        return Piece(low.source, low.low, total)
    return None


def is_bit(piece: Piece) -> bool:
    return piece.fill or piece.width == 1


def cut(pieces: Pieces, low: int, bits: int) -> Pieces:
    """Bits [low + bits - 1 : low]."""
    out, position = [], 0
    for piece in pieces:
        start, end = max(low, position), min(low + bits, position + piece.width)
        if start < end:
            out.append(piece.part(start - position, end - start))
        position += piece.width
    return joined(out)


def merged(a: Pieces, b: Pieces) -> Pieces | None:
    """The or of two values, None where both may have ones."""
    out: list[Piece] = []
    for x, y in _aligned(a, b):
        if x.is_zero:
            out.append(y)
        elif y.is_zero:
            out.append(x)
        elif x.source is None and y.source is None:
            out.append(Piece(None, x.low | y.low, x.width))
        else:
            return None
    return joined(out)


def masked(a: Pieces, mask: int) -> Pieces:
    """The and with a constant."""
    total = sum(p.width for p in a)
    runs, position = [], 0
    while position < total:
        bit, length = mask >> position & 1, 1
        while position + length < total and (mask >> (position + length) & 1) == bit:
            length += 1
        runs.extend(cut(a, position, length) if bit else (zeros(length),))
        position += length
    return joined(runs)


def _aligned(a: Pieces, b: Pieces) -> Iterator[tuple[Piece, Piece]]:
    """Both cut at the same places."""
    i = j = at_i = at_j = 0
    while i < len(a) and j < len(b):
        bits = min(a[i].width - at_i, b[j].width - at_j)
        yield a[i].part(at_i, bits), b[j].part(at_j, bits)
        at_i, at_j = at_i + bits, at_j + bits
        if at_i == a[i].width:
            i, at_i = i + 1, 0
        if at_j == b[j].width:
            j, at_j = j + 1, 0
