"""Trip counts: from the condition under which a loop ends, after its k-th iteration, to the number of iterations, with a proof.

The count is guessed from linear arithmetic over the integers (extensions and part-selects of the index taken to be exact) and then proved on
bit-vectors: under the domain condition the exit condition holds at the last iteration and at none before.
"""

from __future__ import annotations

from dataclasses import dataclass

from lift.unroll import terms
from lift.unroll.solver import Verdict, implied, satisfiable
from lift.unroll.terms import Term

INDEX_WIDTH = 32
Linear = dict[Term | None, int]  # atom -> coefficient; None is the constant


@dataclass(frozen=True, slots=True)
class TripCount:
    """`count` iterations (INDEX_WIDTH bits), valid where `domain` holds."""

    count: Term
    domain: Term


def linear(term: Term, index: Term) -> Linear:
    """`term` read as an integer expression without wrap-around."""
    match term.op:
        case "const":
            return {None: int(term.attr)}  # type: ignore[arg-type]
        case "zext":
            return linear(term.args[0], index)
        case "extract" if term.args[0] is index and term.attr == 0:
            return {index: 1}
        case "add" if term.args[1].is_const:
            return _plus(linear(term.args[0], index), {None: _signed_offset(int(term.args[1].attr), term.width)}, 1)  # type: ignore[arg-type]
        case "add":
            return _plus(linear(term.args[0], index), linear(term.args[1], index), 1)
        case "sub":
            return _plus(linear(term.args[0], index), linear(term.args[1], index), -1)
        case "mul" if term.args[1].is_const:
            return _times(linear(term.args[0], index), _signed_offset(int(term.args[1].attr), term.width))  # type: ignore[arg-type]
        case "shl" if term.args[1].is_const:
            return _times(linear(term.args[0], index), 1 << int(term.args[1].attr))  # type: ignore[operator]
        case "concat" if term.args[-1].is_const and len(term.args) == 2:
            low = term.args[-1]
            return _plus(_times(linear(term.args[0], index), 1 << low.width), {None: int(low.attr)}, 1)  # type: ignore[arg-type]
        case "concat":
            return _concat_linear(term, index)
    return {term: 1}


def _concat_linear(term: Term, index: Term) -> Linear:
    result: Linear = {}
    shift = 0
    for part in reversed(term.args):
        result = _plus(result, _times(linear(part, index), 1 << shift), 1)
        shift += part.width
    return result


def _plus(a: Linear, b: Linear, sign: int) -> Linear:
    result = dict(a)
    for atom, factor in b.items():
        result[atom] = result.get(atom, 0) + sign * factor
    return {atom: factor for atom, factor in result.items() if factor or atom is None}


def _times(a: Linear, factor: int) -> Linear:
    return {atom: value * factor for atom, value in a.items()}


def _signed_offset(constant: int, width: int) -> int:
    """A large constant of an addition is a subtraction."""
    return constant - (1 << width) if constant > 0 and constant >> (width - 1) else constant


def _as_integers(term: Term, index: Term) -> Linear:
    form = linear(term, index)
    return {**form, None: _signed_offset(form[None], term.width)} if None in form and len(form) > 1 else form


def _to_term(form: Linear) -> Term:
    total = terms.const(form.get(None, 0), INDEX_WIDTH)
    for atom, factor in sorted(((a, f) for a, f in form.items() if a is not None), key=lambda item: item[0].serial):
        wide = terms.extract(atom, 0, INDEX_WIDTH) if atom.width > INDEX_WIDTH else terms.apply("zext", INDEX_WIDTH, (atom,))
        total = terms.apply("add", INDEX_WIDTH, (terms.apply("mul", INDEX_WIDTH, (wide, terms.const(factor, INDEX_WIDTH))), total))
    return total


