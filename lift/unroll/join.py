"""Two ways that a decision takes, and that come back to one control state, as one: values and effects under the decision.

Inside a loop a decision about its index does not end an iteration (is this element padding?): both ways are executed, and where they meet the
execution goes on once.
"""

from __future__ import annotations

from dataclasses import replace

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.machine import Later, Machine, State, Value, term_of
from lift.unroll.marks import STALE
from lift.unroll.memory import Write
from lift.unroll.paths import Point, stale
from lift.unroll.terms import FALSE, TRUE, Term


def joined(base: Point, predicate: Term, then: Point, other: Point, machine: Machine, index: Term) -> Point | None:
    """The point at which `then` (where `predicate` holds) and `other`, both begun at `base`, are one; None where their finite-state machines are in
    different states.  Other registers of the control that differ are unknown from there on in this iteration, numbered `index`."""
    a, b = then.state, other.state
    stiff = machine.structure.machines - machine.structure.counters
    if any(a.value(n) is not b.value(n) for n in stiff) or then.domain != other.domain:
        return None
    if any(t is not other.inputs[n] and (t.is_const or other.inputs[n].is_const) for n, t in then.inputs.items()):
        return None
    inputs = {n: _chosen_term(predicate, t, other.inputs[n]) for n, t in then.inputs.items()}
    registers = {n: _chosen(predicate, v, b.registers[n]) for n, v in a.registers.items()}
    registers |= {n: stale(n, a.value(n).width, index) for n in machine.structure.control if a.value(n) is not b.value(n)}
    before = len(base.state.log)
    log = (*base.state.log, *_writes(predicate, a.log[before:], b.log[before:]))
    moved = frozenset(n for n, v in registers.items() if v is not base.state.registers[n])
    memories = {w.memory for w in log[before:]}
    held = {n: sources for n, sources in a.held.items() if b.held.get(n) is sources}
    state = State(registers, a.active | b.active | moved | machine.dependents(moved, memories), log, inputs, held)
    made = len(base.statements)
    statements = (*base.statements, *_statements(predicate, then.statements[made:], other.statements[made:]))
    assumptions = tuple(dict.fromkeys((*then.assumptions, *other.assumptions)))
    cycles, indices = max(then.cycles, other.cycles), max(then.indices, other.indices)
    effects = {"statements": statements, "assumptions": assumptions, "domain": then.domain}
    return replace(base, state=state, inputs=inputs, cycles=cycles, indices=indices, **effects)


def decided(write: Write) -> Write:
    """The write without the unknown values that its data, where it looks at them, does not take: where c then 0 else (where c then unknown else x)
    is where c then 0 else x."""
    return replace(write, data=_decided(write.data)) if write.data.marks & STALE else write


def _decided(value: Term) -> Term:
    if value.op == "concat":
        return terms.concat(*(_decided(part) for part in value.args))
    if value.op != "mux":
        return value
    condition, then, other = value.args
    return terms.mux(condition, *(_decided(terms.substitute(v, _known(condition, holds))) for v, holds in ((then, True), (other, False))))


def _known(condition: Term, holds: bool) -> dict[Term, Term]:
    """What is known of the parts of a condition that holds, or does not."""
    if condition.op == "not":
        return _known(condition.args[0], not holds)
    found = {condition: TRUE if holds else FALSE, terms.negate(condition): FALSE if holds else TRUE}
    if condition.width == 1 and condition.op == ("and" if holds else "or"):
        for part in condition.args:
            found |= _known(part, holds)
    return found


def _chosen_term(predicate: Term, then: Term, other: Term) -> Term:
    return then if then is other else terms.mux(predicate, then, other)


def _chosen(predicate: Term, then: Value, other: Value) -> Value:
    if then is other:
        return then
    if isinstance(then, Later) or isinstance(other, Later):
        return Later(lambda: _chosen_term(predicate, term_of(then), term_of(other)))
    return _chosen_term(predicate, then, other)


def _writes(predicate: Term, then: tuple[Write, ...], other: tuple[Write, ...]) -> list[Write]:
    """Writes to one place on both ways are one write of either value."""
    if [(w.memory, w.address, w.mask, w.condition) for w in then] == [(w.memory, w.address, w.mask, w.condition) for w in other]:
        return [replace(w, data=_chosen_term(predicate, w.data, v.data)) for w, v in zip(then, other, strict=True)]
    ways = ((predicate, then), (terms.negate(predicate), other))
    return [replace(w, condition=terms.both(way, w.condition)) for way, writes in ways for w in writes]


def _statements(predicate: Term, then: tuple[Statement, ...], other: tuple[Statement, ...]) -> list[Statement]:
    """The same of statements, which say no condition as None."""
    plain = [s for s in (*then, *other) if isinstance(s, Store)]
    if len(plain) == len(then) + len(other) and [_place(s) for s in then] == [_place(s) for s in other]:
        pairs = zip(then, other, strict=True)
        return [replace(s, data=_chosen_term(predicate, s.data, t.data)) for s, t in pairs if isinstance(s, Store) and isinstance(t, Store)]
    return [*(_under(predicate, s) for s in then), *(_under(terms.negate(predicate), s) for s in other)]


def _place(statement: Statement) -> tuple[object, ...]:
    assert isinstance(statement, Store)
    return statement.memory, statement.address, statement.mask, statement.condition


def _under(way: Term, statement: Statement) -> Statement:
    if isinstance(statement, Loop):
        return replace(statement, body=tuple(_under(way, s) for s in statement.body))
    condition = way if statement.condition is None else terms.both(way, statement.condition)
    return replace(statement, condition=None if condition is TRUE else condition)
