"""Ranges of names + conditions -> ranges of expressions and conditions that always hold (interval analysis over the integers)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from act.records import dataclass
from act.taidl.expr import COMPARISONS, conjuncts, substitute
from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Unary
from act.taidl.simplify import Polynomial, from_polynomial, polynomial


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from `low` to `high`, both included; None is unbounded.  `low > high` is the empty range."""

    low: int | None = None
    high: int | None = None

    @property
    def empty(self) -> bool:
        return self.low is not None and self.high is not None and self.low > self.high

    def __and__(self, other: Range) -> Range:
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Range(max(lows, default=None), min(highs, default=None))

    def __or__(self, other: Range) -> Range:
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        return Range(low, None if self.high is None or other.high is None else max(self.high, other.high))


Ranges = Mapping[str, Range]
_TRUTH = Range(0, 1)


def bounds(expr: Expr, ranges: Ranges) -> Range:
    """A range that holds every value of `expr` when each name is within its range; a name that is not in `ranges` is unbounded."""
    terms = polynomial(expr)
    found = _of_terms(terms, ranges)
    above = _above_least(terms, ranges)
    return found if above is None else found & _of_terms(*above)


def _above_least(terms: Polynomial, ranges: Ranges) -> tuple[Polynomial, Ranges] | None:
    """The polynomial over how far its names are above their least values: of `x * y - x` with 1 <= y it shows that it is not negative.  None where that
    says nothing more, because no names are multiplied."""
    names = {f.name for factors in terms if len(factors) > 1 for f in factors if isinstance(f, Name)}
    least = {n: low for n in names if (low := ranges.get(n, Range()).low)}
    if not least:
        return None
    moved = {n: Range(0, None if (high := ranges[n].high) is None else high - low) for n, low in least.items()}
    shifted = substitute(from_polynomial(terms), {n: Binary("+", Name(n), Int(low)) for n, low in least.items()})
    return polynomial(shifted), {**ranges, **moved}


def always(condition: Expr, ranges: Ranges) -> bool:
    """Whether `condition` is shown to be true for all values in `ranges`."""
    return all(_holds(part, ranges) for part in conjuncts(condition))


def never(condition: Expr, ranges: Ranges) -> bool:
    """Whether `condition` is shown to be false for all values in `ranges`."""
    narrowed = refine(ranges, [condition])
    return any(found.empty for found in narrowed.values()) or bounds(condition, ranges) == Range(0, 0)


def _holds(condition: Expr, ranges: Ranges) -> bool:
    if isinstance(condition, Binary) and condition.op in COMPARISONS:
        return _compare(condition, ranges) == Range(1, 1)
    found = bounds(condition, ranges)
    return (found.low is not None and found.low > 0) or (found.high is not None and found.high < 0)


def _of_terms(terms: Polynomial, ranges: Ranges) -> Range:
    total = Range(0, 0)
    for factors, coefficient in terms.items():
        term = Range(coefficient, coefficient)
        for factor in factors:
            term = _times(term, _of_atom(factor, ranges))
        total = _plus(total, term)
    return total


def _plus(a: Range, b: Range) -> Range:
    low = None if a.low is None or b.low is None else a.low + b.low
    return Range(low, None if a.high is None or b.high is None else a.high + b.high)


def _times(a: Range, b: Range) -> Range:
    if Range(0, 0) in (a, b):
        return Range(0, 0)
    inf = float("inf")
    ends = [(-inf if r.low is None else r.low, inf if r.high is None else r.high) for r in (a, b)]
    corners: list[float] = [0 if 0 in (x, y) else x * y for x, y in product(*ends)]
    low, high = min(corners), max(corners)
    return Range(None if low == -inf else int(low), None if high == inf else int(high))


def _of_atom(atom: Expr, ranges: Ranges) -> Range:
    match atom:
        case Name(name):
            return ranges.get(name, Range())
        case Choice(condition, then, otherwise):
            return bounds(then, refine(ranges, [condition])) | bounds(otherwise, refine(ranges, [Unary("not", condition)]))
        case Unary():
            return _TRUTH
        case Lookup():
            return Range()
        case Binary(op) if op in COMPARISONS:
            return _compare(atom, ranges)
        case Binary("and" | "or"):
            return _connective(atom, ranges)
        case Binary(op, left, right):
            return _of_operator(op, bounds(left, ranges), bounds(right, ranges))
        case _:
            return bounds(atom, ranges)


def _connective(expr: Binary, ranges: Ranges) -> Range:
    truths = [_truth(operand, ranges) for operand in (expr.left, expr.right)]
    combine = min if expr.op == "and" else max
    lows, highs = [t.low or 0 for t in truths], [1 if t.high is None else t.high for t in truths]
    return Range(combine(lows), combine(highs))


def _truth(expr: Expr, ranges: Ranges) -> Range:
    found = bounds(expr, ranges)
    if found == Range(0, 0):
        return found
    nonzero = (found.low is not None and found.low > 0) or (found.high is not None and found.high < 0)
    return Range(1, 1) if nonzero else _TRUTH


