"""Pieces -> operations, in the shortest form, of which there is one: each run is selected, extended and shifted into place, then all are or-ed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import width
from lift.passes.pieces import CAST, OTHER, Piece, Pieces, is_bit


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring pieces that one extension makes: `piece` at bit `position`, sign-extended to `width` bits."""

    piece: Piece
    position: int
    width: int


def groups(pieces: Pieces) -> list[Group]:
    """A run followed by copies of its top bit is one group; the constant bits together are one, at the end, and left out when zero."""
    out: list[Group] = []
    position = constants = 0
    for piece in pieces:
        last = out[-1] if out else None
        if piece.source is None:
            constants |= piece.low << position
        elif last is not None and last.position + last.width == position and is_bit(piece) and last.piece.top_bit() == piece.top_bit():
            out[-1] = Group(last.piece, last.position, last.width + piece.width)
        else:
            out.append(Group(piece.part(0, 1) if piece.fill else piece, position, piece.width))
        position += piece.width
    return [*out, Group(Piece(None, constants, position), 0, position)] if constants else out


def cost(pieces: Pieces) -> int:
    """Of the operations that `emit` makes, constants not counted."""
    found, total = groups(pieces), sum(p.width for p in pieces)
    return sum(_group_cost(g, total, len(found)) for g in found) + OTHER * max(len(found) - 1, 0)


def _group_cost(group: Group, total: int, count: int) -> int:
    if group.piece.source is None:
        return 0
    others = (group.piece.low > 0) + (group.position > 0)
    casts = (group.piece.width < width(group.piece.source)) + (group.width > group.piece.width) + (group.width < total)
    return OTHER * others + CAST * casts


def emit(pieces: Pieces, emitter: Emitter) -> SSAValue:
    """The value of the pieces: each group is part-selected, sign-extended, zero-extended, shifted into place; then all are or-ed, lowest first."""
    total, result = sum(p.width for p in pieces), None
    for group in groups(pieces):
        placed = _place(group, total, emitter)
        result = placed if result is None else emitter.binary(arith.OrIOp, result, placed)
    return emitter.constant(0, total) if result is None else result


def _place(group: Group, total: int, emitter: Emitter) -> SSAValue:
    piece = group.piece
    if piece.source is None:
        return emitter.constant(piece.low, total)
    value = emitter.part(piece.source, piece.low, piece.width)
    if group.width > piece.width:
        value = emitter.cast(arith.ExtSIOp, value, group.width)
    value = emitter.resize(value, total)
    return emitter.binary(arith.ShLIOp, value, emitter.constant(group.position, total)) if group.position else value
