"""Loads that may meet stores of other iterations -> the condition, over fields and registers, under which none does.

for i' < i < n: target + i' != source + i   -->  target <= source or source + n <= target

A condition is guessed from where the ranges begin and end, and is what is said only if Z3 proves that no load meets a store where it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lift.assemble.errors import NoTemplate
from lift.assemble.guards import conjuncts, has_index, loop_limits
from lift.assemble.integers import Polynomial, Reading, coefficient, index, indices_of, plus, times, to_term, without
from lift.assemble.places import from_zero
from lift.unroll import terms
from lift.unroll.extract import Mode
from lift.unroll.function import Loop, Statement, stores
from lift.unroll.micro import is_index
from lift.unroll.paths import statement_terms
from lift.unroll.solver import Verdict, implied, satisfiable
from lift.unroll.terms import FALSE, Term

_EXACT = 1 << 62  # sums below it do not wrap in the width of `to_term`


def apart(condition: Term, mode: Mode) -> Term:
    """Where `condition`, over indices, holds in all iterations of `mode`.  NoTemplate when that is not known, or nowhere."""
    loops = [loop for f in mode.functions.values() for loop in _loops(f.body)]
    counts = {index(name): n for i, n in loops for name in (str(i.attr), f"{i.attr}'")}
    reading = Reading(loop_limits(counts.items(), [*mode.domain]))
    wanted, holds = _renamed(condition), [*(p if h else terms.negate(p) for p, h in mode.facts), *mode.domain]
    running = [terms.apply("ult", 1, (i, n)) for i, n in counts.items()]
    result = FALSE
    for pair in _pairs(condition, mode, counts, reading):
        known = [*holds, *running, *pair.inside()]
        for guess in pair.guesses():
            if satisfiable([*known, guess]) and implied([*known, guess], wanted) is Verdict.PROVED and implied([*holds, guess], result) is not Verdict.PROVED:
                result = guess if result is FALSE else terms.apply("or", 1, (result, guess))
    if result is FALSE:
        raise NoTemplate("an operand may be read after the result is written to its place", condition)
    return result


@dataclass(frozen=True, slots=True)
class _Pair:
    """A store and a load of one memory of at most 2**bits words, each at a polynomial over indices that count up to `counts`."""

    store: Polynomial
    load: Polynomial
    bits: int
    counts: dict[Term, Term]

    def inside(self) -> Iterator[Term]:
        """Both lie within the memory, as the language says of every access."""
        for each in (self.store, self.load):
            yield _order("ule", {}, each)
            yield _order("ult", each, {(): 1 << self.bits})

    def guesses(self) -> Iterator[Term]:
        """Conditions that may keep them apart, those that hold more often first."""
        store, load = (without(p, indices_of(p)) for p in (self.store, self.load))
        yield terms.negate(terms.apply("eq", 1, _sides(store, load)))
        yield _order("ule", store, load)
        yield _order("ule", load, store)
        yield _order("ule", self._end(self.store), self._start(self.load))
        yield _order("ule", self._end(self.load), self._start(self.store))

    def _start(self, address: Polynomial) -> Polynomial:
        """The least address of all iterations."""
        return self._at(address, {i for i in indices_of(address) if _falls(address, i)})

    def _end(self, address: Polynomial) -> Polynomial:
        """One beyond the greatest address of all iterations."""
        return plus(self._at(address, {i for i in indices_of(address) if not _falls(address, i)}), {(): 1})

    def _at(self, address: Polynomial, last: set[Term]) -> Polynomial:
        """The polynomial where some indices have their last value, and the others are 0."""
        result = without(address, indices_of(address))
        for each in last:
            result = plus(result, times(coefficient(address, each), plus(Reading().exact(self.counts[each]), {(): 1}, -1)))
        return result


def _pairs(condition: Term, mode: Mode, counts: dict[Term, Term], reading: Reading) -> Iterator[_Pair]:
    """The addresses, of a store and of a load, that `condition` says to differ."""
    bodies = [f.body for f in mode.functions.values()]
    written = {_renamed(s.address) for body in bodies for s in stores(body)}
    roots = [t for f in mode.functions.values() for s in f.body for t in statement_terms(s)] + [f.result for f in mode.functions.values() if f.result]
    read = {_renamed(t.args[0]) for t in terms.walk(*roots) if t.op == "load"}
    for part in conjuncts(condition.args[0]) if condition.op == "not" else []:
        for store, load in (part.args, part.args[::-1]) if part.op == "eq" else ():
            if _unprimed(_renamed(store)) in written and _renamed(load) in read:
                ends = [from_zero(reading.modular(_renamed(a), a.width), a.width, reading) for a in (store, load)]
                if all(_is_even(p, reading) and indices_of(p) <= counts.keys() for p in ends):
                    yield _Pair(ends[0], ends[1], store.width, counts)


def _is_even(address: Polynomial, reading: Reading) -> bool:
    """It is a sum of indices times what has one sign, and cannot wrap in the width of `to_term`."""
    leaves = {t for m in address for t in m}
    found = indices_of(address)
    linear = all(sum(m.count(i) for i in found) <= 1 for m in address) and not any(has_index(t) for t in leaves - found)
    least, most = reading.range(address)
    return linear and all(len({f < 0 for f in coefficient(address, i).values()}) == 1 for i in found) and -_EXACT < least <= most < _EXACT


def _falls(address: Polynomial, index: Term) -> bool:
    return any(f < 0 for f in coefficient(address, index).values())


def _order(op: str, a: Polynomial, b: Polynomial) -> Term:
    return terms.apply(op, 1, _sides(a, b))


def _sides(a: Polynomial, b: Polynomial) -> tuple[Term, Term]:
    """Both sides of a comparison, without what is on both and without subtractions."""
    difference = plus(a, b, -1)
    return to_term({m: f for m, f in difference.items() if f > 0}), to_term({m: -f for m, f in difference.items() if f < 0})


def _loops(body: Sequence[Statement]) -> Iterator[tuple[Term, Term]]:
    for each in body:
        if isinstance(each, Loop):
            yield each.index, each.count
            yield from _loops(each.body)


def _renamed(term: Term) -> Term:
    """With the symbols of this package for indices."""
    return terms.substitute(term, {t: index(str(t.attr)) for t in terms.walk(term) if is_index(t)})


def _unprimed(term: Term) -> Term:
    """With the indices of another iteration as those of this one."""
    return terms.substitute(term, {t: terms.sym(str(t.attr).removesuffix("'"), t.width) for t in terms.walk(term) if has_index(t) and t.op == "sym"})
