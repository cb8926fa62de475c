"""Architectural state, by a fixed point: start with none; run every instruction from the idle state to rest; a register whose final value
differs from its idle value becomes architectural (symbolic at the start); repeat until nothing new changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lift.discover.commands import Decoder
from lift.discover.contract import Contract
from lift.discover.environment import Surroundings
from lift.errors import UserError
from lift.unroll import terms
from lift.unroll.explore import Explorer, NotLifted, Path
from lift.unroll.machine import Machine, State
from lift.unroll.terms import Term

RESET_CYCLES = 3
SETTLE_CYCLES = 256
STABLE_CYCLES = 3


@dataclass(frozen=True, slots=True)
class Opcode:
    """One instruction of the decoder: payload words with the opcode's bits fixed and symbols elsewhere."""

    name: str
    payload: dict[str, Term]
    fixed: tuple[tuple[str, int, int, int], ...]  # (word, low, width, value)


@dataclass(frozen=True, slots=True)
class Execution:
    """Every path of one instruction, or the reason why there are none.  `reads`: registers that its execution looked at; `assumed`: those
    that were architectural at the time."""

    opcode: Opcode
    paths: tuple[Path, ...] = ()
    reads: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()
    opaque: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit with its idle state, its architectural registers and the executions of its instructions."""

    machine: Machine
    contract: Contract
    idle: dict[str, Term]
    architectural: frozenset[str]
    executions: dict[str, Execution]
    rounds: int


def settle(machine: Machine, surroundings: Surroundings) -> dict[str, Term]:
    """The idle state: constants where reset and idling fix a register, the register's own symbol elsewhere."""
    registers = {name: terms.sym(name, r.width) for name, r in machine.netlist.registers.items()}
    if surroundings.contract.reset is None:
        initial = {n: terms.const(r.initial, r.width) for n, r in machine.netlist.registers.items() if r.initial is not None}
        registers.update(initial)
    state = machine.state(registers)
    if surroundings.contract.reset is not None:
        for _ in range(RESET_CYCLES):
            state = machine.cycle(state, surroundings.in_reset(), {}).after()
    stable = 0
    for _ in range(SETTLE_CYCLES):
        following = machine.cycle(state, surroundings.idle(), {}).after()
        same = all((t is state.registers[n]) if t.is_const else not state.registers[n].is_const for n, t in following.registers.items())
        stable, state = stable + 1 if same else 0, following
        if stable == STABLE_CYCLES:
            break
    return {name: t if t.is_const else terms.sym(name, t.width) for name, t in state.registers.items()}


Fixed = tuple[tuple[str, int, int, int], ...]


def opcode(name: str, widths: dict[str, int], fixed: Fixed) -> Opcode:
    """Payload words of the given widths with the `fixed` bits (word, low, width, value) constant."""
    payload: dict[str, Term] = {}
    for word, width in widths.items():
        symbol = terms.sym(word, width)
        pieces: list[Term] = []
        position = 0
        for _, low, bits, value in sorted((f for f in fixed if f[0] == word), key=lambda f: f[1]):
            if low > position:
                pieces.append(terms.extract(symbol, position, low - position))
            pieces.append(terms.const(value, bits))
            position = low + bits
        if position < width:
            pieces.append(terms.extract(symbol, position, width - position))
        payload[word] = terms.concat(*reversed(pieces))
    return Opcode(name, payload, fixed)


def find(machine: Machine, contract: Contract, decoder: Decoder, progress: Callable[[str], None] = lambda _: None) -> Unit:
    """Run the fixed point over all instructions of `decoder`."""
    if contract.command is None:
        raise UserError(None, f"no command port was found in {machine.netlist.top}", "name it in a descriptor (--descriptor)")
    idle = settle(machine, Surroundings(machine.netlist, contract, None))
    search = _Search(machine, contract, decoder, idle, progress)
    search.run()
    return Unit(machine, contract, idle, frozenset(search.architectural), search.executions, search.rounds)


