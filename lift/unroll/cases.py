"""Case analyses over a bank number that are one load."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.memory import note_moved
from lift.unroll.terms import Term


def simplify_cases(term: Term) -> Term:
    """A case analysis over every value of a narrow selector, each arm a load at {that value, same low part}, is one load at {selector, low part}."""
    condition = term.args[0] if term.op == "mux" else term
    if condition.op == "eq" and condition.args[1].is_const:
        selector = condition.args[0]
    elif term.op == "mux" and condition.width == 1 and condition.op in ("extract", "sym"):
        selector = condition
    else:
        return term
    if selector.width > 4 or term.args[1].op != "load":
        return term
    arms = [_arm(term, selector, number) for number in range(1 << selector.width)]
    first = arms[0]
    if any(a.op != "load" or a.attr != first.attr or a.args[0].width != first.args[0].width for a in arms):
        return term
    low_bits = first.args[0].width - selector.width
    if low_bits < 0:
        return term
    lows = {terms.extract(a.args[0], 0, low_bits) for a in arms}
    highs = [terms.extract(a.args[0], low_bits, selector.width) for a in arms]
    whole = terms.concat(selector, next(iter(lows))) if low_bits else selector
    fits = all(h is terms.const(n, selector.width) or a.args[0] is whole for n, (h, a) in enumerate(zip(highs, arms, strict=True)))
    if len(lows) != 1 or not fits:
        return term
    word = terms.load(str(first.attr), first.width, whole)
    note_moved(dict.fromkeys(arms, word))
    return word


def _arm(term: Term, selector: Term, number: int) -> Term:
    """The branch that multiplexers on `selector` take when it equals `number`."""
    while term.op == "mux":
        condition = term.args[0]
        if condition is selector and selector.width == 1:
            term = term.args[1] if number else term.args[2]
        elif condition.op == "eq" and condition.args[0] is selector and condition.args[1].is_const:
            term = term.args[1] if condition.args[1].attr == number else term.args[2]
        else:
            break
    return term
