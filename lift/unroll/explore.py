"""Symbolic execution of one instruction, from idle to idle, as a set of paths.

Control is kept concrete: where the next value of a control register depends on a predicate, the execution forks on it.  Where the machine comes
back to a control state in which only counters differ, the iteration is executed once more with a symbolic index; if it leads back to the same
state for index + 1, the whole loop becomes one `Loop` statement whose trip count is proved (`lift.unroll.summarise`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from itertools import count

from lift.unroll import terms
from lift.unroll.choices import choice, deciding, is_plain
from lift.unroll.function import Store
from lift.unroll.join import decided, joined
from lift.unroll.limits import FORK_RLIMIT, MAX_APART, MAX_CYCLES, MAX_DEPTH, MAX_PATHS, MAX_STRETCHES, MAX_TOTAL, SOON, values, writes
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.machine import Cycle, Machine, State, TooLarge
from lift.unroll.memory import with_moved
from lift.unroll.paths import (
    Environment,
    Facts,
    History,
    LoopFound,
    LoopHead,
    NotLifted,
    Path,
    Point,
    Stretch,
    TooMuch,
    conditions,
    equation,
    known_facts,
    resolved,
)  # fmt: skip
from lift.unroll.relevance import connected
from lift.unroll.solver import satisfiable
from lift.unroll.summarise import NotLinear, Summary, carried, kept_predicate, mentions
from lift.unroll.terms import TRUE, Term


@dataclass(slots=True)
class Explorer:
    """Executes instructions of one machine.  `control`: registers whose values must stay concrete.  `hopeless`: conditions under which an earlier
    attempt failed, and why; `failures`: those under which this one did."""

    machine: Machine
    environment: Environment
    control: frozenset[str]
    lazy: bool = True
    reads: set[str] = field(default_factory=set)
    evaluated: set[str] = field(default_factory=set)
    _serials: count[int] = field(default_factory=count)
    flags: frozenset[str] = frozenset()  # of the control, one bit each
    raised: set[str] = field(default_factory=set)  # those that were 1 on some path
    hopeless: dict[Facts, str] = field(default_factory=dict)
    failures: dict[Facts, str] = field(default_factory=dict)
    _paths: int = 0
    _stretches: int = 0
    _total: int = 0
    _given: int = 0
    _nonlinear: dict[tuple[Term, ...], frozenset[str]] = field(default_factory=dict)  # by the state of the control at the head
    _writes: int = field(init=False)
    _values: int = field(init=False)
    _loops: Summary = field(init=False)

    def __post_init__(self) -> None:
        registers = len(self.machine.netlist.registers)
        self._writes, self._values = writes(registers), values(registers)
        self._loops = Summary(self.machine, self.control)

    def run(self, start: State, given: tuple[tuple[Term, bool], ...] = ()) -> list[Path]:
        """All paths from `start`, with `given` facts, until nothing moves any more."""
        self._paths = self._stretches = 0
        self._serials, self._nonlinear = count(), {}
        self._given = len(given)
        self.machine.computed, self.machine.limit = 0, self._values
        try:
            return self._explore(Point(start, self.environment.first(), facts=given), (), ())
        except TooLarge as reached:
            raise TooMuch(f"more than {self._values} values of signals") from reached
        finally:
            self.machine.limit = sys.maxsize

    # one path, until it forks, loops or ends

    def _explore(self, point: Point, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Paths from `point`; `history` are earlier points with their serial numbers, `heads` the loops being executed symbolically."""
        return self._from(self._stretch(point, history, heads), heads)

    def _stretch(self, point: Point, history: History, heads: tuple[LoopHead, ...]) -> Stretch:
        """Execute until the path forks, ends, or comes back to a control state."""
        self._stretches += 1
        self._total += 1
        if self._stretches > MAX_STRETCHES or self._total > MAX_TOTAL:
            raise TooMuch(f"more than {MAX_STRETCHES} pieces of path")
        own: list[int] = []
        while True:
            if point.cycles > MAX_CYCLES:
                raise TooMuch(f"not idle after {MAX_CYCLES} cycles")
            if len(point.state.log) > self._writes:
                raise TooMuch(f"not idle after {self._writes} writes outside loops")
            serial = next(self._serials)
            own.append(serial)
            history = (*history, (serial, point))
            cycle = self.machine.cycle(point.state, point.inputs, known_facts(point.facts), self.lazy)
            cycle.reads, cycle.evaluated = self.reads, self.evaluated
            self.raised |= {n for n in self.flags - self.raised if point.state.registers[n] is TRUE}
            predicate = self._fork_on(cycle)
            if predicate is not None:
                return Stretch(history, own, predicate)
            asserted = self._asserted(point, cycle, heads)
            if asserted is None:
                return Stretch(history, own, None)
            following = self._advance(point, cycle, bool(heads or point.domain))
            following = replace(following, domain=(*following.domain, *asserted)) if asserted else following
            if self._at_rest(point, following):
                awaited = self.environment.wake(cycle)
                if awaited is not None:
                    point = replace(following, inputs=awaited)
                    continue
                self.environment.check_idle(cycle)
                return Stretch(history, own, self._finish(point, None))
            returned = next((h for h in reversed(heads) if self._loops.is_head(following, h)), None)
            if returned is not None:
                return Stretch(history, own, self._finish(following, returned.index))
            earlier = self._loops.same_control(following, history)
            if earlier is not None and not self._comes_to_rest(following):
                return Stretch(history, own, LoopFound(self._head_of(earlier, following, history), following))
            point = following

    def _comes_to_rest(self, point: Point) -> bool:
        """Is this no head of another iteration, but a machine that does nothing more?  (A queue that has run empty, say.)"""
        for _ in range(SOON):
            cycle = self.machine.cycle(point.state, point.inputs, known_facts(point.facts), self.lazy)
            if self._fork_on(cycle) is not None:
                return False
            following = self._advance(point, cycle)
            if self._at_rest(point, following):
                return True
            point = following
        return False

    def _head_of(self, serial: int, now: Point, history: History) -> int:
        """The point at which an iteration begins that leads from point `serial` to `now`: before the decisions of that clock edge that the next
        iteration takes anew."""
        number = next(n for n, (s, _) in enumerate(history) if s == serial)
        while number and history[number - 1][1].cycles == history[number][1].cycles:
            before, decided = history[number - 1][1], history[number][1].facts
            if len(decided) != len(before.facts) + 1:
                break
            cycle = self.machine.cycle(now.state, now.inputs, known_facts(before.facts), self.lazy)
            if self._fork_on(cycle) in (None, decided[-1][0]):
                break
            number -= 1
        return history[number][0]

    def _from(self, stretch: Stretch, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the end of a stretch on."""
        match stretch.end:
            case None:
                return []
            case Path():
                return [stretch.end] if self._is_possible(stretch.end) else []
            case LoopFound():
                return self._owned(stretch.end, stretch, heads)
        try:
            return self._branches(stretch, stretch.end, heads)
        except LoopFound as loop:
            return self._owned(loop, stretch, heads)

    def _is_possible(self, path: Path) -> bool:
        """Can the path be taken by a design whose assertions hold?"""
        asserted = self.machine.netlist.assertions and path.domain
        return not asserted or satisfiable([*conditions(path.facts), *path.domain], FORK_RLIMIT)

    def _branches(self, stretch: Stretch, predicate: Term, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Both branches of a fork, each up to its next event: where one of them has closed a loop, the fork lies inside that loop, and
        nothing is gained by following the other one."""
        point = stretch.history[-1][1]
        met = self._met(stretch, predicate, heads)
        if met is not None:
            return self._explore(met, stretch.history, heads)
        stays = self._loops.guided(predicate, heads[-1]) if heads else None
        if stays is not None:
            return self._staying(stretch, predicate, stays, heads)
        ahead = [self._stretch(branch, stretch.history, heads) for branch in self._both_ways(point, predicate)]
        ahead.sort(key=lambda a: a.end.serial if isinstance(a.end, LoopFound) else -1, reverse=True)
        if heads or len(ahead) < 2:
            return [path for part in ahead for path in self._from(part, heads)]
        return self._apart(ahead, len(point.facts) - self._given < MAX_APART)

    def _met(self, stretch: Stretch, predicate: Term, heads: tuple[LoopHead, ...], within: bool = False) -> Point | None:
        """Where both ways of a decision about the index of a loop, or one `within` such a decision, come to the same next decision, if they do;
        decisions on the way that are met likewise are passed."""
        if not within and not any(mentions(predicate, h.index) for h in heads):
            return None
        point = stretch.history[-1][1]
        ahead = [self._stretch(way, stretch.history, heads) for way in self._both_ways(point, predicate)]
        if within and len(ahead) == 1 and isinstance(ahead[0].end, Term):  # it follows from what was decided before
            return ahead[0].history[-1][1]
        while len(ahead) == 2:
            then, other = (a.history[-1][1] for a in ahead)
            together = isinstance(ahead[0].end, Term) and ahead[0].end is ahead[1].end
            if together and (met := joined(point, predicate, then, other, self.machine, heads[-1].index)):
                return met
            behind = int(other.cycles < then.cycles)
            decision = ahead[behind].end
            further = self._met(ahead[behind], decision, heads, True) if isinstance(decision, Term) else None
            if further is None:
                return None
            ahead[behind] = self._stretch(further, stretch.history, heads)
        return None

    def _apart(self, branches: list[Stretch], early: bool) -> list[Path]:
        """The paths of branches outside loops: what cannot be lifted under one condition does not keep the others from being lifted.  Early
        branches have limits of their own; where a later one needs too much, so does what it belongs to."""
        paths: list[Path] = []
        failed: list[tuple[Facts, NotLifted]] = []
        for branch in branches:
            self._stretches = 0 if early else self._stretches
            facts = branch.history[-len(branch.own)][1].facts
            try:
                if facts in self.hopeless or facts in self.failures:
                    raise NotLifted((self.hopeless | self.failures)[facts])
                paths += self._from(branch, ())
            except NotLifted as found:
                if isinstance(found, TooMuch) and not early:
                    raise
                failed.append((facts, found))
        if not paths and failed:
            raise failed[0][1]
        self.failures |= {facts: str(found) for facts, found in failed}
        return paths

    def _staying(self, stretch: Stretch, predicate: Term, stays: bool, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The branch that the first iteration of the loop took; the other one is left open until the trip count is known."""
        point = stretch.history[-1][1]
        leaving = replace(self._finish(point.knowing(predicate, not stays, self.machine), None), open=True)
        ahead = self._stretch(point.knowing(predicate, stays, self.machine), stretch.history, heads)
        return [*self._from(ahead, heads), leaving]

    def _both_ways(self, point: Point, predicate: Term) -> list[Point]:
        """The point knowing that `predicate` holds, and knowing that it does not, without those that cannot be."""
        known = connected([*conditions(point.facts), *point.domain], predicate)
        possible = [holds for holds in (True, False) if not known or satisfiable([predicate if holds else terms.negate(predicate), *known], FORK_RLIMIT)]
        return [point.knowing(predicate, holds, self.machine) for holds in possible]

    def _owned(self, loop: LoopFound, stretch: Stretch, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Summarise a loop whose head lies on this stretch of path; other loops belong to earlier ones."""
        while loop.serial in stretch.own:
            try:
                return self._summarise(loop, stretch.history, heads)
            except LoopFound as outer:
                loop = outer
        raise loop

    def _finish(self, point: Point, returns: Term | None) -> Path:
        self._paths += 1
        if self._paths > MAX_PATHS:
            raise NotLifted(f"more than {MAX_PATHS} paths")
        assumptions = with_moved(point.assumptions)
        return Path(point.facts, point.statements, point.state, point.inputs, assumptions, point.domain, point.cycles, returns)

    def _fork_on(self, cycle: Cycle) -> Term | None:
        """The predicate on which the next control state depends, if any."""
        for term in self.environment.predicates(cycle):
            if not term.is_const:
                return deciding(term)
        for name in sorted(cycle.moving() & self.control):
            value = cycle.next_of(name)
            predicate = choice(value)
            if predicate is not None and predicate in cycle.facts:
                predicate = choice(terms.substitute(value, dict(cycle.facts)))
            if predicate is not None:
                return predicate
        return None

    def _asserted(self, point: Point, cycle: Cycle, heads: tuple[LoopHead, ...]) -> list[Term] | None:
        """What the design's assertions say of this cycle that is not known yet; None when it cannot be.  What they say of a single iteration
        of a loop is left out."""
        read, cycle.reads = cycle.reads, set()
        values = [cycle.value(a.holds) for a in self.machine.netlist.assertions]
        cycle.reads = read
        new = [t for t in dict.fromkeys(values) if t is not TRUE and t not in point.domain and not any(mentions(t, h.index) for h in heads)]
        if any(t.is_const for t in new):
            return None
        return [t for t in new if is_plain(t)]

    def _advance(self, point: Point, cycle: Cycle, inside: bool = False) -> Point:
        """The next clock edge; `inside`: in or after a loop, at whose head values are unknown."""
        following = cycle.after()
        inputs, host_writes = self.environment.following(cycle)
        made = [*following.log[len(point.state.log) :], *host_writes]
        made = [decided(w) for w in made] if inside else made
        stores = tuple(Store(w.memory, w.address, w.data, w.mask, None if w.condition is TRUE else w.condition) for w in made)
        state = replace(following, log=(*point.state.log, *made))
        for predicate, holds in point.facts if cycle.facts else ():
            known = resolved(state, equation(predicate), following.active & self.control) if holds else {}
            state = self.machine.changed(state, known) if known else state
        assumed = tuple(a for a in cycle.assumptions if a not in point.assumptions)
        statements, assumptions = point.statements + stores, point.assumptions + assumed
        return replace(point, state=state, inputs=inputs, statements=statements, assumptions=assumptions, cycles=point.cycles + 1)

    def _at_rest(self, point: Point, following: Point) -> bool:
        """Nothing changed in this cycle: it will not in any later one."""
        before, after = point.state, following.state
        return point.inputs == following.inputs and len(before.log) == len(after.log) and all(after.registers[n] is t for n, t in before.registers.items())

    # loops

    def _summarise(self, loop: LoopFound, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on, with the loop as one statement.  Registers that turn out not to move linearly are taken to
        be unknown at the head, and the iteration is executed again."""
        first = next(point for serial, point in history if serial == loop.serial)
        where = self._loops.state_of(first)
        unknown = self._nonlinear.get(where, frozenset())
        while True:
            index = terms.sym(f"i{next(self._serials)}", INDEX_WIDTH)
            try:
                return self._attempt(loop, history, heads, index, unknown)
            except NotLinear as failed:
                if failed.index is not index:
                    raise
                stiff = self.machine.structure.machines - self.machine.structure.counters
                if failed.names & stiff or failed.names <= unknown:
                    raise NotLifted(f"{', '.join(sorted(failed.names))} does not change linearly in a loop") from failed
                unknown |= failed.names
                self._nonlinear[where] = unknown - (self.machine.structure.counters - self.machine.structure.sums)

    def _attempt(self, loop: LoopFound, history: History, heads: tuple[LoopHead, ...], index: Term, unknown: frozenset[str]) -> list[Path]:
        if len(heads) == MAX_DEPTH:
            raise NotLifted(f"loops nested deeper than {MAX_DEPTH}")
        first = next(point for serial, point in history if serial == loop.serial)
        before = tuple(entry for entry in history if entry[0] < loop.serial)
        kept = kept_predicate(first, loop.now)
        if kept is not None:
            return self._split(first, kept, before, heads)
        head, start = self._loops.generalise(first, loop.now, index, unknown)
        iteration = self._explore(start, (*before, (loop.serial, first)), (*heads, head))
        again = [p for p in iteration if p.returns is index]
        if not again:
            raise NotLifted("a loop that does not lead back to its head for a symbolic index")
        decisions = again[0].facts[len(first.facts) :]
        invariant = next((p for p, _ in decisions if not mentions(p, index)), None)
        if invariant is not None and (unknown_there := carried([invariant], index)):
            raise NotLifted(f"a loop whose course depends on {', '.join(unknown_there)}, carried from one iteration to the next")
        if invariant is not None:
            return self._split(first, invariant, before, heads)
        try:
            closing = self._loops.closing(first, head, iteration)
        except NotLifted:
            if satisfiable([*conditions(first.facts), *first.domain]):
                raise
            return []  # it is never reached
        last = terms.equal(index, closing.last)
        exits = self._explore(closing.exit.point((closing.trips.domain, last)), (*before, (loop.serial, first)), heads)
        for leave in closing.exit.leaves:
            exits = [leave(path) for path in exits]
        return [self._loops.leave(first, path, closing, head) for path in exits]

    def _split(self, first: Point, predicate: Term, before: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on when a predicate that no iteration changes is decided before the loop."""
        return [path for branch in self._both_ways(first, predicate) for path in self._explore(branch, before, heads)]
