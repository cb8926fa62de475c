"""One execution of an instruction: every path of it from the state at rest, with some registers taken for symbols and some for equal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from lift.discover.alike import equally
from lift.discover.commands import PayloadSlice
from lift.discover.contract import Contract
from lift.discover.ends import Moved, Split, compares, completed, or_unknown
from lift.discover.environment import Surroundings
from lift.discover.opcodes import Opcode, bits
from lift.discover.rest import own, rest
from lift.discover.unit import WAITS, Execution, Same
from lift.unroll import terms
from lift.unroll.budget import Budget
from lift.unroll.explore import Explorer
from lift.unroll.machine import Machine, State
from lift.unroll.paths import Facts, NotLifted, Path, TooMuch, conditions
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import FALSE, Term

Choice = tuple[tuple[str, int], ...]


def choices(toggles: Iterable[str]) -> list[Choice]:
    """Every value of some ping-pong bits."""
    result: list[Choice] = [()]
    for name in toggles:
        result = [(*chosen, (name, bit)) for chosen in result for bit in (0, 1)]
    return result


@dataclass(frozen=True)
class Resting:
    """The states in which instructions of a unit begin.  `idle`: its registers after reset; `inputs`: its inputs while nothing happens; `constant`: the
    registers with a constant idle value; `followers`: those that are functions of others at rest."""

    machine: Machine
    contract: Contract
    idle: dict[str, Term]
    inputs: dict[str, Term]
    followers: frozenset[str]
    constant: frozenset[str]
    _known: dict[tuple[Choice, frozenset[str], frozenset[tuple[str, str]]], State] = field(default_factory=dict)

    def start(self, name: str, same: Same) -> Term:
        """The symbol of a register at the start: that of the one that it equals."""
        return own(same.get(name, name), self.idle[name])

    def state(self, chosen: Choice, assumed: frozenset[str], same: Same) -> State:
        """The state at rest with ping-pong bits at given values and the other architectural registers symbolic."""
        key = (tuple(sorted(chosen)), assumed, frozenset(same.items()))
        if key not in self._known:
            bits = {n: terms.const(v, 1) for n, v in chosen}
            given = {n: bits.get(same.get(n, n), self.start(n, same)) for n in assumed}
            self._known[key] = rest(self.machine, self.idle, self.inputs, given)
        return self._known[key]

    def toggles(self, assumed: frozenset[str], same: Same) -> list[str]:
        """The ping-pong bits that are decided before an execution."""
        return sorted((self.machine.structure.toggles & assumed) - same.keys())


@dataclass
class Attempt:
    """What one execution takes as given.  `assumed`: the registers that are architectural; `same`: those that equal another one; `sought`: a subcode by
    which the command may be split; `guessing`: a path that shows more registers to be architectural ends it."""

    resting: Resting
    code: Opcode
    assumed: frozenset[str]
    same: Same
    sought: PayloadSlice | None
    guessing: bool

    def __post_init__(self) -> None:
        self.idle = self.resting.idle
        self.structure = self.resting.machine.structure

    def run(self, budget: Budget, hopeless: dict[Facts, str]) -> Execution:
        """All paths of the instruction from the state at rest; `hopeless`: conditions under which there are none, and why.  A ping-pong bit (a one-bit register
        that depends on itself) is decided beforehand, one execution for each value.  Where a path shows that more registers are architectural, the others
        are not followed."""
        machine, resting = self.resting.machine, self.resting
        control = frozenset(self.structure.control & resting.constant)
        surroundings = Surroundings(machine.netlist, resting.contract, self.code.payload, {n: self.idle[n] for n in self._stiff()})
        execution = partial(Execution, self.code, assumed=self.assumed, same=dict(self.same))
        reason = ""
        for lazy in (True, False):
            flags = frozenset(n for n in control & self.structure.deciding if self.idle[n] is FALSE) - self.structure.toggles - self.assumed
            explorer = Explorer(machine, surroundings, control, lazy, flags=flags, hopeless=dict(hopeless), budget=budget)
            explorer.ended = partial(self._check_end, explorer)
            try:
                paths = self._decided(explorer, resting.toggles(self.assumed, self.same), ())
                kept, waiting, stuck = self._returned(paths, explorer.raised)
                failures = (*explorer.failures.items(), *waiting)
                return execution(kept, frozenset(explorer.reads), excluded=failures, stuck=stuck)
            except Split:
                return execution((), frozenset(explorer.reads), split=True)
            except Moved as shown:
                return execution((), frozenset(explorer.reads), moved=shown.names, alike=shown.alike)
            except NotLifted as found:
                reason = reason or str(found)
                if isinstance(found, TooMuch):
                    break
        return execution((), frozenset(explorer.reads), opaque=reason)

    def _check_end(self, explorer: Explorer, path: Path) -> None:
        """Raises Split where it is decided by the subcode that is sought; Moved where a register that was not symbolic ends with another constant than
        it began with, and the control is idle."""
        if self.sought is not None and compares([p for p, _ in path.facts], bits(self.code, self.sought)):
            raise Split
        waits = any(path.final.registers[n] is not self.idle[n] for n in (*self._stiff(), *explorer.raised))
        if not self.guessing or waits:
            return
        finals = {n: path.final.registers[n] for n in self.resting.constant - self.resting.followers - self.assumed}
        moved = {n for n, final in finals.items() if isinstance(final, Term) and final.is_const and final is not self.idle[n]}
        if moved and moved.isdisjoint(explorer.flags):
            movers = self.structure.counters | self.structure.toggles
            raise Moved(frozenset(moved), equally((self.idle[n], finals[n], n) for n in sorted(moved & movers)))

    def _returned(self, paths: list[Path], raised: set[str]) -> tuple[tuple[Path, ...], list[tuple[Facts, str]], tuple[Term, ...]]:
        """The paths that come back to the idle state of the control, with what is known of their ends, and the conditions of those that wait
        for something that the contract does not give: flags that others have `raised` and taken back are up; `Execution.stuck` of these.  Raises
        NotLifted when none comes back."""
        free = (self.structure.control - self.structure.counters) & self.resting.constant - self.assumed
        answered = completed([self._resolved(p) for p in paths], sorted(free), self.idle)
        stiff = [*self._stiff(), *sorted(n for n in raised if any(p.final.value(n) is self.idle[n] for p in answered))]
        kept: list[Path] = []
        waiting: list[tuple[Facts, str]] = []
        shown: list[Term] = []
        for path in answered:
            if path.answers and sum(p.facts == path.facts for p in answered) > 1:
                waiting.append((path.facts, "what it does depends on what a neighbour answers"))
                continue
            ends = {n: path.final.value(n) for n in stiff}
            stuck = [n for n, end in ends.items() if end is not self.idle[n] and not (n in raised and end is own(n, end))]
            if stuck:
                waiting.append((path.facts, f"{WAITS}: {', '.join(dict.fromkeys(stuck[:3]))}"))
                shown += [*path.domain, *(ends[n] for n in stuck)]
            else:
                kept.append(path)
        if waiting and not kept:
            raise NotLifted(waiting[0][1])
        return tuple(kept), waiting, tuple(dict.fromkeys(shown))

    def _stiff(self) -> list[str]:
        """The flags and states of the control that have one value whenever no command is under way."""
        structure = self.structure
        flags = structure.machines - structure.toggles - structure.counters - structure.shifts - self.resting.followers
        return sorted(flags & self.resting.constant - self.assumed)

    def _resolved(self, path: Path) -> Path:
        """`path` with the idle value for registers of the control that must have it at the end."""
        found = {}
        for name in self.structure.control & self.resting.constant:
            value = path.final.registers[name]
            if isinstance(value, Term) and not value.is_const and value.op not in ("sym", "load"):
                known = [*conditions(path.facts), *path.domain]
                if implied(known, terms.equal(value, self.idle[name])) is Verdict.PROVED:
                    found[name] = self.idle[name]
        return replace(path, final=replace(path.final, registers={**path.final.registers, **found})) if found else path

    def _decided(self, explorer: Explorer, toggles: list[str], chosen: Choice) -> list[Path]:
        """The paths for both values of the first bit.  When the execution with 0 neither looked at nor moved any register that is another at
        rest with 1, the execution with 1 is the same."""
        if not toggles:
            return self._from_start(explorer, chosen)
        name, others = toggles[0], toggles[1:]
        low = self._decided(explorer, others, (*chosen, (name, 0)))
        copies = [self._with_bit(explorer, p, name) for p in low]
        if all(copies):
            return low + [p for p in copies if p]
        return low + self._decided(explorer, others, (*chosen, (name, 1)))

    def _with_bit(self, explorer: Explorer, path: Path, name: str) -> Path | None:
        """A path for a ping-pong bit of 0 as the path for 1, if it does not depend on it."""
        chosen = tuple((str(p.attr), int(h)) for p, h in path.facts if p.op == "sym" and p.attr in self.structure.toggles & self.assumed)
        low = self._rest(chosen)
        high = self._rest(tuple((n, 1 if n == name else v) for n, v in chosen))
        differing = {n for n, t in high.registers.items() if t is not low.registers[n]}
        if differing & (explorer.reads | explorer.evaluated) or low.active != high.active:
            return None
        registers = {n: high.registers[n] if n in differing and t is low.registers[n] else or_unknown(n, t, high) for n, t in path.final.registers.items()}
        facts = tuple((p, h or p is terms.sym(name, 1)) for p, h in path.facts)
        return replace(path, facts=facts, final=replace(path.final, registers=registers))

    def _from_start(self, explorer: Explorer, chosen: Choice) -> list[Path]:
        facts = tuple((terms.sym(n, 1), bool(v)) for n, v in chosen)
        given = tuple((t, False) for t in self.code.excluded)
        return [replace(p, facts=facts + p.facts) for p in explorer.run(self._rest(chosen), given)]

    def _rest(self, chosen: Choice) -> State:
        return self.resting.state(chosen, self.assumed, self.same)
