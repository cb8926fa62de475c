"""The table of terms: every term once, the meaning of the operators on constants, and simplification by rules (`lift.unroll.rules`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from lift.unroll.marks import mark_of

COMMUTATIVE = frozenset("add mul and or xor eq".split())


class Term:
    """One value of `width` bits; `attr` is the constant, the symbol's or memory's name, or the low bit of an extract.  `marks` are
    those of the symbols in it (`lift.unroll.marks`)."""

    __slots__ = ("args", "attr", "marks", "op", "serial", "width")

    def __init__(self, op: str, width: int, args: tuple[Term, ...], attr: int | str | None, serial: int) -> None:
        self.op, self.width, self.args, self.attr, self.serial = op, width, args, attr, serial
        self.marks = mark_of(str(attr)) if op == "sym" else 0
        for arg in args:
            self.marks |= arg.marks

    def __repr__(self) -> str:
        return f"<{self.op}:{self.width} #{self.serial}{'' if self.attr is None else f' {self.attr}'}>"

    @property
    def is_const(self) -> bool:
        return self.op == "const"


_table: dict[tuple[object, ...], Term] = {}
_serials = count()


def clear() -> None:
    """Forget every term but TRUE and FALSE; terms made before must not be used with terms made after."""
    _table.clear()
    _memo.clear()
    _table.update({(t.op, t.width, t.attr, ()): t for t in (TRUE, FALSE)})


def terms_made() -> tuple[dict[Any, Any], ...]:
    """The tables of terms, for `lift.unroll.forget`."""
    return _table, _memo


def size() -> int:
    """Number of distinct terms in the table."""
    return len(_table)


def make(op: str, width: int, args: tuple[Term, ...] = (), attr: int | str | None = None) -> Term:
    """The unique term of this shape, without simplification."""
    key = (op, width, attr, args)
    found = _table.get(key)
    if found is None:
        found = _table[key] = Term(op, width, args, attr, next(_serials))
    return found


def const(value: int, width: int) -> Term:
    return make("const", width, (), value & ((1 << width) - 1))


def sym(name: str, width: int) -> Term:
    return make("sym", width, (), name)


def load(memory: str, width: int, address: Term) -> Term:
    return make("load", width, (address,), memory)


TRUE = const(1, 1)
FALSE = const(0, 1)


def signed(value: int, width: int) -> int:
    """Two's complement reading of a `width`-bit value."""
    return value - (1 << width) if value >> (width - 1) else value


def _truncating_divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def fold(op: str, width: int, values: Sequence[int], widths: tuple[int, ...], attr: int | None = None) -> int:
    """The value of operator `op` on constants; the executable definition of every operator (division by zero: all ones, as SMT-LIB has it)."""
    mask = (1 << width) - 1
    a, w = (values[0], widths[0]) if values else (0, width)
    b = values[1] if len(values) > 1 else 0
    match op:
        case "add": return (a + b) & mask
        case "sub": return (a - b) & mask
        case "mul": return (a * b) & mask
        case "and": return a & b
        case "or": return a | b
        case "xor": return a ^ b
        case "not": return ~a & mask
        case "neg": return -a & mask
        case "shl": return (a << b) & mask if b < width else 0
        case "lshr": return a >> b if b < width else 0
        case "ashr": return (signed(a, w) >> min(b, w)) & mask
        case "eq": return int(a == b)
        case "ult": return int(a < b)
        case "ule": return int(a <= b)
        case "slt": return int(signed(a, w) < signed(b, w))
        case "sle": return int(signed(a, w) <= signed(b, w))
        case "redor": return int(a != 0)
        case "redand": return int(a == (1 << w) - 1)
        case "redxor": return a.bit_count() & 1
        case "mux": return values[1] if a else values[2]
        case "extract": return (a >> int(attr or 0)) & mask
        case "zext": return a
        case "sext": return signed(a, w) & mask
        case "udiv": return a // b if b else mask
        case "urem": return a % b if b else a
        case "sdiv": return _truncating_divide(signed(a, w), signed(b, w)) & mask if b else (1 if signed(a, w) < 0 else mask)
        case "srem":
            if not b:
                return a
            x, y = signed(a, w), signed(b, w)
            return (x - y * _truncating_divide(x, y)) & mask
        case "concat":
            out = 0
            for value, part in zip(values, widths, strict=True):
                out = out << part | value
            return out
    raise AssertionError(f"no definition of operator {op}")


Rule = Callable[[int, tuple[Term, ...], int | None], Term | None]  # width, operands, attribute -> a simpler term, if there is one

RULES: dict[str, Rule] = {}
_memo: dict[tuple[object, ...], Term] = {}


def apply(op: str, width: int, args: tuple[Term, ...], attr: int | None = None) -> Term:
    """The simplified term for `op` of `args`; memoised, as the rules cost more than the table."""
    key = (op, width, attr, args)
    found = _memo.get(key)
    if found is None:
        found = _memo[key] = _apply(op, width, args, attr)
    return found


def _apply(op: str, width: int, args: tuple[Term, ...], attr: int | None) -> Term:
    if all(a.op == "const" for a in args):
        return const(fold(op, width, tuple(a.attr for a in args), tuple(a.width for a in args), attr), width)  # type: ignore[arg-type]
    rule = RULES.get(op)
    simpler = rule(width, args, attr) if rule else None
    return make(op, width, args, attr) if simpler is None else simpler


def mux(condition: Term, then: Term, other: Term) -> Term:
    return apply("mux", then.width, (condition, then, other))


def negate(a: Term) -> Term:
    return apply("not", a.width, (a,))


def both(a: Term, b: Term) -> Term:
    return apply("and", 1, (a, b))


def concat(*parts: Term) -> Term:
    return apply("concat", sum(p.width for p in parts), parts)


def extract(a: Term, low: int, width: int) -> Term:
    return apply("extract", width, (a,), low)


def equal(a: Term, b: Term) -> Term:
    return apply("eq", 1, (a, b))
