"""What the execution of an instruction is made of: points in time, paths, heads of loops; and what holds at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.machine import Cycle, Machine, State
from lift.unroll.memory import Assumption, Write
from lift.unroll.polynomials import Polynomial, plus, reduced, wrapped
from lift.unroll.terms import FALSE, TRUE, Term


class NotLifted(Exception):
    """This instruction cannot be lifted; the message says why, in terms of the design."""


class TooMuch(NotLifted):
    """A limit of the exploration was reached."""


class Environment(Protocol):
    """What surrounds the design: inputs of the first cycle, and inputs and effects that follow from a cycle's outputs."""

    def first(self) -> dict[str, Term]: ...

    def following(self, cycle: Cycle) -> tuple[dict[str, Term], list[Write]]: ...

    def predicates(self, cycle: Cycle) -> list[Term]: ...

    def check_idle(self, cycle: Cycle) -> None: ...

    def wake(self, cycle: Cycle) -> dict[str, Term] | None: ...


@dataclass(frozen=True, slots=True)
class Path:
    """One way from the start to idleness or, while a loop is executed symbolically, back to the head whose index is `returns`; `open`: it was
    not followed further, as it leaves the loop where the first iteration did not.

    `facts` are the predicates it forked on; `domain` the conditions under which trip counts are right; `assumptions` the address conditions that
    memory reads took to hold (for all values of loop indices); `answers` what neighbours were taken to answer.
    Of an open path, `leaves` are the inner loops that it leaves, and `seen` its facts as they are outside those; `indices` as of points."""

    facts: tuple[tuple[Term, bool], ...]
    statements: tuple[Statement, ...]
    final: State
    inputs: dict[str, Term]
    assumptions: tuple[Assumption, ...]
    domain: tuple[Term, ...]
    cycles: int
    returns: Term | None = None
    open: bool = False
    answers: tuple[Term, ...] = ()
    seen: tuple[tuple[Term, bool], ...] | None = None
    leaves: tuple[Callable[[Path], Path], ...] = ()
    indices: int = 0

    def point(self, domain: tuple[Term, ...] = ()) -> Point:
        """The end of the path, to go on from; `domain`: what else is known there."""
        return Point(self.final, self.inputs, self.statements, self.facts, self.assumptions, (*self.domain, *domain), self.cycles, self.indices)