def _last_index(exit_condition: Term, index: Term) -> Term | None:
    """The first index at which `exit_condition` holds, for the forms index-expression = bound and index-expression >= bound."""
    negated = exit_condition.op == "not"
    core = exit_condition.args[0] if negated else exit_condition
    relation = {"slt": "ult", "sle": "ule"}.get(core.op, core.op)  # what is guessed for numbers with a sign is proved for them
    if relation not in ("eq", "ult", "ule") or (relation == "eq" and negated):
        return None
    difference = _plus(_as_integers(core.args[1], index), _as_integers(core.args[0], index), -1)  # right - left
    slope = -difference.pop(index, 0)
    if relation == "eq":
        return _to_term(difference if slope == 1 else _times(difference, -1)) if abs(slope) == 1 else None
    # ends when left >= right (not ult), left > right (not ule), left < right (ult), left <= right (ule)
    sign = 1 if negated else -1
    slope *= sign
    bound = _times(difference, sign)
    strict = (relation == "ule") == negated
    if slope <= 0:
        return None
    bound = _plus(bound, {None: slope if strict else slope - 1}, 1)
    if slope & (slope - 1):
        return None
    return terms.apply("ashr", INDEX_WIDTH, (_to_term(bound), terms.const(slope.bit_length() - 1, INDEX_WIDTH)))


def _exactness(condition: Term, index: Term, last: Term) -> list[Term]:
    """That sums with the index fit in their width at the last iteration, where they are extended."""
    found = []
    for term in terms.walk(condition):
        inner = term.args[0] if term.op == "zext" else None
        if inner is not None and inner.op in ("add", "sub") and inner.width < INDEX_WIDTH and any(t is index for t in terms.walk(inner)):
            value = terms.substitute(_to_term(_as_integers(inner, index)), {index: last})
            found.append(terms.apply("ult", 1, (value, terms.const(1 << inner.width, INDEX_WIDTH))))
    return found


def trip_count(exit_condition: Term, index: Term, limit: int, conditions: list[Term]) -> TripCount | None:
    """How often the body runs when the loop ends after the first iteration in which `exit_condition` holds.

    `limit` is the number of values that the narrowest counter can take; `conditions` hold throughout.  None when no count is found or Z3
    does not prove it.
    """
    last = _last_index(exit_condition, index)
    if last is None:
        return None
    whole = _with_whole_sums(exit_condition, index)
    always = None if whole is None else _proved(exit_condition, index, whole, limit, conditions)
    if always is not None and implied(conditions, always.domain) is Verdict.PROVED:
        return always
    wraps = _modulo(last, limit)  # a bound of 0 - 1 is the greatest value of the counter
    return next((t for way in dict.fromkeys((last, wraps)) if (t := _proved(exit_condition, index, way, limit, conditions))), always)


def _with_whole_sums(exit_condition: Term, index: Term) -> Term | None:
    """The last iteration where sums in the bound that are extended may wrap around, so that they are not read as integers; None without any."""
    extended = (t.args[0] for t in terms.walk(exit_condition) if t.op == "zext" and t.args[0].op in ("add", "sub"))
    sums = {s: terms.sym(f"sum#{s.serial}", s.width) for s in extended if not terms.mentions(s, index)}
    last = _last_index(terms.substitute(exit_condition, sums), index) if sums else None
    return None if last is None else terms.substitute(last, {symbol: s for s, symbol in sums.items()})


def _modulo(last: Term, limit: int) -> Term:
    width = limit.bit_length() - 1
    return last if width >= INDEX_WIDTH else terms.apply("zext", INDEX_WIDTH, (terms.extract(last, 0, width),))


def _proved(exit_condition: Term, index: Term, last: Term, limit: int, conditions: list[Term]) -> TripCount | None:
    """That the loop ends with the iteration `last`, where that is possible."""
    count = terms.apply("add", INDEX_WIDTH, (last, terms.const(1, INDEX_WIDTH)))
    small = terms.apply("ule", 1, (count, terms.const(min(limit, 1 << 24), INDEX_WIDTH)))
    domain = terms.both(terms.negate(terms.equal(count, terms.const(0, INDEX_WIDTH))), small)
    for condition in _exactness(exit_condition, index, last):
        domain = terms.both(domain, condition)
    if not satisfiable([*conditions, domain]):
        return None
    ends = terms.substitute(exit_condition, {index: last})
    earlier = terms.apply("ult", 1, (index, last))
    if implied([*conditions, domain], ends) is not Verdict.PROVED:
        return None
    if implied([*conditions, domain, earlier], terms.negate(exit_condition)) is not Verdict.PROVED:
        return None
    return TripCount(count, domain)
