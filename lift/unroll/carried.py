"""What iterations of a loop take from one another: values that are unknown at its head, and words that an earlier one may have written."""

from __future__ import annotations

from dataclasses import replace

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, stores
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.machine import Later, Value
from lift.unroll.marks import STALE
from lift.unroll.memory import Assumption
from lift.unroll.paths import LoopHead, statement_terms
from lift.unroll.terms import Term


def carried(roots: list[Term], index: Term) -> list[str]:
    """Registers whose unknown value at the head of a loop `roots` depend on."""
    return sorted({str(t.attr).split(":")[1] for t in terms.walk(*(r for r in roots if r.marks & STALE)) if is_stale(t, index)})


def is_stale(term: Value, index: Term) -> bool:
    """Is it a value that is unknown at the head of loop `index`?"""
    return isinstance(term, Term) and term.op == "sym" and term.marks == STALE and str(term.attr).endswith(f":{index.attr}")


def _indices(body: tuple[Statement, ...]) -> list[Term]:
    return [i for s in body if isinstance(s, Loop) for i in (s.index, *_indices(s.body))]


def loop_carried(body: tuple[Statement, ...], head: LoopHead) -> tuple[Assumption, ...]:
    """No iteration reads a word that an earlier one wrote; what no register held at the head was read within the iteration."""
    found = unwritten([root for s in body for root in statement_terms(s)], body, head.index, head.index)
    values = [v.known() if isinstance(v, Later) else v for v in head.point.state.registers.values()] if found else []
    held = [v for v in values if isinstance(v, Term) and v.args]
    stepwise = {word: not any(word is t for t in terms.walk(*held, marks=word.marks)) for word in {a.word for a in found}}
    return tuple(replace(a, stepwise=stepwise[a.word]) for a in found)


def unwritten(roots: list[Term], body: tuple[Statement, ...], index: Term, bound: Term) -> tuple[Assumption, ...]:
    """No load below `roots` reads a word that an iteration before number `bound` wrote: one condition for each pair of a load and a store."""
    made = stores(body)
    written = {s.memory for s in made}
    loads = {t for t in terms.walk(*roots) if t.op == "load" and t.attr in written}
    primed = {i: terms.sym(f"{i.attr}'", INDEX_WIDTH) for i in (index, *_indices(body))}
    result: list[Assumption] = []
    for word in sorted(loads, key=lambda t: t.serial):
        for store in made:
            if store.memory == word.attr:
                before = terms.substitute(store.address, primed)
                clash = terms.both(terms.apply("ult", 1, (primed[index], bound)), terms.equal(before, word.args[0]))
                result.append(Assumption(word, terms.negate(clash)))
    return tuple(result)
