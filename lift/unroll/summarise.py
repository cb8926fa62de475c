"""Loops of an execution as statements: the state at the head of iteration i, and from the paths of one symbolic iteration to those of all.

The argument is induction over the iterations.  At the head of iteration i a register holds its value at the first head (kept), that value moved
i steps (a counter), or something unknown (stale).  The first head is an instance of this for i = 0, and an iteration that leads from i to i + 1
keeps it; whatever depends on a stale value is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lift.unroll import terms
from lift.unroll.carried import carried, is_stale, loop_carried
from lift.unroll.closing import Closing, seen_outside
from lift.unroll.function import Loop
from lift.unroll.limits import NARROW
from lift.unroll.loops import INDEX_WIDTH, TripCount, trip_count
from lift.unroll.machine import Later, Machine, Value, term_of
from lift.unroll.paths import (
    Carried,
    History,
    LoopHead,
    NotLifted,
    NotLinear,
    Path,
    Point,
    conditions,
    describe,
    known_facts,
    stale,
    statement_terms,
)  # fmt: skip
from lift.unroll.progression import last_of, moves, progression, same_sum, step_between
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import FALSE, TRUE, Term


@dataclass(frozen=True, slots=True)
class Summary:
    """What the loops of one machine have in common; `control` are the registers whose values must stay concrete, `executed` counters whose loops
    are executed iteration by iteration, `avoided` the states in which no iteration is taken to begin."""

    machine: Machine
    control: frozenset[str]
    executed: set[str] = field(default_factory=set)
    avoided: set[object] = field(default_factory=set)
    _states: tuple[str, ...] = field(init=False)
    _counters: tuple[str, ...] = field(init=False)
    _free: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        counters = self.machine.structure.counters
        object.__setattr__(self, "_states", tuple(n for n in self.control - counters if self._is_state(n)))
        object.__setattr__(self, "_counters", tuple(self.control & counters))
        object.__setattr__(self, "_free", tuple(counters - self.control))

    def version(self) -> tuple[int, int]:
        """Another one where the same point may be the head of another loop."""
        return len(self.executed), len(self.avoided)

    def same_control(self, now: Point, history: History) -> int | None:
        """The point of `history`, between which and `now` is a fork, in the same control state but for the fewest counters; the latest of several."""
        best: tuple[int, int] | None = None
        if self.avoided and self.begins(now) in self.avoided:
            return None
        for serial, earlier in reversed(history):
            moved = self.moved(earlier, now)
            if not moved <= self.executed and (best is None or len(moved) < best[0]):
                best = (len(moved), serial)
        return best[1] if best else None

    def moved(self, earlier: Point, now: Point) -> frozenset[str]:
        """The counters that differ; none when anything else of the control state differs."""
        before, after = earlier.state.registers, now.state.registers
        for name in self._states:
            a, b = before[name], after[name]
            if a is not b and term_of(a).is_const and term_of(b).is_const:
                return frozenset()
        moved: set[str] = set()
        for name in self._counters:
            a, b = before[name], after[name]
            if a is b:
                continue
            if self._step(name, term_of(a), term_of(b)) is not None:
                moved.add(name)
            elif name in self.machine.structure.machines:  # others accumulate data, or are addresses that are set and then count
                return frozenset()
        moved |= {n for n in self._free if before[n] is not after[n] and moves(before[n], after[n])}
        return frozenset(moved if all(earlier.inputs[i] is t or not t.is_const for i, t in now.inputs.items()) else ())

    def few(self, first: Point, now: Point) -> frozenset[str]:
        """The counters of a loop that cannot have many iterations because all that it moves is narrow; else none."""
        moved = self.moved(first, now)
        return moved if all(self.machine.netlist.registers[n].width <= NARROW for n in moved) else frozenset()

    def state_of(self, point: Point) -> tuple[Term, ...]:
        """The states of the finite-state machines."""
        return tuple(point.state.value(n) for n in sorted(self.machine.structure.machines - self.machine.structure.counters))

    def begins(self, point: Point) -> object:
        """The states of the finite-state machines, and the inputs that say something."""
        return self.state_of(point), frozenset(i for i, t in point.inputs.items() if t is TRUE)

    def _step(self, name: str, a: Term, b: Term) -> Term | None:
        """By how much a counter has moved: by a constant, but for running sums."""
        step = step_between(a, b)
        return step if step is not None and (step.is_const or name in self.machine.structure.sums) else None

    def _is_state(self, name: str) -> bool:
        """Is it the state of a finite-state machine, rather than a flag or an operand that is latched?"""
        structure = self.machine.structure
        return name in structure.machines or (self.machine.netlist.registers[name].width > 1 and name not in structure.latches)

    def generalise(self, first: Point, now: Point, index: Term, unknown: frozenset[str]) -> tuple[LoopHead, Point]:
        """The state at the head of iteration `index`: counters and values in linear progression, values that moved otherwise unknown."""
        registers: dict[str, Value] = {}
        expected: dict[str, Term] = {}
        counting: set[str] = set()
        for name, a in first.state.registers.items():
            b = now.state.registers[name]
            if name not in unknown and (a is b or self._settled(a, b, now)):
                registers[name] = a
                continue
            start = term_of(a) if name in self.machine.structure.counters and name not in unknown else None
            step = self._step(name, start, term_of(b)) if start is not None else None
            if start is None or step is None:
                registers[name] = stale(name, self.machine.netlist.registers[name].width, index)
                continue
            counting |= {name} if step.is_const else set()
            registers[name] = progression(start, step, index)
            expected[name] = progression(start, step, terms.apply("add", INDEX_WIDTH, (index, terms.const(1, INDEX_WIDTH))))
        inputs = {n: t if first.inputs[n] is t else stale(n, t.width, index) for n, t in now.inputs.items()}
        state = self.machine.changed(first.state, registers)
        start = replace(first, state=state, inputs=inputs, statements=(), assumptions=(), indices=first.indices + 1)
        return LoopHead(index, expected, frozenset(counting), start, now), start

    def _settled(self, before: Value, after: Value, now: Point | Path) -> bool:
        """Is a value the constant that it is under the facts, rather than another one?"""
        if not isinstance(before, Term) or not isinstance(after, Term):
            return False
        return after.is_const and not before.is_const and self._equal(before, after, now)

    def is_head(self, now: Point, head: LoopHead) -> bool:
        """Is this the head of the next iteration?  Raises NotLinear when it is but for registers that are no finite-state machines or counters."""
        doubtful: list[tuple[str, Term, Term]] = []
        differing: set[str] = set()
        for name in self.control:
            value = now.state.value(name)
            wanted = head.expected.get(name) or head.point.state.value(name)
            if value is wanted or is_stale(wanted, head.index):
                continue
            if name not in head.expected and value.is_const == wanted.is_const:
                if name in self.machine.structure.machines:
                    return False
                differing.add(name)
                continue
            doubtful.append((name, value, wanted))
        if now.cycles <= head.point.cycles or any(t is not now.inputs[n] and t.is_const for n, t in head.point.inputs.items()):
            return False
        differing |= {name for name, value, wanted in doubtful if not self._equal(value, wanted, now)}
        settled = {n for n in differing if head.now.state.registers[n] is now.state.registers[n]}  # other at the first head only
        firm = (self.machine.structure.machines | head.counting) - settled
        if differing and not differing & firm and not head.counting <= differing:
            raise NotLinear(differing, head.index)
        return not differing

    def _equal(self, a: Term, b: Term, now: Point | Path) -> bool:
        if a.is_const and b.is_const:
            return False
        return same_sum(a, b) or implied([*conditions(now.facts), *now.domain], terms.equal(a, b)) is Verdict.PROVED

    def guided(self, predicate: Term, head: LoopHead) -> bool | None:
        """What the first iteration of a loop decided where this one comes to `predicate`; None when that is not known, or when the predicate
        is the same in all iterations."""
        if not terms.mentions(predicate, head.index):
            return None
        then = terms.substitute(predicate, {head.index: terms.const(0, INDEX_WIDTH)})
        then = known_facts(head.now.facts).get(then, then)
        if then.is_const:
            return bool(then.attr)
        known = [*conditions(head.now.facts), *head.now.domain]
        return next((holds for holds in (True, False) if implied(known, then if holds else terms.negate(then)) is Verdict.PROVED), None)

    def unchanging(self, predicate: Term, head: LoopHead) -> bool:
        """Is it a decision of the first iteration of a loop that depends on nothing that iterations change?"""
        decided = head.now.facts[len(head.point.facts) :]
        return any(p is predicate for p, _ in decided) and not terms.mentions(predicate, head.index) and not carried([predicate], head.index)

    def closing(self, first: Point, head: LoopHead, iteration: list[Path]) -> Closing:
        """How a loop ends, from the paths of one symbolic iteration: the one way back to the head, and those that leave it."""
        again = [p for p in iteration if p.returns is head.index]
        if len(again) != 1:
            raise NotLifted(f"a loop with {len(again)} ways back to its head")
        back = again[0]
        decisions = back.facts[len(first.facts) :]
        self._check_invariants(head, back)
        if any(terms.mentions(d, head.index) for d in back.domain):
            raise NotLifted("an inner loop whose trip count depends on the index of the outer one")
        for position, (predicate, holds) in enumerate(decisions):
            known = [*conditions(first.facts), *first.domain]
            trips = trip_count(terms.negate(predicate) if holds else predicate, head.index, self._counter_range(head), known)
            if trips is not None and self._only_way_out(first, head, decisions, position, trips):
                facts = (*back.facts[: len(first.facts) + position], (predicate, not holds))
                exits = next((p for p in iteration if p.open and seen_outside(p) == facts), None)
                if exits is None:
                    raise NotLifted("a loop whose last iteration was not followed")
                domain = (*back.domain, trips.domain)
                loop = Loop(head.index, trips.count, back.statements)
                assumed = (*back.assumptions, *loop_carried(back.statements, head))
                return Closing(loop, trips, exits, domain, assumed, facts)
        ends = " or ".join(describe(terms.negate(p) if h else p) for p, h in decisions)
        raise NotLifted(f"a loop whose trip count was not found: it ends when {ends}")

    def _only_way_out(self, first: Point, head: LoopHead, decisions: tuple[tuple[Term, bool], ...], chosen: int, trips: TripCount) -> bool:
        """Do all other decisions of an iteration follow from the chosen one not ending the loop?"""
        last = last_of(trips.count)
        for position, (predicate, holds) in enumerate(decisions):
            if position != chosen:
                reached = terms.apply("ule" if position < chosen else "ult", 1, (head.index, last))
                known = [*conditions(first.facts), *first.domain, trips.domain, reached]
                if implied(known, predicate if holds else terms.negate(predicate)) is not Verdict.PROVED:
                    return False
        return True

    def _counter_range(self, head: LoopHead) -> int:
        return min((1 << head.expected[n].width for n in head.expected if n in self.control), default=1 << INDEX_WIDTH)

    def _check_invariants(self, head: LoopHead, back: Path) -> None:
        """No effect of the iteration may depend on a value that was unknown at its head, and every linear value must have moved as expected."""
        final = back.final.registers
        kept = {n: t for n, t in head.point.state.registers.items() if n not in head.expected and not is_stale(t, head.index)}
        changed = {n for n, t in kept.items() if final[n] is not t and (isinstance(final[n], Later) or term_of(final[n]) is not term_of(t))}
        wrong = {n for n in changed if not self._settled(kept[n], final[n], back)}
        wrong |= {n for n, t in head.expected.items() if final[n] is not t and not self._equal(term_of(final[n]), t, back)}
        if wrong:
            raise NotLinear(wrong, head.index)
        unknown = carried([root for s in back.statements for root in statement_terms(s)], head.index)
        if unknown:
            raise Carried(f"an effect of a loop depends on {', '.join(unknown)}, carried from one iteration to the next")


def kept_predicate(first: Point, now: Point) -> Term | None:
    """A predicate that the first iteration forked on and that a register holds throughout."""
    decided = dict(now.facts[len(first.facts) :])
    for name, value in first.state.registers.items():
        if isinstance(value, Term) and value in decided and now.state.registers[name] is (TRUE if decided[value] else FALSE):
            return value
    return None
