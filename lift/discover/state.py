"""Architectural state, by a fixed point: start with none; run every instruction from the idle state to rest; a register whose final value
differs from its idle value becomes architectural (symbolic at the start); repeat until nothing new changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lift.discover.alike import classes, steady, with_guess
from lift.discover.attempt import Attempt, Choice, Resting, choices
from lift.discover.commands import Decoder, PayloadSlice
from lift.discover.constants import put_in, same_start
from lift.discover.contract import Contract
from lift.discover.ends import compares
from lift.discover.environment import Surroundings
from lift.discover.events import events, posted
from lift.discover.opcodes import Opcode, bits, opcode, other_subcodes, others, rank
from lift.discover.recorders import RECORDED
from lift.discover.rest import own, roles, settle
from lift.discover.unit import WAITS, Execution, Same, Unit
from lift.errors import UserError
from lift.unroll.budget import of_instruction, of_unit
from lift.unroll.machine import Machine, State
from lift.unroll.terms import Term


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
        self.resting = Resting(machine, contract, idle, self.inputs, self.followers, self.constant)

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
                self.architectural -= steady(paths, {n: (self.idle[n], self.resting.start(n, self.same)) for n in self.architectural})
                pending = [c for c in codes if self._outdated(self.executions[c.name])]

    def _classes(self) -> Same:
        """What equals what after the executions so far."""
        movers = (self.machine.structure.counters | self.machine.structure.toggles) & self.architectural & self.constant - self.followers
        paths = [p for e in self.executions.values() for p in e.paths]
        return classes(movers, self.idle, paths, self._grouped) if paths else self.same

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
        values = {self.resting.start(n, self.same): self.idle[n] for n in names}
        starts = [(self._at_rest(chosen, known.assumed), self._at_rest(chosen, now)) for chosen in choices(self.resting.toggles(now, self.same))]
        return put_in(known, values, names) if all(same_start(before, after, values) for before, after in starts) else None

    def _at_rest(self, chosen: Choice, assumed: frozenset[str]) -> State:
        return self.resting.state(chosen, assumed, self.same)

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
        known = self.executions.get(code.name)
        hopeless = {f: why for f, why in known.excluded if not why.startswith(WAITS)} if known else {}
        attempt = Attempt(self.resting, code, frozenset(self.architectural), self.same, self.sought, self.guessing)
        return replace(attempt.run(budget, hopeless), steps=budget.spent)
