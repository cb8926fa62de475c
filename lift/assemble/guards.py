"""Conditions over indices -> bounds on integers: `column < c`, `4 * block + lane < cols`.

Each replacement of a comparison by one on integers is proved equal by Z3 under what is known of the indices.
"""

from __future__ import annotations

from collections.abc import Iterable

from lift.assemble.errors import NoTemplate
from lift.assemble.integers import Polynomial, Reading, candidate, is_index, plus, to_term
from lift.assemble.rewriting import clamp_bounds, plain, substitute
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import TRUE, Term


def conjuncts(guard: Term) -> list[Term]:
    if guard is TRUE:
        return []
    return [c for a in guard.args for c in conjuncts(a)] if guard.op == "and" else [guard]


def has_index(condition: Term) -> bool:
    return any(is_index(t) for t in terms.walk(condition))


def below(sizes: Iterable[tuple[Term, int]]) -> list[Term]:
    """0 <= symbol < size, as facts for the solver."""
    return [terms.apply("ult", 1, (symbol, terms.const(size, INDEX_WIDTH))) for symbol, size in sizes]


def inequality(condition: Term, known: list[Term], reading: Reading) -> Polynomial:
    """bound - index expression, positive exactly where `condition` holds.  NoTemplate when there is none."""
    if condition.op not in ("ult", "ule"):
        raise NoTemplate(f"a guard with the operator {condition.op} over an index", condition)
    left, right = (candidate(_unclamped(a)) for a in condition.args)
    found = plus(right, left, -1)
    if condition.op == "ule":
        found = plus(found, {(): 1}, 1)
    least, most = reading.range(found)
    positive = terms.apply("slt", 1, (terms.const(0, 64), to_term(found)))
    same = terms.negate(terms.apply("xor", 1, (positive, plain(condition))))
    if not -(1 << 63) <= least <= most < 1 << 63 or implied(known, same) is not Verdict.PROVED:
        raise NoTemplate("a guard that is no linear bound on integers", condition)
    return found


def _unclamped(term: Term) -> Term:
    """Without the clamps to a block's size: they change nothing where the index is smaller than it (which is proved afterwards)."""
    values = {t: fit(t.args[0], t.width) for t in terms.walk(term) if t.op == "clamp" and clamp_bounds(t)[0] == 0 and not clamp_bounds(t)[2]}
    return substitute(term, values) if values else term


def fit(term: Term, width: int) -> Term:
    """The low bits of a term, or the term with zeros above it."""
    return term if term.width == width else terms.extract(term, 0, width) if term.width > width else terms.apply("zext", width, (term,))


def loop_limits(loops: Iterable[tuple[Term, Term]], domain: list[Term]) -> dict[Term, int]:
    """index -> greatest count of its loop, as the domain bounds it (1 <= count <= limit) or as it has bits."""
    limits = sorted({int(p.args[1].attr or 0) for c in domain for p in conjuncts(c) if p.op == "ule" and p.args[1].is_const})
    found: dict[Term, int] = {}
    for symbol, count in loops:
        for limit in limits:
            if implied(domain, terms.apply("ule", 1, (plain(count), terms.const(limit, count.width)))) is Verdict.PROVED:
                found[symbol] = limit
                break
        most = Reading().range(Reading().exact(plain(count)))[1]
        found[symbol] = min(found.get(symbol, most), most)
    return found
