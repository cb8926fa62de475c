"""Symbolic execution of one instruction, from idle to idle, as a set of paths.

Control is kept concrete: where the next value of a control register depends on a predicate, the execution forks on it.  Where the machine comes
back to a control state in which only counters differ, the iteration is executed once more with a symbolic index; if it leads back to the same
state for index + 1, the whole loop becomes one `Loop` statement whose trip count is proved (`lift.unroll.loops`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Protocol

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.loops import INDEX_WIDTH, trip_count
from lift.unroll.machine import Cycle, Later, Machine, State, Value, term_of
from lift.unroll.memory import Assumption, Write
from lift.unroll.relevance import connected
from lift.unroll.solver import Verdict, implied, satisfiable
from lift.unroll.terms import FALSE, TRUE, Term

MAX_CYCLES = 4096
MAX_PATHS = 256


class NotLifted(Exception):
    """This instruction cannot be lifted; the message says why, in terms of the design."""


class Environment(Protocol):
    """What surrounds the design: inputs of the first cycle, and inputs and effects that follow from a cycle's outputs."""

    def first(self) -> dict[str, Term]: ...

    def following(self, cycle: Cycle) -> tuple[dict[str, Term], list[Write]]: ...

    def predicates(self, cycle: Cycle) -> list[Term]: ...

    def check_idle(self, cycle: Cycle) -> None: ...


