"""How a loop ends, and the paths that leave it, with its last iteration folded into it or after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lift.unroll import terms
from lift.unroll.carried import unwritten
from lift.unroll.function import Loop
from lift.unroll.loops import TripCount
from lift.unroll.machine import Later, Value
from lift.unroll.memory import Assumption
from lift.unroll.paths import Facts, LoopHead, NotLifted, Path, Point, conditions, statement_terms, substitute_statement
from lift.unroll.progression import last_of
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import TRUE, Term


@dataclass(frozen=True, slots=True)
class Closing:
    """How a loop ends: as a statement, with its trip count; `exit`: the path that leaves it, not followed yet; `domain`: where this holds;
    `facts`: what is decided where it leaves, last that it does."""

    loop: Loop
    trips: TripCount
    exit: Path
    domain: tuple[Term, ...]
    assumed: tuple[Assumption, ...]
    facts: tuple[tuple[Term, bool], ...]

    @property
    def last(self) -> Term:
        """The index of the last iteration."""
        return last_of(self.loop.count)

    def leave(self, first: Point, path: Path, head: LoopHead) -> Path:
        """A path that leaves the loop, with the last iteration folded into it, or after it where that differs from the others; one that is open is folded
        when it has been followed."""
        loop, assumed = self.loop, self.assumed
        length, decided = len(loop.body), len(self.facts)
        last = self.last
        at_end: dict[Term, Term] = {head.index: last}
        done: dict[Term, Term] = {}
        if seen_outside(path)[:decided] != self.facts:
            raise NotLifted("a loop that is left in more than one place")
        if path.open:
            later = _later(seen_outside(path)[decided:], at_end, [*conditions(first.facts), *self.domain])
            return replace(path, seen=(*first.facts, *later), leaves=(*path.leaves, lambda p: self.leave(first, p, head)))
        if path.statements[:length] != loop.body:
            loop, length = replace(loop, count=last), 0  # the last iteration does something else
        rest = tuple(substitute_statement(s, at_end, done) for s in path.statements[length:])
        registers = {n: t if type(t) is Term and head.index.marks & ~t.marks else _substituted(t, at_end, done) for n, t in path.final.registers.items()}
        later = _later(path.facts[decided:], at_end, [*conditions(first.facts), *self.domain])
        later_on = [a for a in path.assumptions if a not in assumed]
        more = tuple(replace(a, word=terms.substitute(a.word, at_end, done), condition=terms.substitute(a.condition, at_end, done)) for a in later_on)
        limits = tuple(t for d in path.domain if d not in self.domain and (t := terms.substitute(d, at_end, done)) is not TRUE)
        looked_at = [t for s in rest for t in statement_terms(s)] + [p for p, _ in later] + list(limits)
        looked_at += [t for n, t in registers.items() if t is not first.state.registers[n] and isinstance(t, Term)]
        more += unwritten(looked_at, loop.body, head.index, last)
        final = replace(path.final, registers=registers)
        domain = dict.fromkeys((*first.domain, *self.domain, *limits))
        return Path(
            (*first.facts, *later), (*first.statements, loop, *rest), final, path.inputs, (*first.assumptions, *assumed, *more),
            tuple(domain), path.cycles, path.returns, indices=path.indices,
        )  # fmt: skip


def _later(facts: Facts, at_end: dict[Term, Term], known: list[Term]) -> Facts:
    """What is decided after the last iteration, without what follows from its number alone."""
    found = [(terms.substitute(p, at_end), p, holds) for p, holds in facts]
    follows = [now is not p and implied(known, now if holds else terms.negate(now)) is Verdict.PROVED for now, p, holds in found]
    return tuple((now, holds) for (now, _, holds), known_anyway in zip(found, follows, strict=True) if not known_anyway)


def _substituted(value: Value, values: dict[Term, Term], done: dict[Term, Term]) -> Value:
    if isinstance(value, Later):
        return Later(lambda: terms.substitute(value.now(), values, done))
    return terms.substitute(value, values, done)


def seen_outside(path: Path) -> tuple[tuple[Term, bool], ...]:
    """The facts of a path as they are outside the inner loops that it leaves."""
    return path.facts if path.seen is None else path.seen
