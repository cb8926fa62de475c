"""An and or an or with a repeated bit -> the multiplexer that it is.

    {8{c}} & x                       andi (extsi %c : i1 to i8), %x   -->  select %c, %x, 0
    {8{c}} | x                       ori (extsi %c : i1 to i8), %x    -->  select %c, -1, %x
    ({8{c}} & x) | ({8{~c}} & y)     ori of two such                  -->  select %c, %x, %y
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, result, width
from lift.passes.match import made_by, negated
from lift.passes.read_pieces import Reader
from lift.prove.session import Session


def as_select(session: Session, op: Operation, reader: Reader) -> Operation:
    """`op`, or the select that has replaced it."""
    if op.name not in ("arith.andi", "arith.ori") or width(result(op)) == 1:
        return op
    return _join(session, op) or _unmask(session, op, reader) or op


def _unmask(session: Session, op: Operation, reader: Reader) -> Operation | None:
    for mask, other in (op.operands, reversed(op.operands)):
        (first, *more) = reader.pieces(mask)
        if more or not first.fill or first.source is None or mask is other:
            continue
        emitter, bits = session.emitter(op), width(mask)
        condition = emitter.part(first.source, first.low, 1)
        arms = (other, emitter.constant(0, bits)) if op.name == "arith.andi" else (emitter.constant(-1, bits), other)
        return _replace(session, op, emitter.select(condition, *arms), {*reader.boundary(mask), other})
    return None


def _join(session: Session, op: Operation) -> Operation | None:
    """Two arms of which exactly one is chosen."""
    if op.name != "arith.ori":
        return None
    first, second = (made_by(v, "arith.select") for v in op.operands)
    if first is None or second is None or any(constant_value(s.operands[2]) != 0 for s in (first, second)):
        return None
    (c, x, _), (d, y, _) = first.operands, second.operands
    if negated(d) is not c and negated(c) is not d:
        return None
    positive = negated(d) is c
    after = session.emitter(op).select(c if positive else d, *((x, y) if positive else (y, x)))
    return _replace(session, op, after, {x, y, c if positive else d})


def _replace(session: Session, op: Operation, after: SSAValue, cut: set[SSAValue]) -> Operation | None:
    made = after.owner
    assert isinstance(made, Operation)
    return made if session.replace(result(op), after, cut) else None
