"""B5: saturation, ReLU, wrapping and rounding shifts are told apart and annotated; nothing is rewritten.

How saturation is spelled does not matter (compare-and-select in any order and nesting, tests of the overflow bits): a value that depends on one wider value
only is evaluated at the ends of its range, which gives the bounds, and the bounds are kept if Z3 proves them for every input.

    select(127 < x, 127, select(x < -128, -128, x))   -->  {tensorlift.clamp = {low = -128, high = 127, signed = true, width = 32}}
    select(x < 0, 0, x)                               -->  {tensorlift.relu = {width = 32}}
    select(g & (x < 0), 0, x)                         -->  {tensorlift.relu = {width = 32, guard = 0}}
    extsi(trunci %x : i32 to i20) : i32               -->  {tensorlift.wrap = {width = 20, signed = true}}
    (x >> s) + (round up ? 1 : 0)                     -->  {tensorlift.round = {mode = "half_even", width = 32}}

`guard` is the operand of the conjunction that switches the ReLU on.  In a clamp `signed` is how the input is read and `width` its width; a clamp to [0, high]
of a signed input is a ReLU fused with a saturation and has both annotations.
"""

from __future__ import annotations

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation

from lift.ir.operations import constant_value, result, walk, width
from lift.passes.b3_detect_mac import address_operations
from lift.passes.base import LiftPass
from lift.passes.bounded import Clamp, clamps, closed, sources
from lift.passes.match import made_by
from lift.passes.rounding import roundings
from lift.prove.claims import clamp, relu, resize, select
from lift.prove.cone import Value
from lift.prove.session import Session

CLAMP, RELU, WRAP, ROUND = "tensorlift.clamp", "tensorlift.relu", "tensorlift.wrap", "tensorlift.round"
_ROOTS = ("arith.trunci", "arith.select", "arith.andi", "arith.ori", "arith.xori")


class DetectClamp(LiftPass):
    """From the results down, so that the whole of a saturation is found before its parts."""

    name = "b5-detect-clamp"

    def rewrite(self, session: Session) -> None:
        covered: set[Operation] = set()
        for op in reversed(walk(session.function.body.block)):
            if op.name in _ROOTS and op not in covered and width(result(op)) > 1:
                covered |= _clamp(session, op)
        operations = walk(session.function.body.block)
        addresses = address_operations(operations)
        for op in operations:
            if op.name in ("arith.extsi", "arith.extui") and op not in addresses:
                _wrap(session, op)
            elif op.name in ("arith.addi", "arith.shrsi") and op not in addresses:
                _round(session, op)
            elif op.name == "arith.select" and CLAMP not in op.attributes and RELU not in op.attributes:
                _guarded_relu(session, op)


def _clamp(session: Session, op: Operation) -> set[Operation]:
    """The operations that a clamp found at `op` is made of."""
    for found in clamps(op):
        if session.annotate(op, _annotations(found), _claim(found), (found.x,)):
            return set(closed(result(op), {found.x}) or ())
    return set()


def _claim(found: Clamp) -> Value:
    if found.is_relu and not found.saturates:
        return relu(found.x)
    return clamp(found.x, found.low, found.high, found.signed, found.to)


def _annotations(found: Clamp) -> dict[str, Attribute]:
    wide = IntegerAttr(width(found.x), 64)
    made: dict[str, Attribute] = {}
    if found.saturates:
        bounds = {"low": IntegerAttr(found.low, 64), "high": IntegerAttr(found.high, 64)}
        made[CLAMP] = DictionaryAttr({**bounds, "signed": BoolAttr.from_bool(found.signed), "width": wide})
    return made | ({RELU: DictionaryAttr({"width": wide})} if found.is_relu else {})


def _wrap(session: Session, op: Operation) -> None:
    """An extension of a truncation that is not the end of a saturation, nor the choice of a part of a word."""
    cut = made_by(op.operands[0], "arith.trunci")
    if cut is None or CLAMP in cut.attributes or made_by(cut.operands[0], "memref.load", "arith.shrui") is not None:
        return
    (x,), signed, bits = cut.operands, op.name == "arith.extsi", width(result(cut))
    attribute = DictionaryAttr({"width": IntegerAttr(bits, 64), "signed": BoolAttr.from_bool(signed)})
    session.annotate(op, {WRAP: attribute}, resize(resize(x, bits, signed), width(result(op)), signed), (x,))


def _guarded_relu(session: Session, op: Operation) -> None:
    """select(guard and (x < 0), 0, y), where y is as negative as x: a ReLU of y when the guard holds."""
    condition, zero, y = op.operands
    both = made_by(condition, "arith.andi")
    if both is None or constant_value(zero) != 0 or width(y) == 1:
        return
    for side, guard in enumerate(both.operands):
        claim = select(guard, relu(y), y)
        attribute = DictionaryAttr({"width": IntegerAttr(width(y), 64), "guard": IntegerAttr(side, 64)})
        for x in [y, *sources(y)]:
            closing = closed(both.operands[1 - side], {x}) is not None and (x is y or closed(y, {x}) is not None)
            if closing and session.annotate(op, {RELU: attribute}, claim, (guard, x)):
                return


def _round(session: Session, op: Operation) -> None:
    for mode, x, claim, leaves in roundings(op):
        attribute = DictionaryAttr({"mode": StringAttr(mode), "width": IntegerAttr(width(x), 64)})
        if session.annotate(op, {ROUND: attribute}, claim, leaves):
            return
