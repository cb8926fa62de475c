"""A narrow operation that computes part of what a wider operation before it computes -> those bits of the wider result.

Simplifying a part-select pushes it into the arms of multiplexers and the operands of sums; so one select or sum of the RTL comes back in several widths.  Read
as bits of the widest, they join again.

    %y = select %c, %x, 0 : i8;  andi %c, %x[7]          the second is %y[7]
    %s = addi %a, 1 : i14;       addi %a[11:0], 1 : i12  the second is %s[11:0]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import result, width
from lift.passes.match import negated
from lift.passes.pieces import Piece, Pieces, cut

_ONE, _ZERO = (Piece(None, 1, 1),), (Piece(None, 0, 1),)


@dataclass(frozen=True, slots=True)
class Choice:
    """condition ? then : other, the condition never a negation."""

    condition: SSAValue
    then: Pieces
    other: Pieces


@dataclass(slots=True)
class Slices:
    """The wide operations so far: selects by condition, sums by the lowest piece of their first operand."""

    pieces: Callable[[SSAValue], Pieces]
    choices: dict[SSAValue, list[tuple[Operation, Choice]]] = field(default_factory=dict)
    sums: dict[tuple[SSAValue | None, int], list[Operation]] = field(default_factory=dict)

    def find(self, op: Operation) -> tuple[SSAValue, int] | None:
        """(wider value, lowest bit) that `op` is part of; otherwise `op` is remembered."""
        if op.name == "arith.addi":
            return self._sum(op)
        for choice in self._choices(op):
            for wide, known in self.choices.get(choice.condition, ()):
                offset = _offset(known, choice, width(result(wide)), width(result(op)))
                if offset is not None and _visible(wide, op):
                    return result(wide), offset
        if op.name == "arith.select" and width(result(op)) > 1:
            (choice,) = self._choices(op)
            self.choices.setdefault(choice.condition, []).append((op, choice))
        return None

    def _choices(self, op: Operation) -> list[Choice]:
        """A select, or an and or or of two bits read as selects, either bit as the condition."""
        if op.name == "arith.select":
            condition, then, other = op.operands
            return [_choice(condition, self.pieces(then), self.pieces(other))]
        if width(result(op)) > 1:
            return []
        pairs = (tuple(op.operands), tuple(reversed(op.operands)))
        if op.name == "arith.andi":
            return [_choice(c, self.pieces(bit), _ZERO) for c, bit in pairs]
        return [_choice(c, _ONE, self.pieces(bit)) for c, bit in pairs]

    def _sum(self, op: Operation) -> tuple[SSAValue, int] | None:
        a, b = (self.pieces(v) for v in op.operands)
        same = self.sums.setdefault((a[0].source, a[0].low), [])
        bits = width(result(op))
        for wide in same:
            x, y = (self.pieces(v) for v in wide.operands)
            if width(result(wide)) > bits and cut(x, 0, bits) == a and cut(y, 0, bits) == b and _visible(wide, op):
                return result(wide), 0
        same.append(op)
        return None


def _choice(condition: SSAValue, then: Pieces, other: Pieces) -> Choice:
    positive = negated(condition)
    return Choice(condition, then, other) if positive is None else Choice(positive, other, then)


def _offset(wide: Choice, part: Choice, wide_bits: int, bits: int) -> int | None:
    """Where `part` is found in `wide`: at the same bits of both arms."""
    if bits >= wide_bits:
        return None
    for arm, whole in ((part.then, wide.then), (part.other, wide.other)):
        if len(arm) == 1 and arm[0].source is not None:
            return next((at for at in _places(arm[0], whole, bits) if cut(wide.then, at, bits) == part.then and cut(wide.other, at, bits) == part.other), None)
    return None


def _places(piece: Piece, whole: Pieces, bits: int) -> list[int]:
    """Positions at which the bits of `piece` lie in `whole`."""
    found, position = [], 0
    for other in whole:
        if other.source is piece.source and not other.fill and other.low <= piece.low and piece.low + bits <= other.low + other.width:
            found.append(position + piece.low - other.low)
        position += other.width
    return found


def _visible(earlier: Operation, later: Operation) -> bool:
    """Whether the block of `earlier` is that of `later` or around it."""
    block: Block | None = later.parent_block()
    while block is not None and block is not earlier.parent_block():
        parent = block.parent_op()
        block = None if parent is None else parent.parent_block()
    return block is not None
