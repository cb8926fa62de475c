"""A1: bit manipulation in its shortest form; common subexpressions shared and dead operations removed.

Afterwards no value that only moves bits has a shorter spelling by one extension or part-select per run of bits; of two equally short ones it has that with
more casts.

    {{4{p[15]}}, p}   shrui, trunci, (extui, shli, ori) x 4  -->  %e = arith.extsi %p : i16 to i20
    {hi, lo}[15:8]    extui, shli, ori, shrui, trunci        -->  %hi
    (x << 24) >>> 24  shli, shrsi                            -->  trunci, extsi
    {8{c}} & x        andi (extsi %c), %x                    -->  select %c, %x, 0
    {{12{c & x[7]}}, c ? x : 0}                              -->  %y = arith.select %c, %x, 0 : i8;  arith.extsi %y : i8 to i20
"""

from __future__ import annotations

from xdsl.ir import Operation

from lift.ir.operations import PURE, result, walk
from lift.passes.base import LiftPass, share
from lift.passes.masks import as_select
from lift.passes.read_pieces import Reader
from lift.passes.slices import Slices
from lift.passes.write_pieces import cost, emit
from lift.prove.session import Session


class CanonBitmanip(LiftPass):
    """Each value that moves bits and is used by something else is read as pieces and written again if that is shorter."""

    name = "a1-canon-bitmanip"

    def rewrite(self, session: Session) -> None:
        reader = Reader()
        slices = Slices(reader.pieces)
        pure = (op for op in walk(session.function.body.block) if op.name in PURE)
        moving = [op for each in pure if _read(op := as_select(session, each, reader), reader, slices)]
        for op in moving:
            if any(not reader.moves(use.operation) for use in result(op).uses):
                _shorten(session, op, reader)
        share(session)


def _read(op: Operation, reader: Reader, slices: Slices) -> bool:
    """Whether the operation only moves bits, or computes bits that a wider operation computes as well."""
    if reader.visit(op):
        return True
    part = slices.find(op) if op.name in _SLICED else None
    if part is not None:
        reader.read_as_part(op, *part)
    return part is not None


_SLICED = frozenset("arith.select arith.andi arith.ori arith.addi".split())


def _shorten(session: Session, op: Operation, reader: Reader) -> None:
    value = result(op)
    pieces = reader.known[value]
    if cost(pieces) >= reader.spent(value):
        return
    after = emit(pieces, session.emitter(op))
    if session.replace(value, after, reader.boundary(value)):
        reader.learn(after)