@dataclass(frozen=True, slots=True)
class Path:
    """One way from the start to idleness or, while a loop is executed symbolically, back to the head whose index is `returns`.

    `facts` are the predicates it forked on; `domain` the conditions under which trip counts are right; `assumptions` the address conditions that
    memory reads took to hold (for all values of loop indices)."""

    facts: tuple[tuple[Term, bool], ...]
    statements: tuple[Statement, ...]
    final: State
    inputs: dict[str, Term]
    assumptions: tuple[Assumption, ...]
    domain: tuple[Term, ...]
    cycles: int
    returns: Term | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A clock edge on the way: state, inputs of the coming cycle, statements, facts and assumptions so far."""

    state: State
    inputs: dict[str, Term]
    statements: tuple[Statement, ...] = ()
    facts: tuple[tuple[Term, bool], ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    domain: tuple[Term, ...] = ()
    cycles: int = 0

    def knowing(self, predicate: Term, holds: bool, machine: Machine) -> Point:
        known = {predicate: TRUE if holds else FALSE, terms.negate(predicate): FALSE if holds else TRUE}
        decided = {n: known[t] for n, t in self.state.registers.items() if isinstance(t, Term) and t in known}
        return replace(self, facts=(*self.facts, (predicate, holds)), state=machine.changed(self.state, decided))


@dataclass(frozen=True, slots=True)
class LoopHead:
    """While an iteration is executed symbolically: where it began, and the values that registers must have for index + 1."""

    index: Term
    expected: dict[str, Term]
    point: Point


History = tuple[tuple[int, Point], ...]


class _LoopFound(Exception):
    def __init__(self, serial: int, now: Point) -> None:
        super().__init__()
        self.serial, self.now = serial, now


class _NotLinear(Exception):
    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.names = names


@dataclass(slots=True)
class Stretch:
    """A path up to its next event: `own` are the serial numbers of its points in `history`; `end` is the predicate it forks on, the loop it
    has closed, or the path that is complete."""

    history: History
    own: list[int]
    end: Term | Path | _LoopFound


@dataclass(slots=True)
class Explorer:
    """Executes instructions of one machine.  `control`: registers whose values must stay concrete; `idle`: their values at rest."""

    machine: Machine
    environment: Environment
    control: frozenset[str]
    lazy: bool = True
    reads: set[str] = field(default_factory=set)
    evaluated: set[str] = field(default_factory=set)
    _serials: count[int] = field(default_factory=count)
    _paths: int = 0

    def run(self, start: State) -> list[Path]:
        """All paths from `start` until nothing moves any more."""
        self._paths = 0
        self._serials = count()
        return self._explore(Point(start, self.environment.first()), (), ())

    # one path, until it forks, loops or ends

    def _explore(self, point: Point, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Paths from `point`; `history` are earlier points with their serial numbers, `heads` the loops being executed symbolically."""
        return self._from(self._stretch(point, history, heads), heads)

    def _stretch(self, point: Point, history: History, heads: tuple[LoopHead, ...]) -> Stretch:
        """Execute until the path forks, ends, or comes back to a control state."""
        own: list[int] = []
        while True:
            if point.cycles > MAX_CYCLES:
                raise NotLifted(f"not idle after {MAX_CYCLES} cycles")
            serial = next(self._serials)
            own.append(serial)
            history = (*history, (serial, point))
            cycle = self.machine.cycle(point.state, point.inputs, _facts(point.facts), self.lazy)
            cycle.reads, cycle.evaluated = self.reads, self.evaluated
            predicate = self._fork_on(cycle)
            if predicate is not None:
                return Stretch(history, own, predicate)
            following = self._advance(point, cycle)
            if self._at_rest(point, following):
                self.environment.check_idle(cycle)
                return Stretch(history, own, self._finish(point, None))
            returned = next((h for h in reversed(heads) if self._is_head(following, h)), None)
            if returned is not None:
                return Stretch(history, own, self._finish(following, returned.index))
            earlier = self._same_control(following, history)
            if earlier is not None:
                return Stretch(history, own, _LoopFound(earlier, following))
            point = following

    def _from(self, stretch: Stretch, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the end of a stretch on."""
        match stretch.end:
            case Path():
                return [stretch.end]
            case _LoopFound():
                return self._owned(stretch.end, stretch, heads)
        try:
            return self._branches(stretch, stretch.end, heads)
        except _LoopFound as loop:
            return self._owned(loop, stretch, heads)

    def _branches(self, stretch: Stretch, predicate: Term, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Both branches of a fork, each up to its next event: where one of them has closed a loop, the fork lies inside that loop, and
        nothing is gained by following the other one."""
        point, before = stretch.history[-1][1], stretch.history[:-1]
        ahead = [self._stretch(branch, before, heads) for branch in self._both_ways(point, predicate)]
        loops = [a for a in ahead if isinstance(a.end, _LoopFound)]
        if loops:
            ahead.remove(first := max(loops, key=lambda a: a.end.serial))
            ahead.insert(0, first)
        return [path for part in ahead for path in self._from(part, heads)]

    def _both_ways(self, point: Point, predicate: Term) -> list[Point]:
        """The point knowing that `predicate` holds, and knowing that it does not, without those that cannot be."""
        known = connected([*_conditions(point.facts), *point.domain], predicate)
        possible = [holds for holds in (True, False) if not known or satisfiable([predicate if holds else terms.negate(predicate), *known])]
        return [point.knowing(predicate, holds, self.machine) for holds in possible]

    def _owned(self, loop: _LoopFound, stretch: Stretch, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Summarise a loop whose head lies on this stretch of path; other loops belong to earlier ones."""
        while loop.serial in stretch.own:
            try:
                return self._summarise(loop, stretch.history, heads)
            except _LoopFound as outer:
                loop = outer
        raise loop

    def _finish(self, point: Point, returns: Term | None) -> Path:
        self._paths += 1
        if self._paths > MAX_PATHS:
            raise NotLifted(f"more than {MAX_PATHS} paths")
        return Path(point.facts, point.statements, point.state, point.inputs, point.assumptions, point.domain, point.cycles, returns)

    def _fork_on(self, cycle: Cycle) -> Term | None:
        """The predicate on which the next control state depends, if any."""
        for term in self.environment.predicates(cycle):
            if not term.is_const:
                return _deciding(term)
        for name in sorted(cycle.moving() & self.control):
            value = cycle.next_of(name)
            predicate = _choice(value)
            if predicate is not None and predicate in cycle.facts:
                predicate = _choice(terms.substitute(value, dict(cycle.facts)))
            if predicate is not None:
                return predicate
        return None

    def _advance(self, point: Point, cycle: Cycle) -> Point:
        following = cycle.after()
        inputs, host_writes = self.environment.following(cycle)
        made = [*following.log[len(point.state.log) :], *host_writes]
        stores = tuple(Store(w.memory, w.address, w.data, w.mask, None if w.condition is TRUE else w.condition) for w in made)
        state = replace(following, log=following.log + tuple(host_writes))
        assumed = tuple(a for a in cycle.assumptions if a not in point.assumptions)
        return replace(point, state=state, inputs=inputs, statements=point.statements + stores, assumptions=point.assumptions + assumed, cycles=point.cycles + 1)

    def _at_rest(self, point: Point, following: Point) -> bool:
        """Nothing changed in this cycle: it will not in any later one."""
        before, after = point.state, following.state
        return point.inputs == following.inputs and len(before.log) == len(after.log) and all(after.registers[n] is t for n, t in before.registers.items())

    # loops

    def _same_control(self, now: Point, history: History) -> int | None:
        """The earlier point, with a fork since, in the same control state but for the fewest counters; the latest of several."""
        best: tuple[int, int] | None = None
        for serial, earlier in reversed(history):
            moved = self._moved_counters(earlier, now) if len(earlier.facts) < len(now.facts) else 0
            if moved and (best is None or moved < best[0]):
                best = (moved, serial)
        return best[1] if best else None

    def _moved_counters(self, earlier: Point, now: Point) -> int:
        """How many counters differ; 0 when none does or anything else of the control state differs."""
        moved = 0
        for name in self.control:
            a, b = earlier.state.value(name), now.state.value(name)
            if a is b:
                continue
            counts = name in self.machine.structure.counters
            if counts and _step(a, b) is not None:
                moved += 1
            elif counts or (name in self.machine.structure.machines and a.is_const and b.is_const):
                return 0
        return moved if all(earlier.inputs[i] is t or not t.is_const for i, t in now.inputs.items()) else 0

    def _summarise(self, loop: _LoopFound, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on, with the loop as one statement.  Registers that turn out not to move linearly are taken to
        be unknown at the head, and the iteration is executed again."""
        unknown: frozenset[str] = frozenset()
        while True:
            try:
                return self._attempt(loop, history, heads, unknown)
            except _NotLinear as failed:
                if failed.names <= unknown:
                    raise NotLifted(f"{', '.join(sorted(failed.names))} does not change linearly in a loop") from failed
                unknown |= failed.names

    def _attempt(self, loop: _LoopFound, history: History, heads: tuple[LoopHead, ...], unknown: frozenset[str]) -> list[Path]:
        first = next(point for serial, point in history if serial == loop.serial)
        before = tuple(entry for entry in history if entry[0] < loop.serial)
        kept = self._kept_predicate(first, loop.now)
        if kept is not None:
            return self._split(first, kept, before, heads)
        index = terms.sym(f"i{next(self._serials)}", INDEX_WIDTH)
        head, start = self._generalise(first, loop.now, index, unknown)
        iteration = self._explore(start, (*before, (loop.serial, first)), (*heads, head))
        again = [p for p in iteration if p.returns is index]
        if not again:
            raise NotLifted("a loop that does not lead back to its head for a symbolic index")
        decisions = again[0].facts[len(first.facts) :]
        invariant = next((p for p, _ in decisions if not _mentions(p, index)), None)
        if invariant is not None:
            return self._split(first, invariant, before, heads)
        return self._close(first, head, iteration)

    def _split(self, first: Point, predicate: Term, before: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on when a predicate that no iteration changes is decided before the loop."""
        return [path for branch in self._both_ways(first, predicate) for path in self._explore(branch, before, heads)]

    def _kept_predicate(self, first: Point, now: Point) -> Term | None:
        """A predicate that the first iteration forked on and that a register holds throughout."""
        decided = dict(now.facts[len(first.facts) :])
        for name, value in first.state.registers.items():
            if isinstance(value, Term) and value in decided and now.state.registers[name] is (TRUE if decided[value] else FALSE):
                return value
        return None

    def _generalise(self, first: Point, now: Point, index: Term, unknown: frozenset[str]) -> tuple[LoopHead, Point]:
        """The state at the head of iteration `index`: counters and values in linear progression, values that moved otherwise unknown."""
        registers: dict[str, Value] = {}
        expected: dict[str, Term] = {}
        for name, a in first.state.registers.items():
            b = now.state.registers[name]
            if a is b and name not in unknown:
                registers[name] = a
                continue
            start = term_of(a) if name in self.machine.structure.counters and name not in unknown else None
            step = _step(start, term_of(b)) if start is not None else None
            if start is None or step is None:
                registers[name] = terms.sym(f"stale:{name}:{index.attr}", self.machine.netlist.registers[name].width)
                continue
            registers[name] = _progression(start, step, index)
            expected[name] = _progression(start, step, terms.apply("add", INDEX_WIDTH, (index, terms.const(1, INDEX_WIDTH))))
        inputs = {n: t if first.inputs[n] is t else terms.sym(f"stale:{n}:{index.attr}", t.width) for n, t in now.inputs.items()}
        state = self.machine.changed(first.state, registers)
        start = replace(first, state=state, inputs=inputs, statements=(), assumptions=())
        return LoopHead(index, expected, start), start

    def _is_head(self, now: Point, head: LoopHead) -> bool:
        """Is this the head of the next iteration?"""
        doubtful: list[tuple[Term, Term]] = []
        for name in self.control:
            value = now.state.value(name)
            wanted = head.expected.get(name) or head.point.state.value(name)
            if value is wanted or _is_stale(wanted, head.index):
                continue
            if name not in head.expected and value.is_const == wanted.is_const:
                return False
            doubtful.append((value, wanted))
        return all(self._equal(value, wanted, now) for value, wanted in doubtful) and all(t is now.inputs[n] or not t.is_const for n, t in head.point.inputs.items()) and now.cycles > head.point.cycles

    def _equal(self, a: Term, b: Term, now: Point | Path) -> bool:
        if a.is_const and b.is_const:
            return False
        return implied([*_conditions(now.facts), *now.domain], terms.equal(a, b)) is Verdict.PROVED

    def _close(self, first: Point, head: LoopHead, iteration: list[Path]) -> list[Path]:
        """From the paths of one symbolic iteration to the paths of the whole loop."""
        again = [p for p in iteration if p.returns is head.index]
        if len(again) != 1:
            raise NotLifted(f"a loop with {len(again)} ways back to its head")
        back = again[0]
        deciding = back.facts[len(first.facts) :]
        if len(deciding) != 1:
            raise NotLifted("a loop whose end depends on more than one predicate")
        self._check_invariants(head, back)
        predicate, holds = deciding[0]
        leaves = terms.negate(predicate) if holds else predicate
        trips = trip_count(leaves, head.index, self._counter_range(head), [*_conditions(first.facts), *first.domain])
        if trips is None:
            raise NotLifted(f"a loop whose trip count was not found: it ends when {describe(leaves)}")
        loop = Loop(head.index, trips.count, back.statements)
        assumed = (*back.assumptions, *_loop_carried(back.statements, head.index))
        domain = tuple(d for d in back.domain if not _mentions(d, head.index))
        if len(domain) != len(back.domain):
            raise NotLifted("an inner loop whose trip count depends on the index of the outer one")
        exits = [p for p in iteration if p is not back]
        return [self._leave(first, p, loop, head, (*domain, trips.domain), assumed, (predicate, not holds)) for p in exits]

    def _leave(self, first: Point, path: Path, loop: Loop, head: LoopHead, domain: tuple[Term, ...], assumed: tuple[Assumption, ...], leaving: tuple[Term, bool]) -> Path:
        """A path that leaves the loop, with the last iteration folded into it."""
        length = len(loop.body)
        if path.statements[:length] != loop.body:
            raise NotLifted("the last iteration of a loop differs from the others")
        facts = path.facts[len(first.facts) :]
        if not facts or facts[0] != leaving:
            raise NotLifted("a loop that is left in more than one place")
        last = terms.apply("sub", INDEX_WIDTH, (loop.count, terms.const(1, INDEX_WIDTH)))
        at_end: dict[Term, Term] = {head.index: last}
        done: dict[Term, Term] = {}
        rest = tuple(substitute_statement(s, at_end, done) for s in path.statements[length:])
        registers = {n: _substituted(t, at_end, done) for n, t in path.final.registers.items()}
        later = tuple((terms.substitute(p, at_end, done), h) for p, h in facts[1:])
        more = tuple(Assumption(terms.substitute(a.word, at_end, done), terms.substitute(a.condition, at_end, done)) for a in path.assumptions if a not in assumed)
        limits = tuple(terms.substitute(d, at_end, done) for d in path.domain if d not in domain)
        final = replace(path.final, registers=registers)
        return Path(
            (*first.facts, *later), (*first.statements, loop, *rest), final, path.inputs, (*first.assumptions, *assumed, *more),
            (*first.domain, *domain, *limits), path.cycles, path.returns,
        )  # fmt: skip

    def _counter_range(self, head: LoopHead) -> int:
        return min(1 << head.expected[n].width for n in head.expected if n in self.control)

    def _check_invariants(self, head: LoopHead, back: Path) -> None:
        """No effect of the iteration may depend on a value that was unknown at its head, and every linear value must have moved as expected."""
        final = back.final.registers
        kept = {n: t for n, t in head.point.state.registers.items() if n not in head.expected and not _is_stale(t, head.index)}
        wrong = {n for n, t in kept.items() if final[n] is not t and (isinstance(final[n], Later) or term_of(final[n]) is not term_of(t))}
        wrong |= {n for n, t in head.expected.items() if final[n] is not t and not self._equal(term_of(final[n]), t, back)}
        if wrong:
            raise _NotLinear(wrong)
        carried = sorted({t.attr for s in back.statements for root in statement_terms(s) for t in terms.walk(root) if _is_stale(t, head.index)})
        if carried:
            raise NotLifted(f"an effect of a loop depends on values carried from one iteration to the next: {', '.join(str(c).split(':')[1] for c in carried)}")


def describe(term: Term, depth: int = 4) -> str:
    """A short text of a term for messages."""
    if not term.args:
        return str(term.attr)
    if depth == 0:
        return "..."
    inner = ", ".join(describe(a, depth - 1) for a in term.args)
    return f"{inner}[{int(term.attr or 0) + term.width - 1}:{term.attr or 0}]" if term.op == "extract" else f"{term.op}({inner})"  # type: ignore[arg-type]


def _is_stale(term: Value, index: Term) -> bool:
    return isinstance(term, Term) and term.op == "sym" and str(term.attr).startswith("stale:") and str(term.attr).endswith(f":{index.attr}")


def _conditions(facts: tuple[tuple[Term, bool], ...]) -> list[Term]:
    return [p if h else terms.negate(p) for p, h in facts]


def _facts(facts: tuple[tuple[Term, bool], ...]) -> dict[Term, Term]:
    known: dict[Term, Term] = {}
    for predicate, holds in facts:
        known[predicate] = TRUE if holds else FALSE
        known[terms.negate(predicate)] = FALSE if holds else TRUE
    return known


def _mentions(predicate: Term, index: Term) -> bool:
    return any(t is index for t in terms.walk(predicate))


def _choice(value: Term) -> Term | None:
    """The first undecided predicate of a control value; None for constants and for data (symbols, sums, slices)."""
    if value.op == "mux":
        return _deciding(value.args[0])
    if value.width == 1 and value.op in ("and", "or", "not", "eq", "ult", "ule", "slt", "sle", "redor", "xor"):
        return _deciding(value)
    return None


def _deciding(predicate: Term) -> Term:
    """An atom of a Boolean combination, so that facts stay atomic."""
    while predicate.op in ("and", "or", "not", "xor") and predicate.width == 1:
        predicate = predicate.args[0]
    return _choice(predicate) or predicate if predicate.op == "mux" else predicate


def _substituted(value: Value, values: dict[Term, Term], done: dict[Term, Term]) -> Value:
    if isinstance(value, Later):
        return Later(lambda: terms.substitute(value.now(), values, done))
    return terms.substitute(value, values, done)


def _step(a: Term, b: Term) -> int | None:
    """b - a when it is a constant."""
    difference = terms.apply("sub", a.width, (b, a))
    if difference.is_const:
        return int(difference.attr)  # type: ignore[arg-type]
    if b.op == "add" and b.args[1].is_const and b.args[0] is a:
        return int(b.args[1].attr)  # type: ignore[arg-type]
    return None


def _progression(first: Term, step: int, index: Term) -> Term:
    """first + step * index, modulo the register's width."""
    width = first.width
    position = terms.extract(index, 0, width) if width < INDEX_WIDTH else terms.apply("zext", width, (index,))
    moved = terms.apply("mul", width, (position, terms.const(step, width)))
    return terms.apply("add", width, (moved, first))


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


def _stores(statements: tuple[Statement, ...]) -> list[Store]:
    return [s for x in statements for s in (_stores(x.body) if isinstance(x, Loop) else [x])]


def _indices(body: tuple[Statement, ...]) -> list[Term]:
    return [i for s in body if isinstance(s, Loop) for i in (s.index, *_indices(s.body))]


def _loop_carried(body: tuple[Statement, ...], index: Term) -> tuple[Assumption, ...]:
    """No iteration reads a word that an earlier one wrote: one condition for each pair of a load and a store."""
    stores = _stores(body)
    written = {s.memory for s in stores}
    loads = {t for s in body for root in statement_terms(s) for t in terms.walk(root) if t.op == "load" and t.attr in written}
    primed = {i: terms.sym(f"{i.attr}'", INDEX_WIDTH) for i in (index, *_indices(body))}
    result: list[Assumption] = []
    for word in sorted(loads, key=lambda t: t.serial):
        for store in stores:
            if store.memory == word.attr:
                before = terms.substitute(store.address, primed)
                clash = terms.both(terms.apply("ult", 1, (primed[index], index)), terms.equal(before, word.args[0]))
                result.append(Assumption(word, terms.negate(clash)))
    return tuple(result)
