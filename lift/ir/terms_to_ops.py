"""One bit-vector term -> its operations, bit-level as the RTL is.

Concatenations are shifts and ors (a repeated bit a sign extension of it), part-selects shifts and truncations.  Where the RTL defines what `arith` leaves as
poison or undefined (shift amounts beyond the width, division by zero, the overflowing quotient) a select guards the operand.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import constant_value, width
from lift.unroll.terms import Term

_BINARY = {
    "add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp, "and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp,
}  # fmt: skip
_SHIFT = {"shl": arith.ShLIOp, "lshr": arith.ShRUIOp, "ashr": arith.ShRSIOp}
_DIVIDE = {"udiv": arith.DivUIOp, "urem": arith.RemUIOp, "sdiv": arith.DivSIOp, "srem": arith.RemSIOp}
_COMPARE = frozenset("eq ult ule slt sle".split())


def emit_term(term: Term, args: list[SSAValue], emitter: Emitter) -> SSAValue:
    """The value of `term` (neither constant, symbol nor load) on the values of its arguments."""
    match term.op:
        case op if op in _BINARY:
            return emitter.binary(_BINARY[op], args[0], args[1])
        case op if op in _COMPARE:
            return emitter.compare(op, args[0], args[1])
        case op if op in _SHIFT:
            return _shift(op, args[0], args[1], emitter)
        case op if op in _DIVIDE:
            return _divide(op, args[0], args[1], emitter)
        case "not":
            return emitter.binary(arith.XOrIOp, args[0], emitter.constant(-1, term.width))
        case "neg":
            return emitter.binary(arith.SubiOp, emitter.constant(0, term.width), args[0])
        case "mux":
            return emitter.select(args[0], args[1], args[2])
        case "extract":
            return emitter.part(args[0], int(term.attr or 0), term.width)
        case "zext":
            return args[0] if width(args[0]) == term.width else emitter.cast(arith.ExtUIOp, args[0], term.width)
        case "sext":
            return args[0] if width(args[0]) == term.width else emitter.cast(arith.ExtSIOp, args[0], term.width)
        case "concat":
            return _concat(term.width, args, emitter)
        case "redor":
            return emitter.compare("ne", args[0], emitter.constant(0, width(args[0])))
        case "redand":
            return emitter.compare("eq", args[0], emitter.constant(-1, width(args[0])))
        case "redxor":
            return _parity(args[0], emitter)
    raise AssertionError(f"no operation for {term.op}")


def _concat(bits: int, parts: list[SSAValue], emitter: Emitter) -> SSAValue:
    """Low part first: extui, shli by its position, ori.  A run of one bit repeated is one part, the bit sign-extended."""
    result, position = None, 0
    for part in _runs(list(reversed(parts)), emitter):
        placed = emitter.resize(part, bits)
        if position:
            placed = emitter.binary(arith.ShLIOp, placed, emitter.constant(position, bits))
        result = placed if result is None else emitter.binary(arith.OrIOp, result, placed)
        position += width(part)
    assert result is not None and position == bits
    return result


def _runs(parts: list[SSAValue], emitter: Emitter) -> Iterator[SSAValue]:
    for part, run in groupby(parts, key=lambda v: v):
        count = len(list(run))
        if count > 1 and width(part) == 1:
            yield emitter.cast(arith.ExtSIOp, part, count)
        else:
            yield from [part] * count


def _shift(op: str, value: SSAValue, amount: SSAValue, emitter: Emitter) -> SSAValue:
    """The amount may have any width and any value."""
    bits, kind = width(value), _SHIFT[op]
    known = constant_value(amount)
    if known is not None:
        return _shift_by_constant(op, value, known, emitter)
    fits = (1 << width(amount)) <= bits
    inside = None if fits else emitter.compare("ult", amount, emitter.constant(bits, width(amount)))
    amount = emitter.resize(amount, bits)
    if inside is None:
        return emitter.binary(kind, value, amount)
    if op == "ashr":
        return emitter.binary(kind, value, emitter.select(inside, amount, emitter.constant(bits - 1, bits)))
    amount = emitter.select(inside, amount, emitter.constant(0, bits))
    return emitter.select(inside, emitter.binary(kind, value, amount), emitter.constant(0, bits))


def _shift_by_constant(op: str, value: SSAValue, amount: int, emitter: Emitter) -> SSAValue:
    bits = width(value)
    if amount >= bits and op != "ashr":
        return emitter.constant(0, bits)
    return emitter.binary(_SHIFT[op], value, emitter.constant(min(amount, bits - 1), bits))


def _divide(op: str, a: SSAValue, b: SSAValue, emitter: Emitter) -> SSAValue:
    """Division by zero as SMT-LIB has it; the divisor handed to `arith` is never zero, nor -1 where that overflows."""
    bits, one, zero = width(a), emitter.constant(1, width(a)), emitter.constant(0, width(a))
    by_zero = emitter.compare("eq", b, zero)
    by_minus_one = emitter.compare("eq", b, emitter.constant(-1, bits)) if op[0] == "s" else None
    special = by_zero if by_minus_one is None else emitter.binary(arith.OrIOp, by_zero, by_minus_one)
    result = emitter.binary(_DIVIDE[op], a, emitter.select(special, one, b))
    if by_minus_one is not None:
        result = emitter.select(by_minus_one, emitter.binary(arith.SubiOp, zero, a) if op == "sdiv" else zero, result)
    if op in ("urem", "srem"):
        return emitter.select(by_zero, a, result)
    undefined = emitter.constant(-1, bits)
    if op == "sdiv":
        undefined = emitter.select(emitter.compare("slt", a, zero), one, undefined)
    return emitter.select(by_zero, undefined, result)


def _parity(a: SSAValue, emitter: Emitter) -> SSAValue:
    """Xor of all bits, by halves."""
    distance = 1
    while distance < width(a):
        distance *= 2
    bits, value = distance, emitter.resize(a, distance)
    while distance > 1:
        distance //= 2
        value = emitter.binary(arith.XOrIOp, value, emitter.binary(arith.ShRUIOp, value, emitter.constant(distance, bits)))
    return emitter.resize(value, 1)
