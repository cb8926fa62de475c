"""Bit manipulation as data: a value as the runs of bits that it is made of.

`Piece` is a run of bits of a source value, a run of equal copies of one bit (a replicated sign), or a constant.  Extensions, truncations, shifts by constants,
masks and disjoint ors are read as pieces; `emit` writes pieces back in the shortest form, of which there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import constant_value, describe, result, width


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
    if high.low == low.low and _is_bit(high) and _is_bit(low):
        return Piece(low.source, low.low, total, True)
    if not low.fill and not (high.fill and high.width > 1) and high.low == low.low + low.width:
        return Piece(low.source, low.low, total)
    return None


def _is_bit(piece: Piece) -> bool:
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


class Reader:
    """The pieces of values, each computed once; `read(op, operand pieces)` None makes the value a source of its own."""

    def __init__(self) -> None:
        self.known: dict[SSAValue, Pieces] = {}
        self.cost: dict[SSAValue, int] = {}
        self.part_of: dict[SSAValue, SSAValue] = {}

    def pieces(self, value: SSAValue) -> Pieces:
        found = self.known.get(value)
        return (Piece(value, 0, width(value)),) if found is None else found

    def moves(self, op: Operation) -> bool:
        """Whether the result was read as moved bits."""
        return bool(op.results) and result(op) in self.cost

    def boundary(self, value: SSAValue) -> set[SSAValue]:
        """What `value` is made of, also where the bits are dropped again: the values at which its moving operations end.  An operation that was
        read as part of a wider one takes that one with it, and both end at their operands."""
        found: set[SSAValue] = set()
        seen, stack = {value}, [value]
        inside = {value}
        while stack:
            current = stack.pop()
            more = list(current.owner._operands)  # type: ignore[union-attr]
            if current in self.part_of:
                inside.add(wide := self.part_of[current])
                more.append(wide)
                stack.append(wide)
            for operand in more:
                if operand in self.cost and operand not in seen:
                    stack.append(operand)
                elif constant_value(operand) is None and operand not in self.cost:
                    found.add(operand)
                seen.add(operand)
        return found - inside

    def read_as_part(self, op: Operation, wide: SSAValue, low: int) -> None:
        """The result of `op` is bits of `wide`."""
        value = result(op)
        self.known[value] = cut(self.pieces(wide), low, width(value))
        self.cost[value] = 3
        self.part_of[value] = wide

    def visit(self, op: Operation) -> bool:
        """Reads one operation whose operands were visited before; whether it only moves bits."""
        value, rule = result(op), _READ.get(op.name)
        if rule is None:
            if op.name == "arith.constant":
                self.known[value] = (Piece(None, describe(op)[1], width(value)),)
            return False
        pieces = rule(self, op, width(value))
        if pieces is None:
            return False
        self.known[value] = pieces
        self.cost[value] = 1 + sum(self.cost.get(v, 0) for v in op._operands)
        return True


def _shift_amount(op: Operation) -> int | None:
    known = constant_value(op._operands[1])
    return known if known is not None and known < width(result(op)) else None


def _extui(r: Reader, op: Operation, bits: int) -> Pieces | None:
    a = r.pieces(op._operands[0])
    return joined([*a, zeros(bits - width(op._operands[0]))])


def _extsi(r: Reader, op: Operation, bits: int) -> Pieces | None:
    a = r.pieces(op._operands[0])
    more, top = bits - width(op._operands[0]), a[-1].top_bit()
    return joined([*a, _repeat(top, more)])


def _repeat(bit: Piece, count: int) -> Piece:
    if bit.source is None:
        return Piece(None, ((1 << count) - 1) * bit.low, count)
    return Piece(bit.source, bit.low, count, True)


def _trunci(r: Reader, op: Operation, bits: int) -> Pieces | None:
    return cut(r.pieces(op._operands[0]), 0, bits)


def _shrui(r: Reader, op: Operation, bits: int) -> Pieces | None:
    amount = _shift_amount(op)
    return None if amount is None else joined([*cut(r.pieces(op._operands[0]), amount, bits - amount), zeros(amount)])


def _shrsi(r: Reader, op: Operation, bits: int) -> Pieces | None:
    amount = _shift_amount(op)
    if amount is None:
        return None
    kept = cut(r.pieces(op._operands[0]), amount, bits - amount)
    return joined([*kept, _repeat(kept[-1].top_bit(), amount)])


def _shli(r: Reader, op: Operation, bits: int) -> Pieces | None:
    amount = _shift_amount(op)
    return None if amount is None else joined([zeros(amount), *cut(r.pieces(op._operands[0]), 0, bits - amount)])


def _ori(r: Reader, op: Operation, bits: int) -> Pieces | None:
    return merged(r.pieces(op._operands[0]), r.pieces(op._operands[1]))


def _andi(r: Reader, op: Operation, bits: int) -> Pieces | None:
    for value, other in (op._operands, reversed(op._operands)):
        mask = constant_value(other)
        if mask is not None:
            return masked(r.pieces(value), mask)
    return None


_READ: dict[str, Callable[[Reader, Operation, int], Pieces | None]] = {
    "arith.extui": _extui, "arith.extsi": _extsi, "arith.trunci": _trunci, "arith.shrui": _shrui, "arith.shrsi": _shrsi,
    "arith.shli": _shli, "arith.ori": _ori, "arith.andi": _andi,
}  # fmt: skip


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
        elif last is not None and last.position + last.width == position and _is_bit(piece) and last.piece.top_bit() == piece.top_bit():
            out[-1] = Group(last.piece, last.position, last.width + piece.width)
        else:
            out.append(Group(piece.part(0, 1) if piece.fill else piece, position, piece.width))
        position += piece.width
    return [*out, Group(Piece(None, constants, position), 0, position)] if constants else out


def cost(pieces: Pieces) -> int:
    """Operations that `emit` makes, constants not counted."""
    found, total = groups(pieces), sum(p.width for p in pieces)
    return sum(_group_cost(g, total, len(found)) for g in found) + max(len(found) - 1, 0)


def _group_cost(group: Group, total: int, count: int) -> int:
    if group.piece.source is None:
        return 0
    part = (group.piece.low > 0) + (group.piece.width < width(group.piece.source))
    return part + (group.width > group.piece.width) + (group.width < total) + (group.position > 0)


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
