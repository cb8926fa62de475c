"""One operation whose operands are partly known -> a simpler value."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.evaluate import apply
from lift.ir.operations import COMMUTATIVE, constant_value, describe, result, width
from lift.passes.match import made_by

_ZERO_RIGHT = frozenset("arith.addi arith.subi arith.ori arith.xori arith.shli arith.shrui arith.shrsi".split())
_SHIFTS = frozenset("arith.shli arith.shrui arith.shrsi".split())


def fold(op: Operation, emitter: Emitter) -> SSAValue | None:
    """What a pure operation is when constants among its operands decide; None if they don't."""
    known = [constant_value(v) for v in op.operands]
    if op.name == "arith.constant":
        return None
    if None not in known:
        name, attribute, bits = describe(op)
        value = apply(name, attribute, bits, [width(v) for v in op.operands], known)  # type: ignore[arg-type]
        return emitter.constant(value, 0 if _is_index(op) else bits)
    if op.name == "arith.select":
        return _select(op, known, emitter)
    if op.name == "arith.cmpi":
        return _compare(op, known, emitter)
    return _algebra(op, known) if len(known) == 2 else None


def _is_index(op: Operation) -> bool:
    return op.name == "arith.index_castui" and str(result(op).type) == "index"


def _select(op: Operation, known: list[int | None], emitter: Emitter) -> SSAValue | None:
    condition, then, other = op.operands
    if known[0] is not None:
        return then if known[0] else other
    if then is other:
        return then
    if width(then) == 1 and known[1:] == [1, 0]:
        return condition
    if (flip := made_by(condition, "arith.xori")) is not None and constant_value(flip.operands[1]) == 1:
        return emitter.select(flip.operands[0], other, then)
    return None


def _compare(op: Operation, known: list[int | None], emitter: Emitter) -> SSAValue | None:
    a, b = op.operands
    predicate = describe(op)[1]
    if a is b:
        return emitter.constant(int(predicate in (0, 3, 5, 7, 9)), 1)
    if width(a) == 1 and predicate in (0, 1) and known[1] is not None:
        same = known[1] == (1 - predicate)
        return a if same else emitter.binary(arith.XOrIOp, a, emitter.constant(1, 1))
    return None


def _algebra(op: Operation, known: list[int | None]) -> SSAValue | None:
    """Zeros, ones and equal operands; a constant on the left counts as on the right where the operation commutes."""
    a, b = op.operands
    left, right = known
    if op.name in COMMUTATIVE and left is not None:
        a, b, right = b, a, left
    elif left == 0 and op.name in _SHIFTS:
        return a
    ones = (1 << width(result(op))) - 1
    if right == 0 and op.name in _ZERO_RIGHT:
        return a
    if right == 0 and op.name in ("arith.andi", "arith.muli"):
        return b
    if right == 1 and op.name == "arith.muli":
        return a
    if right == ones and op.name in ("arith.andi", "arith.ori"):
        return a if op.name == "arith.andi" else b
    return a if a is b and op.name in ("arith.andi", "arith.ori") else None
