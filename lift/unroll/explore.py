"""Symbolic execution of one instruction, from idle to idle, as a set of paths.

Control is kept concrete: where the next value of a control register depends on a predicate, the execution forks on it.  Where the machine comes
back to a control state in which only counters differ, the iteration is executed once more with a symbolic index; if it leads back to the same
state for index + 1, the whole loop becomes one `Loop` statement whose trip count is proved (`lift.unroll.summarise`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

from lift.unroll import terms
from lift.unroll.carried import carried
from lift.unroll.join import joined
from lift.unroll.limits import FORK_RLIMIT, MAX_APART, MAX_DEPTH
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.machine import State
from lift.unroll.paths import (
    Carried,
    Facts,
    History,
    LoopFound,
    LoopHead,
    NotLifted,
    NotLinear,
    Path,
    Point,
    Stretch,
    TooMuch,
    Unchanging,
    both_reasons,
    conditions,
)  # fmt: skip
from lift.unroll.relevance import connected
from lift.unroll.solver import satisfiable
from lift.unroll.summarise import kept_predicate
from lift.unroll.terms import Term
from lift.unroll.walk import Walker


@dataclass(slots=True)
class Explorer(Walker):
    """Executes instructions of one machine, every path of them.  `hopeless`: conditions under which an earlier attempt failed, and why;
    `failures`: those under which this one did; `ended` is told of each path that comes to rest outside of loops."""

    hopeless: dict[Facts, str] = field(default_factory=dict)
    failures: dict[Facts, str] = field(default_factory=dict)
    ended: Callable[[Path], None] = lambda _: None
    _given: int = 0
    _nonlinear: dict[tuple[Term, ...], frozenset[str]] = field(default_factory=dict)  # by the state of the control at the head
    _tried: dict[int, tuple[object, list[Stretch]]] = field(default_factory=dict)  # ways that did not meet, by the serial of their decision

    def run(self, start: State, given: tuple[tuple[Term, bool], ...] = ()) -> list[Path]:
        """All paths from `start`, with `given` facts, until nothing moves any more."""
        self._paths = self._stretches = 0
        self._serials, self._nonlinear, self._tried = count(), {}, {}
        self._loops.executed.clear()
        self._loops.avoided.clear()
        self._given = len(given)
        return self._explore(Point(start, self.environment.first(), facts=given), (), ())

    # one path, until it forks, loops or ends

    def _explore(self, point: Point, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Paths from `point`; `history` are earlier points with their serial numbers, `heads` the loops being executed symbolically."""
        return self._from(self._stretch(point, history, heads), heads)

    def _from(self, stretch: Stretch, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the end of a stretch on."""
        match stretch.end:
            case None:
                return []
            case Path():
                if not self._is_possible(stretch.end):
                    return []
                if not heads and stretch.end.returns is None:
                    self.ended(stretch.end)
                return [stretch.end]
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
        if not heads:
            self._tried.clear()
        elif self._loops.unchanging(predicate, heads[-1]):
            raise Unchanging(predicate, heads[-1].index)
        met = self._met(stretch, predicate, heads)
        if met is not None:
            return self._explore(met, stretch.history, heads)
        stays = self._loops.guided(predicate, heads[-1]) if heads else None
        ahead = self._ways(stretch, predicate, heads, stays)
        if stays is not None:
            leaving = replace(self._finish(point.knowing(predicate, not stays, self.machine), None), open=True)
            return [*self._from(ahead[0], heads), leaving]
        ahead.sort(key=lambda a: a.end.serial if isinstance(a.end, LoopFound) else -1, reverse=True)
        if heads or len(ahead) < 2:
            return [path for part in ahead for path in self._from(part, heads)]
        return self._apart(ahead, len(point.facts) - self._given < MAX_APART)

    def _met(self, stretch: Stretch, predicate: Term, heads: tuple[LoopHead, ...], within: bool = False) -> Point | None:
        """Where both ways of a decision about the index of a loop, or one `within` such a decision, come to the same next decision, if they do;
        decisions on the way that are met likewise are passed."""
        if not within and not any(terms.mentions(predicate, h.index) for h in heads):
            return None
        serial, point = stretch.history[-1]
        try:
            ahead = self._ways(stretch, predicate, heads)
        except TooMuch:
            raise
        except NotLifted:  # on a way that may not be possible, and does not meet the other
            return None
        self._tried[serial] = self._loops.version(), list(ahead)
        if within and len(ahead) == 1 and isinstance(ahead[0].end, Term):  # it follows from what was decided before
            return ahead[0].history[-1][1]
        while len(ahead) == 2:
            then, other = (a.history[-1][1] for a in ahead)
            together = isinstance(ahead[0].end, Term) and ahead[0].end is ahead[1].end
            passed = min(then.cycles, other.cycles) > point.cycles  # within a cycle nothing happens, and nothing meets
            if together and passed and (met := joined(point, predicate, then, other, self.machine, heads[-1].index)):
                self._tried.pop(serial, None)
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
        branches have limits of their own, and the first leaves half of the budget to the other; where a later one needs too much, so does what it
        belongs to."""
        paths: list[Path] = []
        failed: list[tuple[Facts, NotLifted]] = []
        for branch in branches:
            self._stretches, self._paths = (0, 0) if early else (self._stretches, self._paths)
            facts = branch.history[-len(branch.own)][1].facts
            try:
                if facts in self.hopeless or facts in self.failures:
                    raise NotLifted((self.hopeless | self.failures)[facts])
                shared = early and branch is not branches[-1]
                paths += self._with_half(branch) if shared else self._from(branch, ())
            except NotLifted as found:
                if isinstance(found, TooMuch) and not early:
                    raise
                failed.append((facts, found))
        if not paths and failed:
            raise failed[0][1]
        self.failures |= {facts: str(found) for facts, found in failed}
        return paths

    def _with_half(self, branch: Stretch) -> list[Path]:
        """The paths of a branch on half of what is left of the budget: the other half is for the branch after it."""
        whole = self._budget
        self._budget = whole.half("one branch")
        try:
            with whole.lent(self._budget):
                return self._from(branch, ())
        finally:
            self._budget = whole

    def _ways(self, stretch: Stretch, predicate: Term, heads: tuple[LoopHead, ...], only: bool | None = None) -> list[Stretch]:
        """Both ways of a decision up to their next events, or the one on which it is `only`; of a loop that leaves the other one open until its trip
        count is known.  Ways that were tried before, as they might have met, are taken from there."""
        serial, point = stretch.history[-1]
        version, known = self._tried.pop(serial, (None, []))
        known = known if version == self._loops.version() else []
        if only is None:
            return known or [self._stretch(way, stretch.history, heads) for way in self._both_ways(point, predicate)]
        fitting = [way for way in known if way.history[-len(way.own)][1].facts[-1] == (predicate, only)]
        return fitting or [self._stretch(point.knowing(predicate, only, self.machine), stretch.history, heads)]

    def _both_ways(self, point: Point, predicate: Term) -> list[Point]:
        """The point knowing that `predicate` holds, and knowing that it does not, without those that cannot be."""
        known = connected([*conditions(point.facts), *point.domain], predicate)
        possible = [holds for holds in (True, False) if not known or satisfiable([predicate if holds else terms.negate(predicate), *known], FORK_RLIMIT)]
        return [point.knowing(predicate, holds, self.machine) for holds in possible]

    def _owned(self, loop: LoopFound, stretch: Stretch, heads: tuple[LoopHead, ...]) -> list[Path]:
        """Summarise a loop whose head lies on this stretch of path; other loops belong to earlier ones."""
        while loop.serial in stretch.own:
            try:
                return self._summarised(loop, stretch.history, heads)
            except LoopFound as outer:
                loop = outer
        raise loop

    def _summarised(self, loop: LoopFound, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on, with the loop as one statement, or with few iterations executed one by one.  Where there are none, both
        reasons are given."""
        try:
            return self._summarise(loop, history, heads)
        except TooMuch:
            raise
        except NotLifted as failed:
            first, before = _head(loop, history)
            few = self._loops.few(first, loop.now) - self._loops.executed
            self._loops.executed.update(few)
            if not few and not (isinstance(failed, Carried) and self._begins_elsewhere(loop)):
                raise
            reason = str(failed)
        known = self.failures
        try:
            return self._explore(first, before, heads)
        except NotLifted as found:
            raise type(found)(both_reasons(reason, str(found))) from None
        finally:
            self.failures = {facts: why if facts in known else both_reasons(reason, why) for facts, why in self.failures.items()}

    def _begins_elsewhere(self, loop: LoopFound) -> bool:
        """Let no iteration begin where this one did, if there is another state in which it may."""
        begins, avoided = self._loops.begins, self._loops.avoided
        first, _ = _head(loop, loop.history)
        avoided.add(begins(first))
        self.failures = {facts: why for facts, why in self.failures.items() if facts[: len(first.facts)] != first.facts}
        return any(begins(point) not in avoided for serial, point in loop.history if serial > loop.serial)

    # loops

    def _summarise(self, loop: LoopFound, history: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on, with the loop as one statement.  Registers that turn out not to move linearly are taken to
        be unknown at the head, and the iteration is executed again."""
        first, _ = _head(loop, history)
        index = terms.sym(f"i{first.indices}", INDEX_WIDTH)
        where = self._loops.state_of(first)
        unknown = self._nonlinear.get(where, frozenset())
        while True:
            try:
                return self._attempt(loop, history, heads, index, unknown)
            except NotLinear as failed:
                if failed.index is not index:
                    raise
                stiff = self.machine.structure.machines - self.machine.structure.counters
                if failed.names & stiff or failed.names <= unknown:
                    raise NotLifted(f"{', '.join(sorted(failed.names))} does not change linearly in a loop") from failed
                unknown |= self.machine.structure.followers(failed.names) - stiff
                self._nonlinear[where] = unknown - (self.machine.structure.counters - self.machine.structure.sums)

    def _attempt(self, loop: LoopFound, history: History, heads: tuple[LoopHead, ...], index: Term, unknown: frozenset[str]) -> list[Path]:
        if len(heads) == MAX_DEPTH:
            raise NotLifted(f"loops nested deeper than {MAX_DEPTH}")
        first, before = _head(loop, history)
        kept = kept_predicate(first, loop.now)
        if kept is not None:
            return self._split(first, kept, before, heads)
        head, start = self._loops.generalise(first, loop.now, index, unknown)
        try:
            iteration = self._explore(start, (*before, (loop.serial, first)), (*heads, head))
        except Unchanging as found:
            if found.index is not index:
                raise
            return self._split(first, found.predicate, before, heads)
        again = [p for p in iteration if p.returns is index]
        if not again:
            raise NotLifted("a loop that does not lead back to its head for a symbolic index")
        decisions = again[0].facts[len(first.facts) :]
        invariant = next((p for p, _ in decisions if not terms.mentions(p, index)), None)
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
        return [closing.leave(first, path, head) for path in exits]

    def _split(self, first: Point, predicate: Term, before: History, heads: tuple[LoopHead, ...]) -> list[Path]:
        """The paths from the head of a loop on when a predicate that no iteration changes is decided before the loop."""
        return [path for branch in self._both_ways(first, predicate) for path in self._explore(branch, before, heads)]


def _head(loop: LoopFound, history: History) -> tuple[Point, History]:
    """The point where the first iteration of a loop begins, and those before it."""
    first = next(point for serial, point in history if serial == loop.serial)
    return first, tuple(entry for entry in history if entry[0] < loop.serial)
