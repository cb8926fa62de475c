"""A2: no width is larger than the value needs it.

Afterwards there is no truncation of an extension, no extension of an extension, and no truncation of sums and products whose operands are
extensions or constants.  The truncations that wrap or saturate (of anything else) stay: B5 reads them.

    trunci(extsi %x : i8 to i32) : i16                       -->  arith.extsi %x : i8 to i16
    extsi(extui %x : i8 to i16) : i32                        -->  arith.extui %x : i8 to i32
    trunci(muli(extsi %a : i32, extsi %b : i32)) : i16       -->  muli(extsi %a : i16, extsi %b : i16)
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import constant_value, result, walk, width
from lift.passes.base import LiftPass, share
from lift.passes.match import made_by, used_once
from lift.prove.session import Session

_RING = frozenset("arith.addi arith.subi arith.muli arith.andi arith.ori arith.xori".split())
_MAX_DEPTH = 6


class NarrowTypes(LiftPass):
    """One walk, operands first: each truncation and extension is looked at once, with its operand already narrow."""

    name = "a2-narrow-types"

    def rewrite(self, session: Session) -> None:
        for op in walk(session.function.body.block):
            match op.name:
                case "arith.trunci":
                    _narrow_truncation(session, op)
                case "arith.extsi" | "arith.extui":
                    _join_extensions(session, op)
        share(session)


def _join_extensions(session: Session, op: Operation) -> None:
    """ext(ext x): the outer keeps its kind unless the inner is a zero extension (whose sign bit is 0)."""
    inner = made_by(op.operands[0], "arith.extsi", "arith.extui")
    if inner is None or (op.name == "arith.extui" and inner.name == "arith.extsi"):
        return
    (x,) = inner.operands
    after = session.emitter(op).cast(type(inner), x, width(result(op)))
    session.replace(result(op), after, (x,))


def _narrow_truncation(session: Session, op: Operation) -> None:
    (wide,), bits = op.operands, width(result(op))
    leaves: list[SSAValue] = []
    if made_by(wide, "arith.extsi", "arith.extui", "arith.trunci") is None and not (used_once(wide) and made_by(wide, *_RING)):
        return
    if not _can_narrow(wide, bits, leaves, _MAX_DEPTH):
        return
    session.replace(result(op), _narrowed(wide, bits, session.emitter(op)), leaves)


def _can_narrow(value: SSAValue, bits: int, leaves: list[SSAValue], depth: int) -> bool:
    """Whether the low `bits` bits of `value` cost nothing; collects what it is computed from."""
    if constant_value(value) is not None:
        return True
    if (cast := made_by(value, "arith.extsi", "arith.extui", "arith.trunci")) is not None:
        leaves.append(cast.operands[0])
        return True
    ring = made_by(value, *_RING) if used_once(value) and depth else None
    return ring is not None and all(_can_narrow(v, bits, leaves, depth - 1) for v in ring.operands)


def _narrowed(value: SSAValue, bits: int, emitter: Emitter) -> SSAValue:
    """The low `bits` bits."""
    known = constant_value(value)
    if known is not None:
        return emitter.constant(known, bits)
    op = value.owner
    assert isinstance(op, Operation)
    if op.name in _RING:
        return emitter.binary(type(op), *(_narrowed(v, bits, emitter) for v in op.operands))
    (x,) = op.operands
    if width(x) >= bits:
        return x if width(x) == bits else emitter.cast(arith.TruncIOp, x, bits)
    return emitter.cast(type(op), x, bits)
