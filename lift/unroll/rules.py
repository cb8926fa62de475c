"""Simplification: the identities that keep control concrete and terms small, one function an operator.

A rule gets the operands of an operator, not all of them constant, and gives an equal, simpler term, or None.  Importing this module fills
the table's RULES.
"""

from __future__ import annotations

from lift.unroll.table import FALSE, RULES, TRUE, Rule, Term, apply, concat, const, make, mux, negate, signed

MASK_PARTS = 5


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
    return (_masked(a, int(b.attr)) if b.is_const else None) or make("and", width, (a, b))  # type: ignore[arg-type]


def _masked(a: Term, mask: int) -> Term | None:
    """`a` under a mask of few runs of ones, as wiring."""
    parts: list[Term] = []
    low = 0
    while low < a.width:
        bit, high = mask >> low & 1, low + 1
        while high < a.width and mask >> high & 1 == bit:
            high += 1
        parts.append(apply("extract", high - low, (a,), low) if bit else const(0, high - low))
        low = high
    return concat(*reversed(parts)) if len(parts) <= MASK_PARTS else None


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
        if a.op == "concat" and _differs(a, int(b.attr or 0)):
            return FALSE
        if a.op == "mux" and (a.args[1].is_const or a.args[2].is_const):
            return mux(a.args[0], apply("eq", 1, (a.args[1], b)), apply("eq", 1, (a.args[2], b)))
        if a.op == "add" and a.args[1].is_const:
            return apply("eq", 1, (a.args[0], const(b.attr - a.args[1].attr, a.width)))  # type: ignore[operator]
    elif _base(a) is _base(b) or a is negate(b):
        return FALSE  # they differ by a constant, or in every bit
    return make("eq", 1, (a, b))


def _differs(term: Term, value: int) -> bool:
    """Is a constant part of a concatenation another in `value`?"""
    low = term.width
    for part in term.args:
        low -= part.width
        if part.is_const and part.attr != value >> low & (1 << part.width) - 1:
            return True
    return False


def _base(term: Term) -> Term:
    """`term` without the constant that is added to it."""
    return term.args[0] if term.op == "add" and term.args[1].is_const else term


def _ult(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = args
    if a is b or (b.is_const and b.attr == 0):
        return FALSE
    return None


def _ule(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    a, b = args
    if b.is_const and b.attr == 0:
        return apply("eq", 1, (a, b))
    return TRUE if a is b else None


def _le_same(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    return TRUE if args[0] is args[1] else None


def _slt(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    (low, _), (_, high) = _signed_range(args[0]), _signed_range(args[1])
    return FALSE if args[0] is args[1] or low >= high else None


def _signed_range(term: Term) -> tuple[int, int]:
    """The least and the greatest signed number that a constant, an extension or another term may be."""
    if term.is_const:
        return (value := signed(int(term.attr or 0), term.width), value)
    half = 1 << (term.args[0].width if term.op == "sext" else term.width) - 1
    return -half, half - 1


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
    if other.op == "zext" and condition is _top(other.args[0]) and _is_after_ones(then, other.args[0]):
        return apply("sext", width, other.args)
    return None


def _is_after_ones(term: Term, low: Term) -> bool:
    """Is it `low` with ones before it?"""
    ones = term.args[0] if term.op == "concat" else low
    return ones.is_const and ones.attr == (1 << ones.width) - 1 and concat(*term.args[1:]) is low


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
    if parts[0].width == 1 and parts[-1].width > 1 and all(p is parts[0] for p in parts[:-1]) and _top(parts[-1]) is parts[0]:
        return apply("sext", width, (parts[-1],))
    return make("concat", width, tuple(parts))


def _top(term: Term) -> Term:
    return apply("extract", 1, (term,), term.width - 1)


def _join(high: Term, low: Term) -> Term | None:
    """Neighbours that are one value: constants, and adjacent part-selects of one term."""
    if high.is_const and low.is_const:
        return const(high.attr << low.width | low.attr, high.width + low.width)  # type: ignore[operator]
    if high.op == "extract" == low.op and high.args[0] is low.args[0] and high.attr == low.attr + low.width:  # type: ignore[operator]
        return apply("extract", high.width + low.width, low.args, low.attr)  # type: ignore[arg-type]
    return None


def _extend(op: str) -> Rule:
    def rule(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
        (a,) = args
        if width == a.width:
            return a
        return apply(op, width, a.args) if a.op == op else (apply("zext", width, a.args) if a.op == "zext" else None)

    return rule


def _shift(op: str) -> Rule:
    def rule(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
        a, amount = args
        if amount.is_const and amount.attr == 0:
            return a
        if op == "lshr" and amount.is_const:
            by = int(amount.attr)  # type: ignore[arg-type]
            return const(0, width) if by >= width else apply("zext", width, (apply("extract", width - by, (a,), by),))
        return a if a.is_const and a.attr == 0 else None

    return rule


def _reduce(width: int, args: tuple[Term, ...], attr: int | None) -> Term | None:
    return args[0] if args[0].width == 1 else None


RULES.update({
    "add": _add, "sub": _sub, "mul": _mul, "and": _and, "or": _or, "xor": _xor, "not": _not, "eq": _eq, "ult": _ult, "slt": _slt,
    "ule": _ule, "sle": _le_same, "mux": _mux, "extract": _extract, "concat": _concat, "zext": _extend("zext"), "sext": _extend("sext"),
    "shl": _shift("shl"), "lshr": _shift("lshr"), "ashr": _shift("ashr"), "redor": _reduce, "redand": _reduce, "redxor": _reduce,
})  # fmt: skip
