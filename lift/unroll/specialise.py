"""A path, simplified by its decisions: what was computed before the path forked on a predicate still looks at the predicate.

fork on b;  [a] <- (b ? x : y) if b,  stored before the fork     -->     where b holds: [a] <- x;  where not: nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from lift.unroll import terms
from lift.unroll.function import Loop, Statement
from lift.unroll.memory import Assumption
from lift.unroll.paths import Path, known_facts, substitute_statement
from lift.unroll.terms import FALSE, TRUE, Term
from lift.unroll.values import Later, Value


def specialised(path: Path) -> Path:
    """The same where the facts of the path hold."""
    if not path.facts:
        return path
    simplified = _Simplified(known_facts(path.facts))
    has = terms.concerned(simplified.known)
    registers = {n: v if type(v) is Term and not has(v) else simplified.value(v) for n, v in path.final.registers.items()}
    assumptions = tuple(dict.fromkeys(a for each in path.assumptions for a in simplified.assumptions(each)))
    return replace(path, statements=tuple(simplified.statements(path.statements)), final=replace(path.final, registers=registers), assumptions=assumptions)


def decided(facts: Iterable[tuple[Term, bool]]) -> tuple[tuple[Term, bool], ...]:
    """The same facts, each where the bits that others decide are known: `a == b` where a holds is b, and nothing where b is decided as well."""
    facts = tuple(facts)
    bits: dict[Term, Term] = {p: TRUE if h else FALSE for p, h in facts if p.op in ("sym", "extract")}
    found: dict[tuple[Term, bool], None] = {}
    for predicate, holds in facts:
        simpler = predicate if predicate in bits else terms.substitute(predicate, bits)
        if simpler.op == "not":
            simpler, holds = simpler.args[0], not holds
        if not (simpler.is_const and bool(simpler.attr) == holds):
            found[simpler, holds] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Simplified:
    known: dict[Term, Term]
    done: dict[Term, Term] = field(default_factory=dict)

    def term(self, term: Term) -> Term:
        return terms.substitute(term, self.known, self.done)

    def value(self, value: Value) -> Value:
        """Registers that nobody has looked at yet are simplified when somebody does."""
        if isinstance(value, Later):
            return Later(partial(self._now, value))
        return self.term(value) if value.args else value

    def _now(self, value: Later) -> Term:
        return self.term(value.now())

    def statements(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """Without those that never happen."""
        for each in statements:
            found = substitute_statement(each, self.known, self.done)
            if isinstance(found, Loop):
                found = replace(found, body=tuple(self.statements(found.body)))
                if found.body:
                    yield found
            elif found.condition is not FALSE:
                yield replace(found, condition=None) if found.condition is TRUE else found

    def assumptions(self, assumption: Assumption) -> Iterator[Assumption]:
        """What is assumed of a load, under its former address and under its simplified one, where it does not follow."""
        condition = self.term(assumption.condition)
        if condition is not TRUE:
            yield replace(assumption, condition=condition)
            yield replace(assumption, word=self.term(assumption.word), condition=condition)