class _Search:
    """The fixed point: `architectural` grows, `executions` are redone when a register they read has become architectural."""

    def __init__(self, machine: Machine, contract: Contract, decoder: Decoder, idle: dict[str, Term], progress: Callable[[str], None]) -> None:
        self.machine, self.contract, self.decoder, self.idle, self.progress = machine, contract, decoder, idle, progress
        self.constant = frozenset(n for n, t in idle.items() if t.is_const)
        self.architectural: set[str] = set()
        self.executions: dict[str, Execution] = {}
        self.rounds = 0
        self._settled: dict[tuple[tuple[str, int], ...], State] = {}

    def run(self) -> None:
        pending = self._codes()
        codes = list(pending)
        while pending:
            self.rounds += 1
            for code in pending:
                self._execute_and_note(code)
            pending = [c for c in codes if self._outdated(self.executions[c.name])]

    def _codes(self) -> list[Opcode]:
        """The named opcodes, split by the subcodes that their execution looks at."""
        assert self.contract.command is not None
        widths = {word: self.machine.netlist.inputs[port] for word, port in self.contract.command.words.items()}
        part, result = self.decoder.opcode, []
        for value, name in sorted(self.decoder.names.items()):
            base = opcode(name, widths, ((part.word, part.low, part.width, value),))
            execution = self._execute(base)
            subcodes = [(p, labels) for p, labels in self.decoder.subcodes.items() if self._looks_at(execution, base.payload[p.word], p.low, p.width)]
            if not subcodes:
                self.executions[name] = execution
                self.architectural |= self._changed(execution)
                result.append(base)
                continue
            sub, labels = max(subcodes, key=lambda s: (any(n.startswith(name + "_") for n in s[1].values()), len(s[1]), -s[0].low))
            for number, label in sorted(labels.items()):
                full = label if label.startswith(name + "_") else f"{name}_{label}"
                result.append(opcode(full, widths, (*base.fixed, (sub.word, sub.low, sub.width, number))))
        return result

    def _looks_at(self, execution: Execution, word: Term, low: int, width: int) -> bool:
        """Does a fork or a changed register compare this slice with a constant?"""
        part = terms.extract(word, low, width)
        roots = [p for path in execution.paths for p, _ in path.facts]
        roots += [path.final.registers[n] for path in execution.paths for n in self.constant if not path.final.registers[n].is_const]
        return any(t.op == "eq" and t.args[0] is part for t in terms.walk(*roots))

    def _outdated(self, execution: Execution) -> bool:
        """Did it read, as a constant, a register that has become architectural since?"""
        return bool((self.architectural - execution.assumed) & execution.reads)

    def _changed(self, execution: Execution) -> set[str]:
        """Registers that do not end as they would be at rest without the instruction."""
        changed: set[str] = set()
        for path in execution.paths:
            final = path.final.registers
            toggles = tuple((n, int(final[n].attr or 0)) for n in self._toggles(execution.assumed) if final[n].is_const)
            rest = self._at_rest(toggles).registers
            changed |= {n for n in self.constant if final[n] is not rest[n] and final[n] is not terms.sym(n, final[n].width)}
        return changed

    def _toggles(self, assumed: frozenset[str]) -> list[str]:
        return sorted(self.machine.structure.toggles & assumed)

    def _at_rest(self, toggles: tuple[tuple[str, int], ...]) -> State:
        """The idle state with ping-pong bits at given values: registers that follow them hold what they follow, and nothing moves."""
        if toggles not in self._settled:
            idle = Surroundings(self.machine.netlist, self.contract, None).idle()
            state = self.machine.state({**self.idle, **{n: terms.const(v, 1) for n, v in toggles}})
            for _ in range(SETTLE_CYCLES):
                following = self.machine.cycle(state, idle, {}).after()
                settled = {n: t if t.is_const else self.idle[n] for n, t in following.registers.items()}
                if all(settled[n] is t for n, t in state.registers.items()):
                    break
                state = self.machine.state(settled)
            moving = (n for n, t in following.registers.items() if t is not state.registers[n])
            self._settled[toggles] = State(state.registers, self.machine.dependents(moving) | frozenset(moving), (), idle)
        return self._settled[toggles]

    def _execute_and_note(self, code: Opcode) -> None:
        known = self.executions.get(code.name)
        if known is None or self._outdated(known):
            self.progress(code.name)
            self.executions[code.name] = self._execute(code)
            self.architectural |= self._changed(self.executions[code.name])

    def _execute(self, code: Opcode) -> Execution:
        """All paths of one instruction from the idle state with the present architectural registers symbolic.  A ping-pong bit (a one-bit
        register that depends on itself) is decided beforehand, one execution for each value."""
        assumed = frozenset(self.architectural)
        explorer = Explorer(self.machine, Surroundings(self.machine.netlist, self.contract, code.payload), self._control())
        toggles = self._toggles(assumed)
        try:
            paths = self._decided(explorer, toggles, (), assumed)
        except NotLifted as reason:
            return Execution(code, (), frozenset(explorer.reads), assumed, str(reason))
        return Execution(code, tuple(paths), frozenset(explorer.reads), assumed)

    def _control(self) -> frozenset[str]:
        return frozenset(self.machine.structure.control & self.constant)

    def _decided(self, explorer: Explorer, toggles: list[str], chosen: tuple[tuple[str, int], ...], assumed: frozenset[str]) -> list[Path]:
        if not toggles:
            return self._from_start(explorer, chosen, assumed)
        name, rest = toggles[0], toggles[1:]
        low = self._decided(explorer, rest, (*chosen, (name, 0)), assumed)
        high = self._decided(explorer, rest, (*chosen, (name, 1)), assumed)
        return low + high

    def _from_start(self, explorer: Explorer, chosen: tuple[tuple[str, int], ...], assumed: frozenset[str]) -> list[Path]:
        rest = self._at_rest(chosen)
        free = {n: terms.sym(n, rest.registers[n].width) for n in assumed if n not in dict(chosen)}
        facts = tuple((terms.sym(n, 1), bool(v)) for n, v in chosen)
        return [replace(p, facts=facts + p.facts) for p in explorer.run(self.machine.changed(rest, free))]
