"""What to fork on: the undecided atoms of a control value; and which conditions are worth knowing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lift.unroll import terms
from lift.unroll.limits import MAX_CONDITION, MAX_ROUNDS
from lift.unroll.terms import Term


def is_plain(condition: Term) -> bool:
    """Is it small enough to be asked about again and again, and free of unknown values?"""
    for number, term in enumerate(terms.walk(condition)):
        if number > MAX_CONDITION or (term.op == "sym" and str(term.attr).startswith(("stale:", "unused:", "undefined"))):
            return False
    return True


def choice(value: Term) -> Term | None:
    """The first undecided predicate of a control value; None for constants and for data (symbols, sums, slices)."""
    if value.op == "mux":
        return deciding(value.args[0])
    if value.width == 1 and value.op in ("and", "or", "not", "eq", "ult", "ule", "slt", "sle", "redor", "xor"):
        return deciding(value)
    return None


def undecided(value: Term, facts: Mapping[Term, Term], first: Callable[[Term], Term | None]) -> Term | None:
    """The `first` predicate of a value that the facts do not decide.  What they decide may turn out to be about another one that they decide."""
    for _ in range(MAX_ROUNDS):
        predicate = None if value.is_const else first(value)
        if predicate is None or predicate not in facts:
            return predicate
        value = terms.substitute(value, dict(facts))
    return None


def deciding(predicate: Term) -> Term:
    """An atom of a Boolean combination, so that facts stay atomic."""
    while predicate.op in ("and", "or", "not", "xor") and predicate.width == 1:
        predicate = predicate.args[0]
    return choice(predicate) or predicate if predicate.op == "mux" else predicate
