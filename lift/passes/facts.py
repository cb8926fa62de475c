"""The values of a function -> what is known of them (known_bits.py), each worked out from its operands and remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from lift.ir.operations import PREDICATES, PURE, constant_value, describe, result, width
from lift.passes.known_bits import Known, exactly, full, join, known, meet, of_bits, of_range, of_signed_range, unknown

_MAX_SUPPORT = 40


class Facts:
    """`of(value)`; values made later are read when they are asked for."""

    def __init__(self) -> None:
        self.found: dict[SSAValue, Known] = {}

    def of(self, value: SSAValue) -> Known:
        found = self.found.get(value)
        if found is None:
            self._read(value)
            found = self.found[value]
        return found

    def _read(self, value: SSAValue) -> None:
        stack = [value]
        while stack:
            op = stack[-1].owner
            inside = isinstance(op, Operation) and op.name in PURE
            missing = [v for v in op._operands if v not in self.found] if inside else []  # type: ignore[union-attr]
            if missing:
                stack.extend(missing)
                continue
            current = stack.pop()
            self.found[current] = self._apply(op) if inside else _origin(current)  # type: ignore[arg-type]

    def _apply(self, op: Operation) -> Known:
        rule, bits = RULES.get(op.name), width(result(op))
        if op.name == "arith.constant":
            return exactly(describe(op)[1], bits)
        operands = [self.found[v] for v in op._operands]
        return unknown(bits) if rule is None else rule(describe(op)[1], bits, operands)

    def support(self, values: Iterable[SSAValue]) -> set[SSAValue] | None:
        """The values of which nothing is known and from which all that is known of `values` follows; None if that is far or hard to prove."""
        leaves: set[SSAValue] = set()
        seen, inside = set(values), 0
        stack = list(seen)
        while stack:
            current = stack.pop()
            op = current.owner
            if not isinstance(op, Operation) or op.name not in PURE or self.of(current).is_trivial:
                leaves.add(current)
                continue
            inside += 1
            if inside > _MAX_SUPPORT or (op.name in _HARD and not any(constant_value(v) is not None for v in op._operands)):
                return None
            fresh = [v for v in op._operands if v not in seen]
            seen.update(fresh)
            stack.extend(fresh)
        return leaves


_HARD = frozenset("arith.muli arith.divui arith.divsi arith.remui arith.remsi".split())


def _origin(value: SSAValue) -> Known:
    """An argument, a load, an index or the result of a loop: anything, as a lemma takes it."""
    return unknown(1 if isinstance(value.type, MemRefType) else width(value))


Operands = Sequence[Known]


def _trailing(k: Known) -> int:
    """How many of the low bits are known to be 0."""
    return (~k.zeros & (k.zeros + 1)).bit_length() - 1


def _low_zeros(bits: int, count: int) -> Known:
    return of_bits(bits, full(min(count, bits)), 0)


def _add(_: int, w: int, v: Operands) -> Known:
    a, b = v
    ranges = meet(of_range(w, a.low + b.low, a.high + b.high), of_signed_range(w, a.least + b.least, a.most + b.most))
    return meet(ranges, _low_zeros(w, min(_trailing(a), _trailing(b))))


def _sub(_: int, w: int, v: Operands) -> Known:
    a, b = v
    ranges = meet(of_range(w, a.low - b.high, a.high - b.low), of_signed_range(w, a.least - b.most, a.most - b.least))
    return meet(ranges, _low_zeros(w, min(_trailing(a), _trailing(b))))


def _mul(_: int, w: int, v: Operands) -> Known:
    a, b = v
    corners = [x * y for x in (a.least, a.most) for y in (b.least, b.most)]
    ranges = meet(of_range(w, a.low * b.low, a.high * b.high), of_signed_range(w, min(corners), max(corners)))
    return meet(ranges, _low_zeros(w, _trailing(a) + _trailing(b)))


def _and(_: int, w: int, v: Operands) -> Known:
    a, b = v
    return known(w, a.zeros | b.zeros, a.ones & b.ones, 0, min(a.high, b.high))


def _or(_: int, w: int, v: Operands) -> Known:
    a, b = v
    return known(w, a.zeros & b.zeros, a.ones | b.ones, max(a.low, b.low), full(w))


def _xor(_: int, w: int, v: Operands) -> Known:
    a, b = v
    return of_bits(w, (a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros))


def _shl(_: int, w: int, v: Operands) -> Known:
    a, by = v[0], v[1].exact
    if by is None:
        return _low_zeros(w, _trailing(a))
    if by >= w:
        return exactly(0, w)
    bits = of_bits(w, (a.zeros << by | full(by)) & full(w), a.ones << by & full(w))
    return meet(bits, meet(of_range(w, a.low << by, a.high << by), of_signed_range(w, a.least << by, a.most << by)))


def _shru(_: int, w: int, v: Operands) -> Known:
    a, by = v[0], v[1]
    if by.exact is None:
        return of_range(w, 0, a.high >> min(by.low, w))
    if by.exact >= w:
        return exactly(0, w)
    gone = full(w) & ~(full(w) >> by.exact)
    return known(w, a.zeros >> by.exact | gone, a.ones >> by.exact, a.low >> by.exact, a.high >> by.exact)


def _shrs(_: int, w: int, v: Operands) -> Known:
    a, low, high = v[0], min(v[1].low, w - 1), min(v[1].high, w - 1)
    corners = [x >> by for x in (a.least, a.most) for by in (low, high)]
    return of_signed_range(w, min(corners), max(corners))


def _select(_: int, w: int, v: Operands) -> Known:
    condition, then, other = v
    return join(then, other) if condition.exact is None else then if condition.exact else other


def _extui(_: int, w: int, v: Operands) -> Known:
    (a,) = v
    return known(w, a.zeros | (full(w) & ~full(a.width)), a.ones, a.low, a.high)


def _extsi(_: int, w: int, v: Operands) -> Known:
    (a,) = v
    above, sign = full(w) & ~full(a.width), 1 << (a.width - 1)
    zeros, ones = a.zeros | (above if a.zeros & sign else 0), a.ones | (above if a.ones & sign else 0)
    return known(w, zeros, ones, 0, full(w), a.least, a.most)


def _trunci(_: int, w: int, v: Operands) -> Known:
    (a,) = v
    bits = of_bits(w, a.zeros & full(w), a.ones & full(w))
    return meet(bits, meet(of_range(w, a.low, a.high), of_signed_range(w, a.least, a.most)))


def _resize(k: int, w: int, v: Operands) -> Known:
    (a,) = v
    return a if a.width == w else _extui(k, w, v) if a.width < w else _trunci(k, w, v)


def _divui(_: int, w: int, v: Operands) -> Known:
    a, b = v
    return of_range(w, a.low // b.high, a.high // b.low) if b.low else unknown(w)


def _remui(_: int, w: int, v: Operands) -> Known:
    a, b = v
    return of_range(w, 0, min(a.high, b.high - 1)) if b.low else unknown(w)


def _compare(predicate: int, w: int, v: Operands) -> Known:
    decided = compare(PREDICATES[predicate], *v)
    return unknown(1) if decided is None else exactly(int(decided), 1)


def compare(predicate: str, a: Known, b: Known) -> bool | None:
    """The comparison, if what is known decides it."""
    match predicate:
        case "eq" | "ne":
            if a.zeros & b.ones or a.ones & b.zeros or a.high < b.low or b.high < a.low or a.most < b.least or b.most < a.least:
                return predicate == "ne"
            return None if a.exact is None or a.exact != b.exact else predicate == "eq"
        case "ult" | "ule" | "slt" | "sle":
            (al, ah), (bl, bh) = ((k.low, k.high) if predicate[0] == "u" else (k.least, k.most) for k in (a, b))
            strict = predicate[2] == "t"
            return True if ah < bl or (not strict and ah == bl) else False if al > bh or (strict and al == bh) else None
        case _:
            opposite = compare({"gt": "le", "ge": "lt"}[predicate[1:]].join((predicate[0], "")), a, b)
            return None if opposite is None else not opposite


RULES: dict[str, Callable[[int, int, Operands], Known]] = {
    "arith.addi": _add, "arith.subi": _sub, "arith.muli": _mul, "arith.andi": _and, "arith.ori": _or, "arith.xori": _xor,
    "arith.shli": _shl, "arith.shrui": _shru, "arith.shrsi": _shrs, "arith.select": _select, "arith.extui": _extui, "arith.extsi": _extsi,
    "arith.trunci": _trunci, "arith.index_castui": _resize, "arith.divui": _divui, "arith.remui": _remui, "arith.cmpi": _compare,
}  # fmt: skip

