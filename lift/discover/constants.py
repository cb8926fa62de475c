"""Executions in which registers were symbols that turn out to be constants: the constants are put in, where only final values mention the symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from lift.discover.unit import WAITS, Execution
from lift.unroll import terms
from lift.unroll.paths import conditions, statement_terms
from lift.unroll.terms import Term
from lift.unroll.values import Later, State, Value

Values = Mapping[Term, Term]


def put_in(execution: Execution, values: Values, names: frozenset[str]) -> Execution | None:
    """`execution` with `values` for the symbols of the registers `names`.  None where its course, or what it does to memories, mentions them, or
    something was not lifted for a reason in which they may have a part: then it has to be done again."""
    if execution.opaque is not None or any(terms.mentions(t, symbol) for t in _course(execution) for symbol in values):
        return None
    if any(not why.startswith(WAITS) for _, why in execution.excluded):
        return None
    paths = tuple(replace(path, final=_final(path.final, dict(values))) for path in execution.paths)
    return replace(execution, paths=paths, assumed=execution.assumed - names)


def same_start(before: State, after: State, values: Values) -> bool:
    """Is a state at rest with the `values` put in the other one?"""
    return before.active >= after.active and all(terms.substitute(t, dict(values)) is after.registers[n] for n, t in before.values().items())


def _course(execution: Execution) -> Iterator[Term]:
    """Everything that an execution is about, but the final values of registers."""
    yield from execution.stuck
    for facts, _ in execution.excluded:
        yield from conditions(facts)
    for path in execution.paths:
        yield from (*conditions(path.facts), *path.domain, *path.answers, *path.inputs.values())
        for statement in path.statements:
            yield from statement_terms(statement)
        for assumption in path.assumptions:
            yield from (assumption.word, assumption.condition)


def _final(final: State, values: dict[Term, Term]) -> State:
    has = terms.concerned(values)
    return replace(final, registers={n: v if type(v) is Term and not has(v) else _put_in(v, values) for n, v in final.registers.items()})


def _put_in(value: Value, values: dict[Term, Term]) -> Value:
    return Later(lambda: terms.substitute(value.now(), values)) if isinstance(value, Later) else terms.substitute(value, values)
