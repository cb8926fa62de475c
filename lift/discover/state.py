"""Architectural state, by a fixed point: start with none; run every instruction from the idle state to rest; a register whose final value
differs from its idle value becomes architectural (symbolic at the start); repeat until nothing new changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from lift.discover.alike import classes, equally, steady, with_guess
from lift.discover.commands import Decoder, PayloadSlice
from lift.discover.constants import put_in, same_start
from lift.discover.contract import Contract
from lift.discover.ends import Moved, Split, compares, completed, or_unknown
from lift.discover.environment import Surroundings
from lift.discover.events import events, posted
from lift.discover.opcodes import Opcode, bits, opcode, other_subcodes, others, rank
from lift.discover.recorders import RECORDED
from lift.discover.rest import own, rest, roles, settle
from lift.discover.unit import WAITS, Execution, Same, Unit
from lift.errors import UserError
from lift.unroll import terms
from lift.unroll.budget import Budget, of_instruction, of_unit
from lift.unroll.explore import Explorer
from lift.unroll.machine import Machine, State
from lift.unroll.paths import Facts, NotLifted, Path, TooMuch, conditions
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import FALSE, Term


def find(
    machine: Machine,
    contract: Contract,
    decoder: Decoder,
    progress: Callable[[str], None] = lambda _: None,
    kind: type[_Search] | None = None,
    sharing: int = 1,
) -> Unit:
    """Run the fixed point over all instructions of `decoder`; `kind`: a search that remembers executions, if there is one; `sharing`: so many units share
    the budget of one."""
    if contract.command is None:
        raise UserError(None, f"no command port was found in {machine.netlist.top}", "name it in a descriptor (--descriptor)")
    contract = replace(contract, quiet=tuple(sorted({*contract.quiet, *events(machine, contract)})))
    idle = settle(machine, Surroundings(machine.netlist, contract, None))
    search = (kind or _Search)(machine, contract, decoder, idle, progress, sharing)
    search.run()
    return Unit(machine, contract, idle, frozenset(search.architectural), search.executions, search.rounds, search.same, search.budget.spent)


Choice = tuple[tuple[str, int], ...]


def choices(toggles: Iterable[str]) -> list[Choice]:
    """Every value of some ping-pong bits."""
    result: list[Choice] = [()]
    for name in toggles:
        result = [(*chosen, (name, bit)) for chosen in result for bit in (0, 1)]
    return result


class _Search:
    """The fixed point.  `architectural` begins with every register that could keep a value; those that no instruction changes are taken
    out once, those that turn out to change are put in; `executions` are redone until they have assumed what is true."""

    def __init__(self, machine: Machine, contract: Contract, decoder: Decoder, idle: dict[str, Term], progress: Callable[[str], None], sharing: int) -> None:
        self.machine, self.contract, self.decoder, self.idle, self.progress = machine, contract, decoder, idle, progress
        self.constant = frozenset(n for n, t in idle.items() if t.is_const)
        self.inputs = Surroundings(machine.netlist, contract, None).idle()
        found = roles(machine, idle, self.inputs)
        self.followers = found.followers
        held = found.holders - machine.structure.counters - frozenset(contract.waiting)
        self.architectural: set[str] = {n for n in held if not n.endswith(RECORDED)}  # pointers move together
        self.architectural |= posted(machine, contract, idle)
        self.executions: dict[str, Execution] = {}
        self.rounds = 0
        self.same: Same = {}
        self.sought: PayloadSlice | None = None  # the subcode by which the command that is executed may be split
        self.guessing = not any(a.late for a in contract.answers)  # that what one path changes is state
        self.budget = of_unit(machine, sharing)
        self._grouped: dict[str, str] = {}
        self._rests: dict[tuple[Choice, frozenset[str]], State] = {}

    def run(self) -> None:
        pending = codes = self._codes()
        settled = False
        while pending or not settled:
            self.rounds += bool(pending)
            for code in pending:
                self._execute_and_note(code)
            pending = [c for c in codes if self._outdated(self.executions[c.name])]
            if not pending and not settled:
                settled = True
                self.architectural &= {n for e in self.executions.values() for n in self._changed(e)}
                paths = (p for e in self.executions.values() for p in e.paths)
                self.architectural -= steady(paths, {n: (self.idle[n], self._start(n, self.idle[n])) for n in self.architectural})
                pending = [c for c in codes if self._outdated(self.executions[c.name])]

    def _classes(self) -> Same:
        """What equals what after the executions so far."""
        movers = (self.machine.structure.counters | self.machine.structure.toggles) & self.architectural & self.constant - self.followers
        paths = [p for e in self.executions.values() for p in e.paths]
        return classes(movers, self.idle, paths, self._grouped) if paths else self.same

    def _start(self, name: str, value: Term) -> Term:
        """The symbol of a register at the start: that of the one that it equals."""
        return own(self.same.get(name, name), value)

    def _codes(self) -> list[Opcode]:
        """The named opcodes, split by the subcodes that their execution looks at."""
        assert self.contract.command is not None
        widths = {word: self.machine.netlist.inputs[port] for word, port in self.contract.command.words.items()}
        part, result = self.decoder.opcode, list[Opcode]()
        if part is None:
            result = [opcode(name, widths, ()) for name in self.decoder.names.values()]
        else:
            result = self._named(part, widths) + ([others(self.decoder, widths)] if self.decoder.others else [])
        for code in result:
            if code.name not in self.executions:
                self._execute_and_note(code)
        return result

    def _named(self, part: PayloadSlice, widths: dict[str, int]) -> list[Opcode]:
        result = []
        for value, name in sorted(self.decoder.names.items()):
            base = opcode(name, widths, ((part.word, part.low, part.width, value),))
            known = sorted(self.decoder.subcodes.items(), key=partial(rank, name), reverse=True)
            self.sought = known[0][0] if known else None
            execution = self._completed(base)
            self.sought = None
            subcodes = known[:1] if execution.split else [s for s in known if self._looks_at(execution, bits(base, s[0]))]
            if not subcodes:
                self._note(name, execution)
                result.append(base)
                continue
            sub, labels = subcodes[0]
            for number, label in sorted(labels.items()):
                full = label if label.startswith(name + "_") else f"{name}_{label}"
                result.append(opcode(full, widths, (*base.fixed, (sub.word, sub.low, sub.width, number))))
            rest = other_subcodes(name, widths, base.fixed, sub, labels)
            result += [rest] if rest is not None else []
        return result

    def _looks_at(self, execution: Execution, part: Term) -> bool:
        """Does a fork or a changed register compare this slice with a constant?"""
        roots = [p for path in execution.paths for p, _ in path.facts]
        roots += [path.final.value(n) for path in execution.paths for n in self.constant if not path.final.value(n).is_const]
        return compares(roots, part)

    def _outdated(self, execution: Execution) -> bool:
        """Did it take a register for a constant that is not one, or look at one that is, as a symbol?"""
        wrong = self.architectural - execution.assumed or (execution.assumed - self.architectural) & execution.reads
        return execution.same != self.same or bool(wrong)

    def _changed(self, execution: Execution) -> set[str]:
        """Registers that do not end with the value that they began with.  Followers are left out: at rest they are functions of the others."""
        changed: set[str] = set()
        for path in execution.paths:
            chosen = dict(path.facts)
            for name in self.constant - self.followers:
                final = path.final.value(name)
                start = own(execution.same.get(name, name), final)
                kept = final is start or (name not in execution.assumed and final is self.idle[name])
                if not kept and not (final.is_const and start in chosen and final.attr == int(chosen[start])):
                    changed.add(name)
        return changed

    def _execute_and_note(self, code: Opcode) -> None:
        known = self.executions.get(code.name)
        if known is None or self._outdated(known):
            self.progress(code.name)
            self._note(code.name, (known and self._with_constants(known)) or self._completed(code))

    def _with_constants(self, known: Execution) -> Execution | None:
        """An execution with idle values for registers that it took for state, which are none; None where that may change its course."""
        now = frozenset(self.architectural)
        names = known.assumed - now
        movers = self.machine.structure.counters | self.machine.structure.toggles
        if now - known.assumed or known.same != self.same or names & movers:
            return None
        values = {self._start(n, self.idle[n]): self.idle[n] for n in names}
        starts = [(self._at_rest(chosen, known.assumed), self._at_rest(chosen, now)) for chosen in choices(self._toggles(now))]
        return put_in(known, values, names) if all(same_start(before, after, values) for before, after in starts) else None

    def _toggles(self, assumed: frozenset[str]) -> list[str]:
        """The ping-pong bits that are decided before an execution."""
        return sorted((self.machine.structure.toggles & assumed) - self.same.keys())

    def _note(self, name: str, execution: Execution) -> None:
        self.executions[name] = execution
        self.architectural |= self._changed(execution)
        self.same = self._classes()

    def _completed(self, code: Opcode) -> Execution:
        """All paths of one instruction from the idle state with the architectural registers symbolic: the present ones, and those that one of its
        paths shows to be so, if they are in the end."""
        before = frozenset(self.architectural)
        while (execution := self._execute(code)).moved:
            self.architectural |= execution.moved
            self.same = with_guess(execution.alike, self.same, self._grouped)
        guessed = self.architectural - before
        self.architectural = set(before)
        if not execution.split and not guessed <= self._changed(execution):
            self.guessing = False
            execution = self._execute(code)
            self.guessing = True
        return execution

    def _execute(self, code: Opcode) -> Execution:
        budget = of_instruction(self.machine, self.budget)
        return replace(self._within(budget, code), steps=budget.spent)

    def _within(self, budget: Budget, code: Opcode) -> Execution:
        """All paths of one instruction from the idle state with the present architectural registers symbolic.  A ping-pong bit (a one-bit
        register that depends on itself) is decided beforehand, one execution for each value.  Where a path shows that more registers are
        architectural, the others are not followed."""
        assumed = frozenset(self.architectural)
        control = frozenset(self.machine.structure.control & self.constant)
        surroundings = Surroundings(self.machine.netlist, self.contract, code.payload, {n: self.idle[n] for n in self._stiff()})
        known = self.executions.get(code.name)
        for lazy in (True, False):
            hopeless = {f: why for f, why in known.excluded if not why.startswith(WAITS)} if known else {}
            flags = frozenset(n for n in control & self.machine.structure.deciding if self.idle[n] is FALSE) - self.machine.structure.toggles - assumed
            explorer = Explorer(self.machine, surroundings, control, lazy, flags=flags, hopeless=hopeless, budget=budget)
            explorer.ended = partial(self._check_end, explorer, assumed, code)
            try:
                paths = self._decided(explorer, self._toggles(assumed), (), assumed, code.excluded)
                kept, waiting, stuck = self._returned(paths, explorer.raised)
                failures = (*explorer.failures.items(), *waiting)
                return Execution(code, kept, frozenset(explorer.reads), assumed, dict(self.same), None, failures, stuck=stuck)
            except Split:
                return Execution(code, (), frozenset(explorer.reads), assumed, dict(self.same), split=True)
            except Moved as shown:
                return Execution(code, (), frozenset(explorer.reads), assumed, dict(self.same), moved=shown.names, alike=shown.alike)
            except NotLifted as found:
                reason = str(found)
                if isinstance(found, TooMuch):
                    break
        return Execution(code, (), frozenset(explorer.reads), assumed, dict(self.same), reason)

    def _check_end(self, explorer: Explorer, assumed: frozenset[str], code: Opcode, path: Path) -> None:
        """Raises Split where it is decided by the subcode that is sought; Moved where a register that was not symbolic ends with another constant than
        it began with, and the control is idle."""
        if self.sought is not None and compares([p for p, _ in path.facts], bits(code, self.sought)):
            raise Split
        waits = any(path.final.registers[n] is not self.idle[n] for n in (*self._stiff(), *explorer.raised))
        if not self.guessing or waits:
            return
        finals = {n: path.final.registers[n] for n in self.constant - self.followers - assumed}
        moved = {n for n, final in finals.items() if isinstance(final, Term) and final.is_const and final is not self.idle[n]}
        if moved and moved.isdisjoint(explorer.flags):
            movers = self.machine.structure.counters | self.machine.structure.toggles
            raise Moved(frozenset(moved), equally((self.idle[n], finals[n], n) for n in sorted(moved & movers)))

    def _returned(self, paths: list[Path], raised: set[str]) -> tuple[tuple[Path, ...], list[tuple[Facts, str]], tuple[Term, ...]]:
        """The paths that come back to the idle state of the control, with what is known of their ends, and the conditions of those that wait
        for something that the contract does not give: flags that others have `raised` and taken back are up; `Execution.stuck` of these.  Raises
        NotLifted when none comes back."""
        free = (self.machine.structure.control - self.machine.structure.counters) & self.constant - self.architectural
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
        structure = self.machine.structure
        flags = structure.machines - structure.toggles - structure.counters - structure.shifts - self.followers
        return sorted(flags & self.constant - self.architectural)

    def _resolved(self, path: Path) -> Path:
        """`path` with the idle value for registers of the control that must have it at the end."""
        found = {}
        for name in self.machine.structure.control & self.constant:
            value = path.final.registers[name]
            if isinstance(value, Term) and not value.is_const and value.op not in ("sym", "load"):
                known = [*conditions(path.facts), *path.domain]
                if implied(known, terms.equal(value, self.idle[name])) is Verdict.PROVED:
                    found[name] = self.idle[name]
        return replace(path, final=replace(path.final, registers={**path.final.registers, **found})) if found else path

    def _decided(self, explorer: Explorer, toggles: list[str], chosen: Choice, assumed: frozenset[str], excluded: tuple[Term, ...]) -> list[Path]:
        """The paths for both values of the first bit.  When the execution with 0 neither looked at nor moved any register that is another at
        rest with 1, the execution with 1 is the same."""
        if not toggles:
            return self._from_start(explorer, chosen, assumed, excluded)
        name, others = toggles[0], toggles[1:]
        low = self._decided(explorer, others, (*chosen, (name, 0)), assumed, excluded)
        copies = [self._with_bit(explorer, p, name, assumed) for p in low]
        if all(copies):
            return low + [p for p in copies if p]
        return low + self._decided(explorer, others, (*chosen, (name, 1)), assumed, excluded)

    def _with_bit(self, explorer: Explorer, path: Path, name: str, assumed: frozenset[str]) -> Path | None:
        """A path for a ping-pong bit of 0 as the path for 1, if it does not depend on it."""
        chosen = tuple((str(p.attr), int(h)) for p, h in path.facts if p.op == "sym" and p.attr in self.machine.structure.toggles & assumed)
        low = self._at_rest(chosen, assumed)
        high = self._at_rest(tuple((n, 1 if n == name else v) for n, v in chosen), assumed)
        differing = {n for n, t in high.registers.items() if t is not low.registers[n]}
        if differing & (explorer.reads | explorer.evaluated) or low.active != high.active:
            return None
        registers = {n: high.registers[n] if n in differing and t is low.registers[n] else or_unknown(n, t, high) for n, t in path.final.registers.items()}
        facts = tuple((p, h or p is terms.sym(name, 1)) for p, h in path.facts)
        return replace(path, facts=facts, final=replace(path.final, registers=registers))

    def _at_rest(self, chosen: Choice, assumed: frozenset[str]) -> State:
        """The state at rest with ping-pong bits at given values and the other architectural registers symbolic."""
        key = (tuple(sorted(chosen)), assumed)
        if key not in self._rests:
            bits = {n: terms.const(v, 1) for n, v in chosen}
            given = {n: bits.get(self.same.get(n, n), self._start(n, self.idle[n])) for n in assumed}
            self._rests[key] = rest(self.machine, self.idle, self.inputs, given)
        return self._rests[key]

    def _from_start(self, explorer: Explorer, chosen: Choice, assumed: frozenset[str], excluded: tuple[Term, ...]) -> list[Path]:
        facts = tuple((terms.sym(n, 1), bool(v)) for n, v in chosen)
        given = tuple((t, False) for t in excluded)
        return [replace(p, facts=facts + p.facts) for p in explorer.run(self._at_rest(chosen, assumed), given)]
