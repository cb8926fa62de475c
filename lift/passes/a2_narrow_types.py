"""A2: no width is larger than the value needs it.

Afterwards there is no truncation of an extension, no extension of an extension, no truncation of sums, products and choices whose operands are extensions or
constants, no comparison of two extensions, and nothing that what is known of its operands decides (known_bits.py).  The truncations that wrap or saturate (of
anything else, where bits may be lost) stay: B5 reads them.

    trunci(extsi %x : i8 to i32) : i16                       -->  arith.extsi %x : i8 to i16
    extsi(extui %x : i8 to i16) : i32                        -->  arith.extui %x : i8 to i32
    trunci(muli(extsi %a : i32, extsi %b : i32)) : i16       -->  muli(extsi %a : i16, extsi %b : i16)
    cmpi ult, extui %x : i4 to i32, 9 : i32                  -->  cmpi ult, %x, 9 : i4
    cmpi ult, addi(andi %x, 15 : i32, 1 : i32), 20 : i32     -->  true
    extsi(trunci %x : i32 to i20), %x is in 20 bits          -->  %x
    addi(shrsi %x, %n : i32, extui %bit), %x is in 20 bits   -->  extsi(trunci(addi ... : i32) : i20) : i32, if the rounded quotient is, too
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import PREDICATES, PURE, constant_value, describe, result, walk, width
from lift.passes.base import LiftPass, share
from lift.passes.bounded import closed
from lift.passes.decided import decide
from lift.passes.facts import Facts
from lift.passes.match import made_by, used_once, without_extensions
from lift.prove.session import Session

_CASTS = ("arith.extsi", "arith.extui", "arith.trunci")
_RING = frozenset("arith.addi arith.subi arith.muli arith.andi arith.ori arith.xori".split())
_MAX_DEPTH = 6


class NarrowTypes(LiftPass):
    """One walk, operands first: each operation is looked at once, with its operands already narrow."""

    name = "a2-narrow-types"

    def rewrite(self, session: Session) -> None:
        facts = Facts()
        for op in walk(session.function.body.block):
            if op.parent is None:
                continue
            if op.name == "scf.if" and constant_value(op.operands[0]) is not None:
                session.fold_structure(op)
            elif op.name in PURE and not decide(session, op, facts):
                _narrow(session, op, facts)
        share(session)


def _narrow(session: Session, op: Operation, facts: Facts) -> None:
    match op.name:
        case "arith.trunci":
            _narrow_truncation(session, op)
        case "arith.extsi" | "arith.extui":
            _join_extensions(session, op)
        case "arith.cmpi":
            _narrow_comparison(session, op, facts)
        case "arith.addi":
            _narrow_rounding(session, op, facts)


def _narrow_rounding(session: Session, op: Operation, facts: Facts) -> None:
    """A quotient that is rounded up where the dividend was shifted at all is not wider than the dividend."""
    for side, bit in (op.operands, reversed(op.operands)):
        shift, rest = made_by(side, "arith.shrsi"), made_by(bit, "arith.extui")
        if shift is None or rest is None or width(rest.operands[0]) > 1 or constant_value(shift.operands[1]) is not None:
            continue
        bits, leaves = facts.of(shift.operands[0]).signed_width, [without_extensions(v)[0] for v in shift.operands]
        if bits < facts.of(result(op)).signed_width and closed(result(op), leaves) is not None:
            emitter = session.emitter(op)
            again = emitter.binary(arith.AddiOp, *op.operands)
            session.replace(result(op), emitter.cast(arith.ExtSIOp, emitter.cast(arith.TruncIOp, again, bits), width(again)), leaves)


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
    if made_by(wide, *_CASTS, *_RING, "arith.select", "arith.shli") is None:
        return
    if not _can_narrow(wide, bits, leaves, _MAX_DEPTH):
        return
    session.replace(result(op), _narrowed(wide, bits, session.emitter(op)), leaves)


def _narrow_comparison(session: Session, op: Operation, facts: Facts) -> None:
    """Both sides in the fewest bits that hold them, where this costs nothing."""
    predicate, (a, b) = PREDICATES[describe(op)[1]], op.operands
    known = facts.of(a), facts.of(b)
    needed = [max(k.unsigned_width for k in known)] if predicate[0] != "s" else []
    needed += [max(k.signed_width for k in known)] if predicate[0] != "u" else []
    bits, leaves = min(needed), list[SSAValue]()
    if bits >= width(a) or not all(_can_narrow(v, bits, leaves, _MAX_DEPTH) for v in (a, b)):
        return
    support = facts.support((a, b))
    if support is not None:
        emitter = session.emitter(op)
        after = emitter.compare(predicate, *(_narrowed(v, bits, emitter) for v in (a, b)))
        session.replace(result(op), after, support)


def _can_narrow(value: SSAValue, bits: int, leaves: list[SSAValue], depth: int) -> bool:
    """Whether the low `bits` bits of `value` cost nothing; collects what it is computed from."""
    if constant_value(value) is not None:
        return True
    if (cast := made_by(value, *_CASTS)) is not None:
        leaves.append(cast.operands[0])
        return True
    inner = value.owner
    if not (depth and isinstance(inner, Operation) and (used_once(value) or _counts_down(inner))):
        return False
    carried = _carried(inner, bits, leaves)
    return bool(carried) and all(_can_narrow(v, bits, leaves, depth - 1) for v in carried)


def _counts_down(op: Operation) -> bool:
    """A constant minus the index of a loop: cheap enough to be there in several widths."""
    cut = made_by(op.operands[1], "arith.trunci") if op.name == "arith.subi" and constant_value(op.operands[0]) is not None else None
    return cut is not None and made_by(cut.operands[0], "arith.index_castui") is not None


def _carried(op: Operation, bits: int, leaves: list[SSAValue]) -> tuple[SSAValue, ...]:
    """The operands whose low bits give those of the result; empty if there are none such.  What the result depends on besides becomes a leaf."""
    if op.name in _RING:
        return tuple(op.operands)
    if op.name == "arith.select":
        leaves.append(op.operands[0])
        return tuple(op.operands[1:])
    amount = constant_value(op.operands[1]) if op.name == "arith.shli" else None
    return (op.operands[0],) if amount is not None and amount < bits else ()


def _narrowed(value: SSAValue, bits: int, emitter: Emitter) -> SSAValue:
    """The low `bits` bits."""
    known = constant_value(value)
    if known is not None:
        return emitter.constant(known, bits)
    op = value.owner
    assert isinstance(op, Operation)
    if op.name in _RING:
        return emitter.binary(type(op), *(_narrowed(v, bits, emitter) for v in op.operands))
    if op.name == "arith.select":
        return emitter.select(op.operands[0], *(_narrowed(v, bits, emitter) for v in op.operands[1:]))
    if op.name == "arith.shli":
        amount = emitter.constant(constant_value(op.operands[1]) or 0, bits)
        return emitter.binary(arith.ShLIOp, _narrowed(op.operands[0], bits, emitter), amount)
    (x,) = op.operands
    if width(x) >= bits:
        return x if width(x) == bits else emitter.cast(arith.TruncIOp, x, bits)
    return emitter.cast(type(op), x, bits)
