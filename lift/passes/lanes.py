"""A word of which some bits lead to a value -> the lane that has these bits, all of which are then read through it.

    %w[63:32] is compared, %w[39:32] is chosen   -->  %l = %w[63:32] is compared, %l[7:0] is chosen

Bit manipulation in its shortest form (A1) takes each part from the word itself, so that no value has all that a saturation is a function of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, result, width
from lift.passes.match import made_by
from lift.prove.session import Session


@dataclass(frozen=True, slots=True)
class Part:
    """`value` is bits [low + bits - 1 : low] of a word, zero-extended."""

    value: SSAValue
    low: int
    bits: int


@dataclass(frozen=True, slots=True)
class Lane:
    """Bits [low + bits - 1 : low] of `word`, and what is taken from them; the word itself if nothing is."""

    word: SSAValue
    low: int
    bits: int
    parts: tuple[Part, ...] = ()

    @property
    def span(self) -> tuple[int, int]:
        return self.low, self.bits

    def taken(self, session: Session) -> SSAValue:
        """A value of its own, from which the parts are taken from now on."""
        if not self.parts:
            return self.word
        value = session.emitter(_after(self.word)).part(self.word, self.low, self.bits)
        for part in self.parts:
            emitter = session.emitter(part.value.owner)  # type: ignore[arg-type]
            again = emitter.resize(emitter.part(value, part.low - self.low, part.bits), width(part.value))
            session.replace(part.value, again, (self.word,))
        return value


def whole_of(word: SSAValue) -> Lane:
    return Lane(word, 0, width(word))


def lane_of(word: SSAValue, inside: Collection[Operation]) -> Lane:
    """What the operations `inside` read of a word; all of it if that is but one part, which is a value already."""
    parts = _parts(word, inside)
    low, high = min((p.low for p in parts), default=0), max((p.low + p.bits for p in parts), default=0)
    if any(p.bits < high - low for p in parts) and high - low < width(word):
        return Lane(word, low, high - low, parts)
    return whole_of(word)


def word_of(value: SSAValue) -> SSAValue:
    """The word that `value` is a part of."""
    cut = made_by(value, "arith.trunci")
    inner = value if cut is None else cut.operands[0]
    shift = made_by(inner, "arith.shrui")
    return inner if shift is None or constant_value(shift.operands[1]) is None else shift.operands[0]


def _parts(word: SSAValue, inside: Collection[Operation]) -> tuple[Part, ...]:
    """Empty if the word is used as a whole."""
    found: list[Part] = []
    for op in _users(word, inside):
        amount = constant_value(op.operands[1]) if op.name == "arith.shrui" and op.operands[0] is word else 0
        if op.name not in ("arith.trunci", "arith.shrui") or amount is None or amount >= width(word):
            return ()
        found += _low_parts(op, amount, width(word), inside) if op.name == "arith.shrui" else [Part(result(op), 0, width(result(op)))]
    return tuple(found)


def _low_parts(shift: Operation, amount: int, bits: int, inside: Collection[Operation]) -> Iterator[Part]:
    """Of a word shifted to the right."""
    cuts = [result(op) for op in _users(result(shift), inside)]
    if all(cut.owner.name == "arith.trunci" and amount + width(cut) <= bits for cut in cuts):  # type: ignore[union-attr]
        yield from (Part(cut, amount, width(cut)) for cut in cuts)
    else:
        yield Part(result(shift), amount, bits - amount)


def _users(value: SSAValue, inside: Collection[Operation]) -> list[Operation]:
    return [use.operation for use in value.uses if use.operation in inside]


def _after(word: SSAValue) -> Operation:
    """The first operation that may use a word, after the constants."""
    op = word.owner.next_op if isinstance(word.owner, Operation) else word.owner.first_op
    while isinstance(op, arith.ConstantOp):
        op = op.next_op
    assert op is not None
    return op
