"""One instruction on a machine, clock by clock: the command is offered once, the host's memory answers at once, as the contract's schedule says.

The machine is a simulator of Verilog, or our own of the netlist.  Inputs without a meaning at a time (payload that is not valid, inputs of
which the contract says nothing) are random.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Protocol

from lift.crosscheck.icarus import Icarus
from lift.crosscheck.predicted import After
from lift.crosscheck.sample import Before, evaluator
from lift.discover.contract import Contract, MemoryPort
from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator
from lift.unroll.extract import Lift, Mode

IDLE_CYCLES = 40
MAX_CYCLES = 4000


class Endless(Exception):
    """The machine did not come to rest within `MAX_CYCLES`."""


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
    """The state after the instruction, once the machine would take the next command.  Raises Endless."""
    command, outside = lift.unit.contract.command, _Outside(lift, before)
    assert command is not None
    machine.load(before.registers, before.memories)
    for _ in range(IDLE_CYCLES):
        outside.step(machine, {})
    payload = lift.unit.executions[mode.instruction].opcode.payload
    value = evaluator(lift, before)
    words = {port: value(payload[word], {}) for word, port in command.words.items()}
    outside.step(machine, {command.valid: 1, **words})
    for _ in range(MAX_CYCLES):
        if outside.step(machine, {})[str(command.ready)]:
            break
    else:
        raise Endless(f"not ready for the next command after {MAX_CYCLES} cycles")
    for _ in range(IDLE_CYCLES):
        outside.step(machine, {})
    return machine.after(outside.written)


def replayable(contract: Contract) -> str | None:
    """Why a unit with this contract is not replayed, None if it is."""
    if contract.command is None or contract.command.ready is None:
        return "no handshake says when the next command is taken"
    if any(c.valid is None for c in contract.channels):
        return "an input without a handshake is read"
    if contract.answers:
        names = ", ".join(a.channel.name for a in contract.answers)
        return f"answers on {names} are not played"
    return None


class _Outside:
    """Reset inactive, channels at rest, the host's memory behind the memory port."""

    def __init__(self, lift: Lift, before: Before) -> None:
        self.contract, self.before, self._draw = lift.unit.contract, before, random.Random(before.seed)
        self.written: dict[int, int] = {}
        self._answer: dict[str, int] = {}
        self._netlist, self._fixed = lift.unit.machine.netlist, _at_rest(lift.unit.contract)
        self._stable = {n: self._draw.getrandbits(w) for n, w in self._netlist.inputs.items() if n not in _payloads(self.contract)}

    def step(self, machine: Machine, inputs: Mapping[str, int]) -> Mapping[str, int]:
        noise = {n: self._draw.getrandbits(self._netlist.inputs[n]) for n in _payloads(self.contract)}
        outputs = machine.step({**self._stable, **noise, **self._fixed, **self._answer, **inputs})
        port, self._answer = self.contract.memory, {}
        if port and outputs[port.request_valid]:
            self._serve(port, outputs)
        return outputs

    def _serve(self, port: MemoryPort, outputs: Mapping[str, int]) -> None:
        addresses = [(outputs[port.address] + k) % (1 << port.address_bits) for k in range(port.data_bytes)]
        if port.write and outputs[port.write]:
            for k, address in enumerate(addresses):
                if port.write_mask is None or outputs[port.write_mask] >> k & 1:
                    self.written[address] = outputs[str(port.write_data)] >> 8 * k & 0xFF
            return
        data = sum(self.written.get(a, self.before.host_byte(a)) << 8 * k for k, a in enumerate(addresses))
        self._answer = {str(port.response_valid): 1, str(port.response_data): data}


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
    """Inputs that mean something only while they are valid."""
    ports = list(contract.command.words.values()) if contract.command and not contract.command.held else []
    if contract.memory and contract.memory.response_data:
        ports.append(contract.memory.response_data)
    return ports