@dataclass(frozen=True, slots=True)
class Point:
    """A clock edge on the way: state, inputs of the coming cycle, statements, facts and assumptions so far.

    `indices`: how many loops were entered on the way; the next one's index has that number.  No two of one path have the same, while the same loop,
    executed again, has the same terms: what was computed of it is found."""

    state: State
    inputs: dict[str, Term]
    statements: tuple[Statement, ...] = ()
    facts: tuple[tuple[Term, bool], ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    domain: tuple[Term, ...] = ()
    cycles: int = 0
    indices: int = 0

    def knowing(self, predicate: Term, holds: bool, machine: Machine) -> Point:
        known = {predicate: TRUE if holds else FALSE, terms.negate(predicate): FALSE if holds else TRUE}
        if holds and predicate.op == "eq" and predicate.args[1].is_const and predicate.args[0].op not in ("sym", "load"):
            known[predicate.args[0]] = predicate.args[1]
        decided = {n: known[t] for n, t in self.state.registers.items() if t in known}  # type: ignore[index]
        if holds:
            decided |= resolved(self.state, predicate, machine.structure.control)
        return replace(self, facts=(*self.facts, (predicate, holds)), state=machine.changed(self.state, decided))


def resolved(state: State, predicate: Term, control: Iterable[str]) -> dict[str, Term]:
    """Registers of the control that are constant where `predicate` holds: that an expression has a value, or two are equal."""
    if predicate.op != "eq":
        return {}
    found: dict[str, Term] = {}
    values, zero, done = equation(predicate), _vanishing(predicate), dict[Term, Term]()
    for name in control:
        value = state.registers[name]
        if isinstance(value, Term) and value.args:
            now = terms.substitute(value, values, done) if values else _without(value, zero)
            found |= {name: now} if now is not None and now.is_const else {}
    return found


def _vanishing(equality: Term) -> tuple[int, Polynomial]:
    """A sum that is 0, and modulo how many bits."""
    width = equality.args[0].width
    return width, plus(wrapped(equality.args[0], width), wrapped(equality.args[1], width), -1)


def _without(value: Term, zero: tuple[int, Polynomial]) -> Term | None:
    """A sum that is a constant but for what vanishes, as that constant."""
    width, nothing = zero
    if value.width > width or value.op not in ("add", "sub"):
        return None
    found = wrapped(value, value.width)
    rests = (plus(found, nothing, sign) for sign in (1, -1))
    left = next((r for each in rests if not (r := reduced(each, value.width)).keys() - {()}), None)
    return None if left is None else terms.const(left.get((), 0), value.width)


def equation(predicate: Term) -> dict[Term, Term]:
    """What `predicate`, an equality with a constant, says of a symbol or of bits of one."""
    if predicate.op != "eq" or not predicate.args[1].is_const:
        return {}
    left, value = predicate.args
    if left.op != "extract" or left.args[0].op != "sym":
        return {left: value}
    symbol, low = left.args[0], int(left.attr or 0)
    high = low + left.width
    parts = [terms.extract(symbol, high, symbol.width - high)] if high < symbol.width else []
    return {symbol: terms.concat(*parts, value, *([terms.extract(symbol, 0, low)] if low else []))}


@dataclass(frozen=True, slots=True)
class LoopHead:
    """While an iteration is executed symbolically: where it began, the values that registers must have for index + 1, which of them count by
    constants, and where the first iteration ended."""

    index: Term
    expected: dict[str, Term]
    counting: frozenset[str]
    point: Point
    now: Point


History = tuple[tuple[int, Point], ...]
Facts = tuple[tuple[Term, bool], ...]


def conditions(facts: tuple[tuple[Term, bool], ...]) -> list[Term]:
    return [p if h else terms.negate(p) for p, h in facts]


def known_facts(facts: tuple[tuple[Term, bool], ...]) -> dict[Term, Term]:
    known: dict[Term, Term] = {}
    for predicate, holds in facts:
        known[predicate] = TRUE if holds else FALSE
        known[terms.negate(predicate)] = FALSE if holds else TRUE
    return known


def stale(register: str, width: int, index: Term) -> Term:
    """What a register holds in iteration `index` of a loop where nothing is known about it."""
    return terms.sym(f"stale:{register}:{index.attr}", width)


def describe(term: Term, depth: int = 4) -> str:
    """A short text of a term for messages."""
    if not term.args:
        return str(term.attr)
    if depth == 0:
        return "..."
    inner = ", ".join(describe(a, depth - 1) for a in term.args)
    return f"{inner}[{int(term.attr or 0) + term.width - 1}:{term.attr or 0}]" if term.op == "extract" else f"{term.op}({inner})"  # type: ignore[arg-type]


def statement_terms(statement: Statement) -> list[Term]:
    """The terms of a statement and of those inside it."""
    if isinstance(statement, Loop):
        return [statement.count, *(t for s in statement.body for t in statement_terms(s))]
    return [t for t in (statement.address, statement.data, statement.mask, statement.condition) if t is not None]


def substitute_statement(statement: Statement, values: dict[Term, Term], done: dict[Term, Term]) -> Statement:
    def sub(term: Term | None) -> Term | None:
        return None if term is None else terms.substitute(term, values, done)

    if isinstance(statement, Loop):
        body = tuple(substitute_statement(s, values, done) for s in statement.body)
        return Loop(statement.index, terms.substitute(statement.count, values, done), body)
    address, data = terms.substitute(statement.address, values, done), terms.substitute(statement.data, values, done)
    return Store(statement.memory, address, data, sub(statement.mask), sub(statement.condition))


class NotLinear(Exception):
    """Registers that were taken to move linearly, or to stay, at the head of loop `index`, and do not."""

    def __init__(self, names: set[str], index: Term) -> None:
        super().__init__()
        self.names, self.index = names, index


class Unchanging(Exception):
    """A decision in loop `index` that no iteration changes, and that the first one has taken."""

    def __init__(self, predicate: Term, index: Term) -> None:
        super().__init__()
        self.predicate, self.index = predicate, index


class Carried(NotLifted):
    """An effect depends on something unknown at the head of a loop: on an answer that is under way there, say, or on data that is not stored yet."""


OTHERWISE = "; tried otherwise: "


def both_reasons(first: str, second: str) -> str:
    """Why a loop is no statement, and what then keeps its iterations from being executed; of several such second reasons, the last."""
    return f"{first}{OTHERWISE}{second.rpartition(OTHERWISE)[2]}"


class LoopFound(Exception):
    """The execution has come back to the control state of the earlier point `serial`; `history` leads to the point before `now`."""

    def __init__(self, serial: int, now: Point, history: History) -> None:
        super().__init__()
        self.serial, self.now, self.history = serial, now, history


@dataclass(slots=True)
class Stretch:
    """A path up to its next event: `own` are the serial numbers of its points in `history`; `end` is the predicate it forks on, the loop it
    has closed, the path that is complete, or None: it violates an assertion of the design."""

    history: History
    own: list[int]
    end: Term | Path | LoopFound | None
