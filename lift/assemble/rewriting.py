"""Substitution and lowering for terms with the operators of this package (`dot`, `reduce`, `clamp`, `lane`)."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.terms import Term

SPECIAL = frozenset({"dot", "reduce", "clamp", "lane"})


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The operator of `term` on other arguments, simplified."""
    if args == term.args:
        return term
    if term.op == "clamp" and args[0].is_const:
        return terms.const(clamped(term, int(args[0].attr or 0)), term.width)
    if term.op == "lane" and args[1].is_const:
        return terms.extract(args[0], int(args[1].attr or 0) * term.width, term.width)
    return terms.make(term.op, term.width, args, term.attr) if term.op in SPECIAL else terms.rebuild(term, args)


def substitute(root: Term, values: dict[Term, Term], done: dict[Term, Term] | None = None) -> Term:
    """`root` with terms replaced; `done` may be shared between calls with equal `values`."""
    return terms.substitute(root, values, done, rebuild)


def clamp_bounds(term: Term) -> tuple[int, int, bool]:
    """(low, high, signed) of a clamp."""
    low, high, is_signed = str(term.attr).split(":")
    return int(low), int(high), is_signed == "1"


def reduction(term: Term) -> tuple[str, str]:
    """(kind, name of the index) of a reduction."""
    kind, _, name = str(term.attr).partition(":")
    return kind, name


def neutral_of(kind: str, width: int) -> int:
    """The value that a reduction starts from when it starts from nothing."""
    return {"max": 1 << (width - 1), "min": (1 << (width - 1)) - 1, "umin": (1 << width) - 1}.get(kind, 0)


def clamped(term: Term, x: int) -> int:
    low, high, is_signed = clamp_bounds(term)
    value = terms.signed(x, term.args[0].width) if is_signed else x
    return min(max(value, low), high) & ((1 << term.width) - 1)


def plain(root: Term, done: dict[Term, Term] | None = None) -> Term:
    """`root` in the operators of `lift.unroll.terms` alone; a dot product or reduction becomes a free symbol."""
    done = {} if done is None else done
    for term in terms.walk_until(root, done):
        args = tuple(done[a] for a in term.args)
        match term.op:
            case "clamp":
                done[term] = _plain_clamp(term, args[0])
            case "lane":
                amount = terms.apply("mul", 32, (args[1], terms.const(term.width, 32)))
                done[term] = terms.extract(terms.apply("lshr", args[0].width, (args[0], amount)), 0, term.width)
            case "dot" | "reduce":
                done[term] = terms.sym(f"{term.op}{term.serial}", term.width)
            case _:
                done[term] = terms.rebuild(term, args) if args else term
    return done[root]


def _plain_clamp(term: Term, x: Term) -> Term:
    low, high, is_signed = clamp_bounds(term)
    less = "slt" if is_signed else "ult"
    top, bottom = terms.const(high, x.width), terms.const(low, x.width)
    upper = x if high >= (1 << x.width) - 1 else terms.mux(terms.apply(less, 1, (top, x)), top, x)
    lower = upper if low <= 0 and not is_signed else terms.mux(terms.apply(less, 1, (upper, bottom)), bottom, upper)
    return terms.extract(lower, 0, term.width) if term.width < x.width else terms.apply("sext" if is_signed else "zext", term.width, (lower,))
