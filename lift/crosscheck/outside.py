"""One instruction on a machine, clock by clock: the command is offered once, the host's memory answers at once, as the contract's schedule says.

The machine is a simulator of Verilog, or our own of the netlist.  Inputs without a meaning at a time (payload that is not valid, inputs of
which the contract says nothing) are random.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Protocol

from lift.crosscheck.icarus import Icarus
from lift.crosscheck.neighbours import Neighbours, NotPlayed
from lift.crosscheck.predicted import After
from lift.crosscheck.sample import Before, evaluator
from lift.discover.buses import WRITE
from lift.discover.contract import Contract, MemoryPort
from lift.discover.rest import RESET_CYCLES
from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator
from lift.unroll.extract import Lift, Mode

IDLE_CYCLES = 40
MAX_CYCLES = 4000


class Machine(Protocol):
    """What executes clock cycles."""

    def load(self, registers: Mapping[str, int], memories: Mapping[str, Sequence[int]]) -> None: ...
    def step(self, inputs: Mapping[str, int]) -> Mapping[str, int]: ...
    def after(self, host: dict[int, int]) -> After: ...


class OnNetlist:
    """Our own simulator."""

    def __init__(self, netlist: Netlist) -> None:
        self._simulator = Simulator(netlist)

    def load(self, registers: Mapping[str, int], memories: Mapping[str, Sequence[int]]) -> None:
        self._simulator.registers.update(registers)
        self._simulator.memories = {n: list(words) for n, words in memories.items()}

    def step(self, inputs: Mapping[str, int]) -> Mapping[str, int]:
        return self._simulator.step(inputs)

    def after(self, host: dict[int, int]) -> After:
        return After(self._simulator.registers, self._simulator.memories, host, {})


class OnIcarus:
    """Icarus Verilog, with the files as they are."""

    def __init__(self, icarus: Icarus) -> None:
        self._icarus = icarus

    def load(self, registers: Mapping[str, int], memories: Mapping[str, Sequence[int]]) -> None:
        self._icarus.load(registers, memories)

    def step(self, inputs: Mapping[str, int]) -> Mapping[str, int]:
        return self._icarus.step(inputs).values

    def after(self, host: dict[int, int]) -> After:
        known = self._icarus.registers()
        return After(known.values, self._icarus.memories(), host, known.unknown)


def executed(lift: Lift, mode: Mode, before: Before, machine: Machine) -> After:
    """The state after the instruction, once the machine would take the next command.  Raises NotPlayed."""
    command = lift.unit.contract.command
    assert command is not None
    payload, value = lift.unit.executions[mode.instruction].opcode.payload, evaluator(lift, before)
    return commanded(lift, {word: value(payload[word], {}) for word in command.words}, before, machine)


def commanded(lift: Lift, given: Mapping[str, int], before: Before, machine: Machine) -> After:
    """The same for a command of these words, by name, whatever it is."""
    command, outside = lift.unit.contract.command, _Outside(lift, before, machine)
    assert command is not None
    machine.load(before.registers, before.memories)
    for _ in range(IDLE_CYCLES):
        outside.step({})
    words = {port: given[word] for word, port in command.words.items()}
    outside.neighbours.taken()
    outside.step({command.valid: 1, **words})
    outside.held = words if command.held else {}
    outside.until_ready(command.ready)
    for _ in range(IDLE_CYCLES):
        outside.step({})
    return outside.after()


def idled(lift: Lift, before: Before, machine: Machine, cycles: int) -> After:
    """The state after reset and `cycles` without a command."""
    outside, contract = _Outside(lift, before, machine), lift.unit.contract
    machine.load(before.registers, before.memories)
    for _ in range(RESET_CYCLES if contract.reset else 0):
        outside.step({str(contract.reset): contract.reset_active})
    for _ in range(cycles):
        outside.step({})
    return outside.after()


def replayable(contract: Contract, machine: Machine) -> str | None:
    """Why a unit with this contract is not replayed on a machine, None if it is."""
    if contract.command is None:
        return "it has no command port"
    if WRITE in contract.command.valid:
        return "its commands are writes on a bus"
    if contract.reached and isinstance(machine, OnIcarus):
        return f"memories of its neighbours belong to it: {', '.join(dict.fromkeys(memory for memory, _ in contract.reached))}"
    return "its memory port moves several beats a request" if contract.bursts else None


class _Outside:
    """Reset inactive, channels served, the host's memory behind the memory port."""

    def __init__(self, lift: Lift, before: Before, machine: Machine) -> None:
        self.contract, self.before, self.machine = lift.unit.contract, before, machine
        self.neighbours, self.held = Neighbours(self.contract, before), dict[str, int]()
        self.written: dict[int, int] = {}
        self._answer: dict[str, int] = {}
        self._inputs, self._draw = lift.unit.machine.netlist.inputs, random.Random(before.seed)
        self._fixed, self._noisy = _at_rest(self.contract), _payloads(self.contract)
        self._stable = {n: self._draw.getrandbits(w) for n, w in self._inputs.items()}

    def step(self, inputs: Mapping[str, int]) -> Mapping[str, int]:
        """One cycle with what is owed from the last; `inputs` come before all else."""
        noise = {n: self._draw.getrandbits(self._inputs[n]) for n in self._noisy}
        outputs = self.machine.step({**self._stable, **noise, **self._fixed, **self.held, **self._answer, **inputs})
        port, self._answer = self.contract.memory, self.neighbours.answers(outputs)
        if port and outputs[port.request_valid]:
            self._serve(port, outputs)
        return outputs

    def until_ready(self, ready: str | None) -> None:
        """Until the next command would be taken, or where nothing says so until nothing moves and nothing is owed."""
        for _ in range(MAX_CYCLES):
            waiting = ready is None or self.neighbours.owed()
            state = self.machine.after({}).registers if waiting else {}
            outputs = self.step({})
            still = waiting and not self._answer and self.machine.after({}).registers == state
            if still and self.neighbours.owed():
                self._answer = self.neighbours.late()
            elif still if ready is None else outputs[ready] and not self.neighbours.owed() and not self._answer:
                return
        raise NotPlayed(f"not ready for the next command after {MAX_CYCLES} cycles")

    def after(self) -> After:
        """The state, with what was recorded of the channels."""
        found = self.machine.after(self.written)
        memories = dict(found.memories)
        for port, words in self.neighbours.words.items():
            if port in self.before.memories:
                memories[port] = [words.get(k, word) for k, word in enumerate(self.before.memories[port])]
        begun = {n: v for n, v in self.before.registers.items() if n not in found.registers}
        silent = {n: words for n, words in self.before.memories.items() if n not in memories}
        return After({**begun, **found.registers, **self.neighbours.registers}, {**silent, **memories}, found.host, found.unknown)

    def _serve(self, port: MemoryPort, outputs: Mapping[str, int]) -> None:
        addresses = [(outputs[port.address] + k) % (1 << port.address_bits) for k in range(port.data_bytes)]
        if port.write and outputs[port.write]:
            for k, address in enumerate(addresses):
                if port.write_mask is None or outputs[port.write_mask] >> k & 1:
                    self.written[address] = outputs[str(port.write_data)] >> 8 * k & 0xFF
            return
        data = sum(self.written.get(a, self.before.host_byte(a)) << 8 * k for k, a in enumerate(addresses))
        self._answer |= {str(port.response_valid): 1, str(port.response_data): data}


def _at_rest(contract: Contract) -> dict[str, int]:
    """Handshakes when nothing happens: nothing is offered, everything is taken."""
    fixed = {c.ready if c.output else str(c.valid): int(c.output) for c in contract.channels if c.ready or not c.output}
    if contract.reset:
        fixed[contract.reset] = 1 - contract.reset_active
    if contract.clock:
        fixed[contract.clock] = 0
    if contract.command:
        fixed[contract.command.valid] = 0
    if contract.memory:
        fixed |= {contract.memory.request_ready: 1} if contract.memory.request_ready else {}
        fixed |= {contract.memory.response_valid: 0} if contract.memory.response_valid else {}
    return {str(n): v for n, v in fixed.items()}


def _payloads(contract: Contract) -> list[str]:
    """Inputs that mean something only while they are valid; where an answer waits until nothing moves, they do not move either."""
    if any(a.late for a in contract.answers) or contract.command is None or contract.command.ready is None:
        return []
    ports = list(contract.command.words.values()) if not contract.command.held else []
    if contract.memory and contract.memory.response_data:
        ports.append(contract.memory.response_data)
    return ports