def _compare(expr: Binary, ranges: Ranges) -> Range:
    gap = bounds(Binary("-", expr.left, expr.right), ranges)
    below = gap.high is not None and gap.high < 0
    above = gap.low is not None and gap.low > 0
    at_most, at_least = gap.high is not None and gap.high <= 0, gap.low is not None and gap.low >= 0
    true, false = {
        "<": (below, at_least),
        "<=": (at_most, above),
        ">": (above, at_most),
        ">=": (at_least, below),
        "==": (gap == Range(0, 0), below or above),
        "!=": (below or above, gap == Range(0, 0)),
    }[expr.op]
    return Range(1, 1) if true else Range(0, 0) if false else _TRUTH


def _of_operator(op: str, a: Range, b: Range) -> Range:
    match op:
        case "min":
            highs = [high for high in (a.high, b.high) if high is not None]
            return Range((a | b).low, min(highs, default=None))
        case "max":
            lows = [low for low in (a.low, b.low) if low is not None]
            return Range(max(lows, default=None), (a | b).high)
        case "/" if b.low is not None and b.low == b.high and b.low > 0:
            return _monotone(a, lambda value: value // b.low)  # type: ignore[operator]
        case ">>" if b.low is not None and b.low == b.high and b.low >= 0:
            return _monotone(a, lambda value: value >> b.low)  # type: ignore[operator]
        case "%" if b.low is not None and b.low > 0:
            fits = a.low is not None and a.high is not None and a.low >= 0 and a.high < b.low
            return a if fits else Range(0, None if b.high is None else b.high - 1)
        case "&" if (a.low or -1) >= 0 or (b.low or -1) >= 0 or a.low == 0 or b.low == 0:
            highs = [r.high for r in (a, b) if r.low is not None and r.low >= 0 and r.high is not None]
            return Range(0, min(highs, default=None))
        case "|" if a.low is not None and b.low is not None and a.low >= 0 and b.low >= 0:
            high = None if a.high is None or b.high is None else (1 << max(a.high.bit_length(), b.high.bit_length())) - 1
            return Range(max(a.low, b.low), high)
        case _:
            return Range()


def _monotone(a: Range, step: Callable[[int], int]) -> Range:
    return Range(None if a.low is None else step(a.low), None if a.high is None else step(a.high))


def refine(ranges: Ranges, conditions: Iterable[Expr], rounds: int = 4) -> dict[str, Range]:
    """`ranges` narrowed to where `conditions` can hold: from `c * x + rest >= 0` follows a bound of the name `x`."""
    found = dict(ranges)
    parts = [_not_negative(part) for condition in conditions for part in conjuncts(condition)]
    for _ in range(rounds):
        before = dict(found)
        for inequalities in parts:
            for terms in inequalities:
                _narrow(terms, found)
        _drop_excluded(conditions, found)
        if found == before:
            break
    return found


def _not_negative(condition: Expr) -> list[Polynomial]:
    """Polynomials that are at least 0 where `condition` holds."""
    match condition:
        case Unary("not", inner):
            simple = polynomial(condition)
            atom = next(iter(simple), ())
            return _not_negative(atom[0]) if len(simple) == 1 and atom and atom[0] != condition and inner else []
        case Binary("==" | "<" | "<=" | ">" | ">=" as op, Binary("/", inner, Int(size)), Int(value)) if size > 0:
            least, most = polynomial(Binary("-", inner, Int(value * size))), polynomial(Binary("-", Int(value * size + size - 1), inner))
            above, below = polynomial(Binary("-", inner, Int(value * size + size))), polynomial(Binary("-", Int(value * size - 1), inner))
            return {"==": [least, most], "<": [below], "<=": [most], ">": [above], ">=": [least]}[op]
        case Binary(op, left, right) if op in COMPARISONS:
            up, down = polynomial(Binary("-", right, left)), polynomial(Binary("-", left, right))
            less = {"<": [up], "<=": [up], ">": [down], ">=": [down], "==": [up, down], "!=": []}[op]
            strict = -1 if op in ("<", ">") else 0
            return [{**terms, (): terms.get((), 0) + strict} for terms in less]
        case _:
            return []


def _narrow(terms: Polynomial, found: dict[str, Range]) -> None:
    for factors, coefficient in terms.items():
        if len(factors) != 1 or not isinstance(factors[0], Name):
            continue
        rest = _of_terms({key: value for key, value in terms.items() if key != factors}, found)
        if rest.high is None:
            continue
        name, known = factors[0].name, found.get(factors[0].name, Range())
        limit = -(rest.high // coefficient) if coefficient > 0 else rest.high // -coefficient
        found[name] = known & (Range(low=limit) if coefficient > 0 else Range(high=limit))


def _drop_excluded(conditions: Iterable[Expr], found: dict[str, Range]) -> None:
    for part in (part for condition in conditions for part in conjuncts(condition)):
        match part:
            case Binary("!=", Name(name), Int(value)) if name in found:
                known = found[name]
                low = value + 1 if known.low == value else known.low
                high = value - 1 if known.high == value else known.high
                found[name] = Range(low, high)
