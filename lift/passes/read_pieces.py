"""Operations -> pieces: extensions, truncations, shifts by constants, masks, disjoint ors and choices between constants only move bits."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, describe, result, width
from lift.passes.match import CASTS
from lift.passes.pieces import CAST, OTHER, Piece, Pieces, cut, joined, masked, merged, zeros


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

    def learn(self, value: SSAValue) -> None:
        """Reads what was written for a value that moves bits, so that its users are seen to be made of the same."""
        op = value.owner
        if value in self.known or not isinstance(op, Operation) or op.name not in _READ:
            return
        for operand in op._operands:
            self.learn(operand)
        self.visit(op)

    def spent(self, value: SSAValue) -> int:
        """What moving the bits of `value` costs as it stands."""
        if value not in self.part_of:
            self.cost[value] = self._cost(value.owner)  # type: ignore[arg-type]
        return self.cost[value]

    def _cost(self, op: Operation) -> int:
        return (CAST if op.name in CASTS else OTHER) + sum(self.cost.get(v, 0) for v in op._operands)

    def read_as_part(self, op: Operation, wide: SSAValue, low: int) -> None:
        """The result of `op` is bits of `wide`."""
        value = result(op)
        self.known[value] = cut(self.pieces(wide), low, width(value))
        self.cost[value] = 3 * OTHER
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
        self.cost[value] = self._cost(op)
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


def _disjoint(r: Reader, op: Operation, bits: int) -> Pieces | None:
    """An exclusive or, or a sum without carries; adding zero stays a sum, as the first of a chain."""
    if any(constant_value(v) == 0 for v in op._operands):
        return None
    return merged(r.pieces(op._operands[0]), r.pieces(op._operands[1]))


def _select(r: Reader, op: Operation, bits: int) -> Pieces | None:
    """One constant or another: each bit is constant or the condition."""
    condition, then, other = op._operands
    high, low = constant_value(then), constant_value(other)
    if high is None or low is None or low & ~high:
        return None
    (bit,) = r.pieces(condition)
    return merged(masked((_repeat(bit.top_bit(), bits),), high & ~low), (Piece(None, low, bits),))


_READ: dict[str, Callable[[Reader, Operation, int], Pieces | None]] = {
    "arith.extui": _extui, "arith.extsi": _extsi, "arith.trunci": _trunci, "arith.shrui": _shrui, "arith.shrsi": _shrsi,
    "arith.shli": _shli, "arith.ori": _ori, "arith.andi": _andi, "arith.xori": _disjoint, "arith.addi": _disjoint, "arith.select": _select,
}  # fmt: skip
