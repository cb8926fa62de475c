"""One operation whose value is decided, in part or in whole, by what is known of its operands (facts.py) -> a simpler value.

    cmpi ult, (andi %x, 15), 16          -->  true
    andi (andi %x, 15), 31               -->  andi %x, 15
    extsi (trunci %x), %x fits           -->  %x
    extsi %x, %x never negative          -->  arith.extui %x
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import constant_value, result, width
from lift.passes.facts import Facts
from lift.passes.folding import fold
from lift.passes.known_bits import full
from lift.passes.match import made_by
from lift.prove.session import Session


def decide(session: Session, op: Operation, facts: Facts) -> bool:
    """Replaces a pure operation if constants among its operands or what is known of them allow; whether it did."""
    value = result(op)
    if constant_value(value) is not None:
        return False
    after = fold(op, session.emitter(op))
    if after is not None:
        return session.replace(value, after, op.operands)
    simpler = _simpler(op, facts, session.emitter(op))
    support = facts.support(simpler.because) if simpler is not None else None
    return simpler is not None and support is not None and session.replace(value, simpler.value, support - {value})


@dataclass(frozen=True, slots=True)
class _Simpler:
    """`value` is the operation's result because of what is known of others."""

    value: SSAValue
    because: tuple[SSAValue, ...]


def _simpler(op: Operation, facts: Facts, emitter: Emitter) -> _Simpler | None:
    value = result(op)
    exact = facts.of(value).exact
    if exact is not None and str(value.type) != "index":
        return _Simpler(emitter.constant(exact, width(value)), (value,))
    match op.name:
        case "arith.andi" | "arith.ori":
            kept = _absorbed(op, facts)
            return None if kept is None else _Simpler(kept, tuple(op.operands))
        case "arith.extsi" | "arith.extui":
            return _extension(op, facts, emitter)
    return None


def _absorbed(op: Operation, facts: Facts) -> SSAValue | None:
    """x & y where y has ones wherever x may have, x | y where x has ones wherever y may have: x."""
    for x, y in (op.operands, reversed(op.operands)):
        a, b = facts.of(x), facts.of(y)
        kept, spoilt = (~a.zeros, ~b.ones) if op.name == "arith.andi" else (~b.zeros, ~a.ones)
        if not kept & spoilt & full(a.width):
            return x
    return None


def _extension(op: Operation, facts: Facts, emitter: Emitter) -> _Simpler | None:
    """A round trip that loses nothing, or a sign extension of what is never negative."""
    (narrow,), to, signed = op.operands, width(result(op)), op.name == "arith.extsi"
    cut = made_by(narrow, "arith.trunci")
    if cut is not None and width(cut.operands[0]) == to:
        whole = facts.of(cut.operands[0])
        if (whole.signed_width if signed else whole.unsigned_width) <= width(narrow):
            return _Simpler(cut.operands[0], (cut.operands[0],))
    if signed and made_by(narrow, "arith.extui") is None and facts.of(narrow).most == facts.of(narrow).high:
        return _Simpler(emitter.cast(arith.ExtUIOp, narrow, to), (narrow,))
    return None
