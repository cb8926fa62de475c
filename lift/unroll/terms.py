"""Hash-consed bit-vector terms: the values of symbolic execution.

A term is built by the constructor functions below, which fold constants and the few identities that keep control concrete; equal terms
are one object, so `is` compares them.  Operators are those of `lift.netlist.model` with two leaves of their own: `sym` (a free symbol, attr is
its name) and `load` (attr is the memory's name, one argument, the address: the word before the instruction).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from itertools import count

COMMUTATIVE = frozenset("add mul and or xor eq".split())


class Term:
    """One value of `width` bits; `attr` is the constant, the symbol's or memory's name, or the low bit of an extract."""

    __slots__ = ("op", "width", "args", "attr", "serial")

    def __init__(self, op: str, width: int, args: tuple[Term, ...], attr: int | str | None, serial: int) -> None:
        self.op, self.width, self.args, self.attr, self.serial = op, width, args, attr, serial

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
    _table.update({(t.op, t.width, t.attr): t for t in (TRUE, FALSE)})


def size() -> int:
    """Number of distinct terms in the table."""
    return len(_table)


def make(op: str, width: int, args: tuple[Term, ...] = (), attr: int | str | None = None) -> Term:
    """The unique term of this shape, without simplification."""
    key = (op, width, attr, *[a.serial for a in args])
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


def fold(op: str, width: int, values: tuple[int, ...], widths: tuple[int, ...], attr: int | None = None) -> int:
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


_memo: dict[tuple[object, ...], Term] = {}


def apply(op: str, width: int, args: tuple[Term, ...], attr: int | None = None) -> Term:
    """The simplified term for `op` of `args`; memoised, as the rules cost more than the table."""
    key = (op, width, attr, *[a.serial for a in args])
    found = _memo.get(key)
    if found is None:
        found = _memo[key] = _apply(op, width, args, attr)
    return found


def _apply(op: str, width: int, args: tuple[Term, ...], attr: int | None) -> Term:
    if all(a.op == "const" for a in args):
        return const(fold(op, width, tuple(a.attr for a in args), tuple(a.width for a in args), attr), width)  # type: ignore[arg-type]
    rule = _RULES.get(op)
    simpler = rule(width, args, attr) if rule else None
    return make(op, width, args, attr) if simpler is None else simpler


def _commuted(args: tuple[Term, ...]) -> tuple[Term, Term]:
    """Constant last."""
    a, b = args
    return (b, a) if a.is_const else (a, b)


def _add(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = _commuted(args)
    if b.is_const:
        if b.attr == 0:
            return a
        if a.op == "add" and a.args[1].is_const:
            return apply("add", width, (a.args[0], const(a.args[1].attr + b.attr, width)))  # type: ignore[operator]
    return make("add", width, (a, b))


def _sub(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = args
    if a is b:
        return const(0, width)
    if b.is_const:
        return apply("add", width, (a, const(-b.attr, width)))  # type: ignore[operator]
    return None


def _mul(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = _commuted(args)
    if b.is_const and b.attr in (0, 1):
        return b if b.attr == 0 else a
    return make("mul", width, (a, b))


def _and(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = _commuted(args)
    if a is b:
        return a
    if b.is_const and b.attr == 0:
        return b
    if b.is_const and b.attr == (1 << width) - 1:
        return a
    if width == 1 and (negate(a) is b):
        return FALSE
    return make("and", width, (a, b))


def _or(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = _commuted(args)
    if a is b:
        return a
    if b.is_const and b.attr == 0:
        return a
    if b.is_const and b.attr == (1 << width) - 1:
        return b
    if width == 1 and (negate(a) is b):
        return TRUE
    return make("or", width, (a, b))


def _xor(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = _commuted(args)
    if a is b:
        return const(0, width)
    if b.is_const and b.attr == 0:
        return a
    if width == 1 and b.is_const:
        return negate(a)
    return make("xor", width, (a, b))


def _not(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    (a,) = args
    return a.args[0] if a.op == "not" else None


def _eq(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = _commuted(args)
    if a is b:
        return TRUE
    if b.is_const:
        if a.width == 1:
            return a if b.attr else negate(a)
        if a.op == "zext":
            inner = a.args[0]
            if b.attr >> inner.width:  # type: ignore[operator]
                return FALSE
            return apply("eq", 1, (inner, const(b.attr, inner.width)))  # type: ignore[arg-type]
        if a.op == "mux" and (a.args[1].is_const or a.args[2].is_const):
            return mux(a.args[0], apply("eq", 1, (a.args[1], b)), apply("eq", 1, (a.args[2], b)))
        if a.op == "add" and a.args[1].is_const:
            return apply("eq", 1, (a.args[0], const(b.attr - a.args[1].attr, a.width)))  # type: ignore[operator]
    return make("eq", 1, (a, b))


def _ult(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = args
    if a is b or (b.is_const and b.attr == 0):
        return FALSE
    return None


def _le_same(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    return TRUE if args[0] is args[1] else None


def _slt(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    return FALSE if args[0] is args[1] else None


def _mux(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    condition, then, other = args
    if condition.is_const:
        return then if condition.attr else other
    if then is other:
        return then
    if condition.op == "not":
        return mux(condition.args[0], other, then)
    if width == 1:
        if then.is_const and other.is_const:
            return condition if then.attr else negate(condition)
        if then.is_const:
            return apply("or", 1, (condition, other)) if then.attr else apply("and", 1, (negate(condition), other))
        if other.is_const:
            return apply("or", 1, (negate(condition), then)) if other.attr else apply("and", 1, (condition, then))
    if then.op == "mux" and then.args[0] is condition:
        return mux(condition, then.args[1], other)
    if other.op == "mux" and other.args[0] is condition:
        return mux(condition, then, other.args[2])
    return None


def _extract(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    (a,), low = args, int(attr or 0)
    if width == a.width:
        return a
    match a.op:
        case "extract":
            return apply("extract", width, a.args, low + int(a.attr or 0))  # type: ignore[arg-type]
        case "concat":
            return _extract_concat(width, a, low)
        case "zext" | "sext" if low + width <= a.args[0].width:
            return apply("extract", width, a.args, low)
        case "zext" if low >= a.args[0].width:
            return const(0, width)
        case "add" | "mul" if low == 0 and a.args[1].is_const:
            return apply(a.op, width, (apply("extract", width, (a.args[0],), 0), apply("extract", width, (a.args[1],), 0)))
        case "mux" if a.args[1].is_const or a.args[2].is_const:
            return mux(a.args[0], apply("extract", width, (a.args[1],), low), apply("extract", width, (a.args[2],), low))
    return None


def _extract_concat(width: int, a: Term, low: int) -> Term | None:
    """The parts of a concatenation that a part-select covers."""
    position, covered = a.width, []
    for part in a.args:
        position -= part.width
        lo, hi = max(low, position), min(low + width, position + part.width)
        if lo < hi:
            covered.append(apply("extract", hi - lo, (part,), lo - position))
    return concat(*covered)


def _concat(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    if len(args) == 1:
        return args[0]
    parts: list[Term] = []
    for part in args:
        for piece in part.args if part.op == "concat" else (part,):
            joined = _join(parts[-1], piece) if parts else None
            if joined is None:
                parts.append(piece)
            else:
                parts[-1] = joined
    if len(parts) == 1:
        return parts[0]
    if parts[0].is_const and parts[0].attr == 0:
        return apply("zext", width, (concat(*parts[1:]),))
    return make("concat", width, tuple(parts))


def _join(high: Term, low: Term) -> Term | None:
    """Neighbours that are one value: constants, and adjacent part-selects of one term."""
    if high.is_const and low.is_const:
        return const(high.attr << low.width | low.attr, high.width + low.width)  # type: ignore[operator]
    if high.op == "extract" == low.op and high.args[0] is low.args[0] and high.attr == low.attr + low.width:  # type: ignore[operator]
        return apply("extract", high.width + low.width, low.args, low.attr)  # type: ignore[arg-type]
    return None


def _extend(op: str) -> Callable[[int, tuple[Term, ...], int | None], Term | None]:
    def rule(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
        (a,) = args
        if width == a.width:
            return a
        return apply(op, width, a.args) if a.op == op else (apply("zext", width, a.args) if a.op == "zext" else None)

    return rule


def _shift(op: str) -> Callable[[int, tuple[Term, ...], int | None], Term | None]:
    def rule(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
        a, amount = args
        if amount.is_const and amount.attr == 0:
            return a
        return a if a.is_const and a.attr == 0 else None

    return rule


def _reduce(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    return args[0] if args[0].width == 1 else None


_RULES: dict[str, Callable[[int, tuple[Term, ...], int | None], Term | None]] = {
    "add": _add, "sub": _sub, "mul": _mul, "and": _and, "or": _or, "xor": _xor, "not": _not, "eq": _eq, "ult": _ult, "slt": _slt,
    "ule": _le_same, "sle": _le_same, "mux": _mux, "extract": _extract, "concat": _concat, "zext": _extend("zext"), "sext": _extend("sext"),
    "shl": _shift("shl"), "lshr": _shift("lshr"), "ashr": _shift("ashr"), "redor": _reduce, "redand": _reduce, "redxor": _reduce,
}  # fmt: skip


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


def walk(*roots: Term) -> Iterator[Term]:
    """Every term below `roots` once, arguments first."""
    seen: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        term, ready = stack.pop()
        if ready:
            yield term
        elif term.serial not in seen:
            seen.add(term.serial)
            stack.append((term, True))
            stack.extend((a, False) for a in term.args)


def substitute(root: Term, values: dict[Term, Term], done: dict[Term, Term] | None = None) -> Term:
    """`root` with terms replaced and everything above them simplified again; `done` may be shared between calls with equal `values`."""
    done = {} if done is None else done
    done.update(values)
    for term in walk_until(root, done):
        done[term] = rebuild(term, tuple(done[a] for a in term.args)) if term.args else term
    return done[root]


def walk_until(root: Term, known: Container[Term]) -> Iterator[Term]:
    """Terms below `root` that are not in `known`, arguments first; `known` may grow meanwhile."""
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if term in known:
            continue
        if ready:
            yield term
        else:
            stack.append((term, True))
            stack.extend((a, False) for a in term.args if a not in known)


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The operator of `term` on other arguments."""
    if args == term.args:
        return term
    return load(str(term.attr), term.width, args[0]) if term.op == "load" else apply(term.op, term.width, args, term.attr)  # type: ignore[arg-type]


def evaluate(root: Term, symbols: Callable[[Term], int], memory: Callable[[str, int], int]) -> int:
    """The value of `root` when symbols and memory words have the given values."""
    values: dict[Term, int] = {}
    for term in walk(root):
        match term.op:
            case "const": values[term] = term.attr  # type: ignore[assignment]
            case "sym": values[term] = symbols(term)
            case "load": values[term] = memory(str(term.attr), values[term.args[0]])
            case _: values[term] = fold(term.op, term.width, tuple(values[a] for a in term.args), tuple(a.width for a in term.args), term.attr)  # type: ignore[arg-type]
    return values[root]
