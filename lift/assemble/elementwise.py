"""Multiplexers, comparisons and bitwise operators on data -> HLO, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from act.taidl import Binary, Expr, Int
from lift.assemble.errors import NoTemplate
from lift.assemble.integers import Reading, has_storage, to_expr
from lift.assemble.tensors import Extents, Tensor
from lift.unroll import terms
from lift.unroll.terms import Term

if TYPE_CHECKING:
    from lift.assemble.values import Body

BITWISE = {"and": "and", "or": "or", "xor": "xor"}
SHIFTS = {"shl": "shift-left", "lshr": "shift-right-logical", "ashr": "shift-right-arithmetic"}
_COMPARISONS = {"eq": ("EQ", "u"), "slt": ("LT", "s"), "sle": ("LE", "s"), "ult": ("LT", "u"), "ule": ("LE", "u")}


def extreme(term: Term) -> tuple[str, str, Term, Term] | None:
    """(maximum or minimum, signedness, a, b), if a multiplexer chooses the greater or lesser of its two arms."""
    if term.op != "mux" or term.args[0].op not in ("slt", "sle", "ult", "ule"):
        return None
    condition, x, y = term.args
    kind = "s" if condition.op in ("slt", "sle") else "u"
    left, right = (_narrow(a, kind, x.width) for a in condition.args)
    if (left, right) == (x, y):
        return "minimum", kind, x, y
    return ("maximum", kind, x, y) if (left, right) == (y, x) else None


def _narrow(term: Term, kind: str, width: int) -> Term:
    """What is compared, without extensions that keep the order."""
    extension = "sext" if kind == "s" else "zext"
    while term.width > width and term.op == extension:
        term = term.args[0]
    return term


def rendered(body: Body, term: Term, want: Extents) -> Tensor | None:
    """`term` as an elementwise operation, None if it is none."""
    if (found := extreme(term)) is not None:
        name, kind, a, b = found
        return _binary(body, name, (a, b), f"{kind}{term.width}", want)
    if term.op == "mux":
        return _select(body, term, want)
    if term.op in BITWISE or term.op in SHIFTS:
        return _binary(body, BITWISE.get(term.op) or SHIFTS[term.op], term.args, f"{'u' if term.op == 'lshr' else 's'}{term.width}", want)
    if term.op == "extract":
        whole, low = _as(body, term.args[0], f"u{term.args[0].width}", want), body.lines.scalar(int(term.attr or 0), f"u{term.args[0].width}")
        a, b = aligned(body, [whole, low], want)
        return body.lines.convert(body.lines.like(a, a.dtype, f"shift-right-logical({a.name}, {b.name})"), f"u{term.width}")
    if term.op == "not":
        inside = _as(body, term.args[0], f"s{term.width}", want)
        return body.lines.like(inside, inside.dtype, f"not({inside.name})")
    return None


def scalar(body: Body, term: Term) -> Tensor | None:
    """A number that the command or a register says, the same for every element; None if `term` is a constant, or depends on data or an index."""
    if term.is_const or has_storage(term, body.operands.storage):
        return None
    try:
        expr = _number(body, term)
    except NoTemplate:
        if term.op in ("sym", "load"):
            raise
        return None  # perhaps its parts are such numbers
    return body.lines.emit(f"s{term.width}", (), (), f"constant(`{body.lines.text(expr)}`)")


def _number(body: Body, term: Term) -> Expr:
    """The value of `term` as a signed number."""
    if term.op == "sext":
        return _number(body, term.args[0])
    value, half = to_expr(Reading().exact(term), body.operands.leaves.expr), Int(1 << (term.width - 1))
    if term.op == "zext":
        return value
    return Binary("-", Binary("%", Binary("+", value, half), Int(1 << term.width)), half)


def _as(body: Body, term: Term, dtype: str, want: Extents) -> Tensor:
    """The value of `term` in `dtype`, whose width it has."""
    return body.lines.convert(body.lines.number(body.render(term, want), term.width, dtype[0]), dtype)


def _binary(body: Body, name: str, args: tuple[Term, ...], dtype: str, want: Extents) -> Tensor:
    parts = [_as(body, a, dtype, want) for a in args]
    a, b = aligned(body, parts, want)
    return body.lines.emit(dtype, a.axes, a.extents, f"{name}({a.name}, {b.name})")


def aligned(body: Body, parts: list[Tensor], want: Extents) -> list[Tensor]:
    """The tensors over all axes that one of them has."""
    axes = tuple(x for x in body.axes(want) if any(x in p.axes for p in parts))
    return [body.lines.broadcast(p, axes, want) for p in parts]


def _select(body: Body, term: Term, want: Extents) -> Tensor:
    condition, x, y = term.args
    dtype = f"s{term.width}"
    parts = [_predicate(body, condition, want), _as(body, x, dtype, want), _as(body, y, dtype, want)]
    chosen, a, b = aligned(body, parts, want)
    return body.lines.emit(dtype, a.axes, a.extents, f"select({chosen.name}, {a.name}, {b.name})")


def _predicate(body: Body, condition: Term, want: Extents) -> Tensor:
    """A condition on data as truth values."""
    if condition.op in _COMPARISONS and condition.args[0].width > 1:
        direction, kind = _COMPARISONS[condition.op]
        width = condition.args[0].width
        a, b = aligned(body, [_as(body, each, f"{kind}{width}", want) for each in condition.args], want)
        return body.lines.emit("pred", a.axes, a.extents, f"compare({a.name}, {b.name}), direction={direction}")
    if condition.op in ("and", "or", "not") and condition.width == 1:
        parts = aligned(body, [_predicate(body, a, want) for a in condition.args], want)
        return body.lines.emit("pred", parts[0].axes, parts[0].extents, f"{condition.op}({', '.join(p.name for p in parts)})")
    if condition.op == "extract":
        value = condition.args[0]
        mask = terms.make("and", value.width, (value, terms.const(1 << int(condition.attr or 0), value.width)))
        return _predicate(body, terms.negate(terms.make("eq", 1, (mask, terms.const(0, value.width)))), want)
    raise NoTemplate(f"no tensor operation for the condition {condition.op} on data", condition)
