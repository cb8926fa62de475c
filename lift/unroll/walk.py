"""Symbolic execution along one path, cycle by cycle, up to its next event: it forks, closes a loop, ends, or violates an assertion of the design.

Control is kept concrete: where the next value of a control register depends on a predicate, the path forks on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

from lift.unroll import terms
from lift.unroll.budget import Budget, of_instruction
from lift.unroll.choices import choice, deciding, is_plain, undecided
from lift.unroll.function import Store
from lift.unroll.join import decided
from lift.unroll.limits import MAX_CYCLES, MAX_PATHS, MAX_STRETCHES, MAX_TOTAL, OFTEN, SOON, writes
from lift.unroll.machine import Cycle, Machine
from lift.unroll.memory import with_moved
from lift.unroll.paths import Environment, History, LoopFound, LoopHead, NotLifted, Path, Point, Stretch, TooMuch, known_facts, resolved
from lift.unroll.progression import moves
from lift.unroll.summarise import Summary
from lift.unroll.terms import TRUE, Term


@dataclass(slots=True)
class Walker:
    """One machine.  `control`: registers whose values must stay concrete; `reads` and `evaluated` collect what was looked at; `raised` those of
    `flags` (one bit each, of the control) that were 1; `budget`: what it may cost, by default that of one instruction."""

    machine: Machine
    environment: Environment
    control: frozenset[str]
    lazy: bool = True
    reads: set[str] = field(default_factory=set)
    evaluated: set[str] = field(default_factory=set)
    flags: frozenset[str] = frozenset()
    raised: set[str] = field(default_factory=set)
    budget: Budget | None = None
    _serials: count[int] = field(default_factory=count)
    _paths: int = 0
    _stretches: int = 0
    _total: int = 0
    _budget: Budget = field(init=False)
    _writes: int = field(init=False)
    _loops: Summary = field(init=False)

    def __post_init__(self) -> None:
        self._budget = self.budget or of_instruction(self.machine)
        self._writes = writes(len(self.machine.netlist.registers))
        self._loops = Summary(self.machine, self.control)

    def _stretch(self, point: Point, history: History, heads: tuple[LoopHead, ...]) -> Stretch:
        """Execute until the path forks, ends, or comes back to a control state."""
        self._stretches += 1
        self._total += 1
        self._budget.piece()
        if self._stretches > MAX_STRETCHES or self._total > MAX_TOTAL:
            raise TooMuch(f"more than {MAX_STRETCHES} pieces of path")
        own: list[int] = []
        behind = tuple(entry for entry in history if len(entry[1].facts) < len(point.facts))
        earlier_on = point
        while True:
            if point.cycles > MAX_CYCLES:
                raise TooMuch(f"not idle after {MAX_CYCLES} cycles")
            if len(point.state.log) > self._writes:
                raise TooMuch(f"not idle after {self._writes} writes outside loops")
            serial = next(self._serials)
            own.append(serial)
            history = (*history, (serial, point))
            cycle = self._cycle(point)
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
            if self._at_rest(earlier_on, following):
                raise TooMuch(f"it does not come to rest: after {following.cycles} cycles it is where it was after {earlier_on.cycles}")
            if len(own).bit_count() == 1:  # Brent's way to find a period
                earlier_on = following
            if len(own) % OFTEN == 0 and (counter := self._counts_for_ever(point, following)):
                raise TooMuch(f"it does not come to rest: {counter} counts for ever")
            earlier = self._loops.same_control(following, behind)
            if earlier is not None and not self._comes_to_rest(following):
                return Stretch(history, own, LoopFound(self._head_of(earlier, following, history), following, history))
            point = following

    def _cycle(self, point: Point) -> Cycle:
        self._budget.cycle()
        return self.machine.cycle(point.state, point.inputs, known_facts(point.facts), self.lazy, self.control)

    def _comes_to_rest(self, point: Point) -> bool:
        """Is this no head of another iteration, but a machine that does nothing more?  (A queue that has run empty, say.)"""
        for _ in range(SOON):
            cycle = self._cycle(point)
            if self._fork_on(cycle) is not None:
                return False
            following = self._advance(point, cycle)
            if self._at_rest(point, following):
                return True
            point = following
        return False

    def _counts_for_ever(self, point: Point, following: Point) -> str | None:
        """A counter that moves by a constant from one cycle to the next, while nothing but counters moves, whatever their values are: by induction it
        never stops."""
        moved = _moved(point, following)
        if moved is None or not moved <= self.machine.structure.counters:
            return None
        values = {n: terms.sym(n, self.machine.netlist.registers[n].width) for n in moved}
        general = replace(following, state=self.machine.changed(following.state, values))
        cycle = self._cycle(general)
        if self._fork_on(cycle) is not None:
            return None
        later = self._advance(general, cycle)
        also = _moved(general, later)
        return next((n for n in sorted(moved) if moves(values[n], later.state.registers[n])), None) if also is not None and also <= moved else None

    def _head_of(self, serial: int, now: Point, history: History) -> int:
        """The point at which an iteration begins that leads from point `serial` to `now`: before the decisions of that clock edge that the next
        iteration takes anew."""
        number = next(n for n, (s, _) in enumerate(history) if s == serial)
        while number and history[number - 1][1].cycles == history[number][1].cycles:
            before, decided = history[number - 1][1], history[number][1].facts
            if len(decided) != len(before.facts) + 1:
                break
            cycle = self._cycle(replace(now, facts=before.facts))
            if self._fork_on(cycle) in (None, decided[-1][0]):
                break
            number -= 1
        return history[number][0]

    def _finish(self, point: Point, returns: Term | None) -> Path:
        self._paths += 1
        if self._paths > MAX_PATHS:
            raise NotLifted(f"more than {MAX_PATHS} paths")
        assumptions = with_moved(point.assumptions)
        return Path(point.facts, point.statements, point.state, point.inputs, assumptions, point.domain, point.cycles, returns, indices=point.indices)

    def _fork_on(self, cycle: Cycle) -> Term | None:
        """The predicate on which the next control state depends, if any."""
        for term in self.environment.predicates(cycle):
            if not term.is_const and (predicate := undecided(term, cycle.facts, deciding)) is not None:
                return predicate
        for name in sorted(cycle.moving() & self.control):
            if (predicate := undecided(cycle.next_of(name), cycle.facts, choice)) is not None:
                return predicate
        return None

    def _asserted(self, point: Point, cycle: Cycle, heads: tuple[LoopHead, ...]) -> list[Term] | None:
        """What the design's assertions say of this cycle that is not known yet; None when it cannot be.  What they say of a single iteration
        of a loop is left out."""
        read, cycle.reads = cycle.reads, set()
        values = [cycle.value(a.holds) for a in self.machine.netlist.assertions]
        cycle.reads = read
        new = [t for t in dict.fromkeys(values) if t is not TRUE and t not in point.domain and not any(terms.mentions(t, h.index) for h in heads)]
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
            known = resolved(state, predicate, following.active & self.control) if holds else {}
            state = self.machine.changed(state, known) if known else state
        assumed = tuple(a for a in cycle.assumptions if a not in point.assumptions)
        statements, assumptions = point.statements + stores, point.assumptions + assumed
        return replace(point, state=state, inputs=inputs, statements=statements, assumptions=assumptions, cycles=point.cycles + 1)

    def _at_rest(self, point: Point, following: Point) -> bool:
        """Nothing changed in this cycle: it will not in any later one."""
        before, after = point.state, following.state
        return point.inputs == following.inputs and len(before.log) == len(after.log) and before.registers == after.registers


def _moved(point: Point, following: Point) -> set[str] | None:
    """The registers that a cycle changes; None where inputs or memories change as well."""
    if point.inputs != following.inputs or len(point.state.log) != len(following.state.log):
        return None
    return {n for n, value in following.state.registers.items() if value is not point.state.registers[n]}
