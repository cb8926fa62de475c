"""A counterexample about a whole instruction -> its waves, and the same command from the same state on Icarus Verilog.

What is claimed of the state afterwards (by the text, or by a function after the passes) is worked out for the values of the counterexample.  If the RTL
leaves something else, the counterexample is confirmed: the claim is wrong of the RTL.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import func

from act.taidl import Write
from lift.crosscheck import Given, simulated
from lift.crosscheck.icarus import Icarus, NotSimulated
from lift.crosscheck.neighbours import NotPlayed
from lift.crosscheck.outside import OnIcarus, commanded
from lift.crosscheck.predicted import After
from lift.unroll.extract import Lift
from proofs.integers import constant, exact
from proofs.replay import CONFIRMED, NOT_PLAYED, OTHERWISE, Replay, place
from proofs.samples import execute
from proofs.solve import Refuted
from proofs.specification import BUFFERS, REGISTERS, Command
from proofs.states import Start, State, Words, after, state
from proofs.waves import Wave, table

COLUMNS = 8  # cycles
CONTROL = 4  # bits of a register that is shown when it moves
MOST_ELEMENTS = 4096  # that are worked out one by one
FILLINGS = 8  # draws of what a counterexample leaves open
Claim = Callable[[State], Mapping[str, Words]]
"""What each state variable that is not left alone has afterwards, word by word; a register is word 0."""


@dataclass(frozen=True, slots=True)
class OneCommand:
    """A command of these words, and what is claimed to be left by it in `targets`; `before`: what else is known of it, as of the function before a pass."""

    lift: Lift
    words: Callable[[State], Mapping[str, int]]
    claim: Claim
    targets: Sequence[str]
    before: Claim | None = None

    def replay(self, refuted: Refuted) -> Replay:
        """What the counterexample leaves open is drawn again where the RTL leaves what is claimed: of a claim about which words are read, it may hide that
        others are."""
        first = self._replayed(refuted, 0)
        if first.verdict != OTHERWISE:
            return first
        others = (self._replayed(refuted, filling) for filling in range(1, FILLINGS))
        return next((o for o in others if o.verdict == CONFIRMED), first)

    def _replayed(self, refuted: Refuted, filling: int) -> Replay:
        before = state(self.lift, refuted.values, filling)
        start, words, command = before.start(), self.words(before), self.lift.unit.contract.command
        assert command is not None
        try:
            claimed = self.claim(before)
            with simulated(self.lift.unit.machine.netlist, Given()) as icarus:
                machine = Watched(icarus, command.valid, self._control)
                found = commanded(self.lift, words, start, machine)
        except (NotSimulated, NotPlayed) as error:
            return Replay(NOT_PLAYED, str(error), table(("before",), self._command(words)))
        wrong = self._wrong(start, found, claimed, len(machine.seen))
        waves = [*self._command(words), *self._registers(start, machine, before.scalars), *wrong[:COLUMNS]]
        why = f"{wrong[0].name} is not what is claimed" if wrong else "the RTL leaves what is claimed"
        if wrong and self.before is not None and self._wrong(start, found, self.before(before), 0):
            wrong, why = [], "the RTL leaves neither; the values are of another mode"
        return Replay(CONFIRMED if wrong else OTHERWISE, why, table(("before", *machine.times, "after", "claim"), waves))

    def _command(self, words: Mapping[str, int]) -> list[Wave]:
        command, netlist = self.lift.unit.contract.command, self.lift.unit.machine.netlist
        assert command is not None
        return [Wave(port, netlist.inputs[port], (words[word],), place(netlist, port)) for word, port in command.words.items()]

    @property
    def _control(self) -> list[str]:
        """Registers of few bits, without those of the elements of an array."""
        return [n for n, r in self.lift.unit.machine.netlist.registers.items() if r.width <= CONTROL and "[" not in n]

    def _registers(self, start: Start, machine: Watched, named: Iterable[str]) -> list[Wave]:
        """Those that the counterexample names, and control that moves."""
        netlist, shown = self.lift.unit.machine.netlist, [registers for _, registers in machine.seen]
        moving = {n for n in self._control if any(start.registers[n] != s[n] for s in shown)}
        found = []
        for n in (n for n in netlist.registers if n in named or n in moving):
            values = (start.registers[n], *(s[n] for s in shown), machine.last[n])
            found.append(Wave(n, netlist.registers[n].width, values, place(netlist, n)))
        return found

    def _wrong(self, start: Start, found: After, claimed: Mapping[str, Words], cycles: int) -> list[Wave]:
        """Words that are left otherwise than claimed."""
        waves, empty = list[Wave](), [None] * cycles
        for target in self.targets:
            left = {k: (old, new) for k, old, new in after(self.lift, start, found, target)}
            for k in sorted({*left, *claimed.get(target, {})}):
                old, new = left[k] if k in left else (start.host_byte(k), start.host_byte(k))
                wanted = claimed.get(target, {}).get(k, old)
                if wanted != new:
                    name = target if target in found.registers else f"{target}[{k:#x}]"
                    waves.append(Wave(name, self._width(target), (old, *empty, new, wanted), place(self.lift.unit.machine.netlist, target)))
        return waves

    def _width(self, target: str) -> int:
        widths = {a.name: a.width for a in self.lift.arrays.values()} | {p.name: p.width for p in self.lift.unit.machine.places.values()}
        registers = self.lift.unit.machine.netlist.registers
        return widths.get(target) or (registers[target].width if target in registers else 8)


class Watched(OnIcarus):
    """Remembers the registers in the first cycles after the command in which one of few bits moves."""

    def __init__(self, icarus: Icarus, valid: str, control: Collection[str]) -> None:
        super().__init__(icarus)
        self._registers, self._valid, self._control = icarus.registers, valid, control
        self.seen: list[tuple[int, dict[str, int]]] = []
        self.cycle, self.last = 0, dict[str, int]()

    def step(self, inputs: Mapping[str, int]) -> Mapping[str, int]:
        outputs = super().step(inputs)
        now = self._registers().values
        if inputs.get(self._valid):
            self.cycle, self.seen = 0, []
        self.cycle += 1
        if len(self.seen) < COLUMNS and any(now[n] != self.last.get(n) for n in self._control):
            self.seen.append((self.cycle, now))
        self.last = now
        return outputs

    @property
    def times(self) -> list[str]:
        return [str(cycle) for cycle, _ in self.seen]


# What is claimed


def by_function(lift: Lift, before: func.FuncOp, after: func.FuncOp, instruction: str, target: str) -> OneCommand:
    """A function of `target` before and after passes; its arguments have the values of the counterexample."""
    fixed = lift.unit.executions[instruction].opcode.fixed

    def words(state: State) -> Mapping[str, int]:
        command = lift.unit.contract.command
        assert command is not None
        found = {word: state.scalar(word, lift.unit.machine.netlist.inputs[port]) for word, port in command.words.items()}
        for word, low, bits, value in fixed:
            found[word] = found[word] & ~(((1 << bits) - 1) << low) | value << low
        return found

    first, second = (lambda state, f=f: {target: executed(f, target, state)} for f in (before, after))
    return OneCommand(lift, words, second, [target], first)


def executed(function: func.FuncOp, target: str, before: State) -> Words:
    """What a function leaves in its target."""
    results, stored = execute(function, before.scalar, before.word)
    return dict(enumerate(results)) or {k: v for name, words in stored if name == target for k, v in words.items()}


def by_text(lift: Lift, command: Command, targets: Sequence[str] = ()) -> OneCommand:
    """An instruction as its text says of `targets` (of all state variables that instructions change, if there are none given); its attributes have the
    values of the counterexample."""
    targets = targets or sorted({t for modes in lift.modes.values() for m in modes for t in m.functions})
    words = {str(name): made for name, made in command.words}
    return OneCommand(lift, lambda before: {n: before.value(v) for n, v in words.items()}, lambda before: stated(command, before), targets)


def stated(command: Command, before: State) -> dict[str, Words]:
    """What an instruction leaves, element by element."""
    found: dict[str, Words] = {}
    for name, sets in command.sets().items():
        for index, value in sets:
            number = 0 if index is None else before.value(exact(index, command.names).bits)
            found.setdefault(REGISTERS[name], {})[number] = before.value(value)
    for write in command.operation.writes:
        _written(command, write, before, found)
    return found


def _written(command: Command, write: Write, before: State, found: dict[str, Words]) -> None:
    slice_ = write.slice
    buffer = command.accelerator.buffers[slice_.buffer]
    extents = [before.value(exact(i.extent, command.names).bits) for i in slice_.indices]
    if prod(extents) > MOST_ELEMENTS:
        raise NotSimulated(f"it is stated to write {prod(extents)} elements of {slice_.buffer}, which are too many to be compared one by one")
    joined = len(BUFFERS[buffer.name]) == 1 and buffer.unit
    for point in _points(extents):
        index = tuple(constant(k) for k in point)
        element = before.value(command.tensors.element(write.name, index))
        for where in (p for p in command.places(slice_, index) if before.value(p.when)):
            words, address = found.setdefault(where.name, {}), before.value(where.address)
            low = 0 if where.lane is None else where.width * before.value(where.lane.bits)
            old = words.get(address, before.word(where.name, address, where.width * (buffer.unit[0] if joined else 1)))
            words[address] = old & ~(((1 << where.width) - 1) << low) | element << low


def _points(extents: Sequence[int]) -> Iterable[tuple[int, ...]]:
    if not extents:
        return [()]
    return [(k, *rest) for k in range(extents[0]) for rest in _points(extents[1:])]


__all__ = ["OneCommand", "by_function", "by_text"]
