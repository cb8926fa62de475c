"""A netlist that remembers what its unit says on each channel during one instruction.

Transaction number n of an output channel is word n of one memory per payload port, named like the port; the count starts again with each command.
So what a unit asks of its neighbours is a state variable like any other.  An answer that is owed is a register.
"""

from __future__ import annotations

from dataclasses import replace

from lift.discover.channels import Answer, Channel
from lift.discover.contract import Contract
from lift.netlist.model import Location, Memory, MemoryWrite, Netlist, Node, Register
from lift.netlist.rewire import ONE, ZERO, and_, cleared, mux

COUNT_BITS = 16
RECORDED = (".count", ".owed", ".asked")  # how the names of the registers end that are added


def count_name(channel: Channel) -> str:
    """The register that counts the transactions of a channel."""
    return f"{channel.name}.count"


SENT = "sent."  # how the names of memories begin that record an output which is state as well


def record_name(contract: Contract, port: str) -> str:
    """The memory that records what is said on an output: it has the output's name, if no state has that."""
    return SENT + port if port in contract.held else port


def is_record(netlist: Netlist, memory: str) -> bool:
    """Is it the recorder of a channel, which is no part of the RTL?"""
    return memory.removeprefix(SENT) in netlist.outputs


def position(netlist: Netlist, contract: Contract, channel: Channel) -> Node:
    """The number of the transaction that a recorded channel makes in a cycle."""
    port = next(iter(channel.payload.values()), channel.valid)
    assert port is not None
    return netlist.memories[record_name(contract, port)].writes[0].address


def owed_name(answer: Answer) -> str:
    """The register that says that an answer is owed."""
    return f"{answer.channel.name}.owed"


def last_name(answer: Answer, payload_field: str) -> str:
    """The register with the request's last value of an echoed field."""
    return f"{answer.channel.name}.{payload_field}.asked"


def recorded(netlist: Netlist, contract: Contract) -> Netlist:
    """`netlist` with recorders for the channels of `contract`; unchanged when it has no command or no output channel."""
    outputs = [c for c in contract.channels if c.output and c.valid is not None]
    if contract.command is None or not outputs:
        return netlist
    return _Recorder(netlist, contract).run(outputs)


class _Recorder:
    def __init__(self, netlist: Netlist, contract: Contract) -> None:
        assert contract.command is not None
        self.netlist, self.contract = netlist, contract
        self.registers = dict(netlist.registers)
        self.memories = dict(netlist.memories)
        command = contract.command
        ready = netlist.outputs[command.ready] if command.ready else ONE
        self.taken = and_(self._input(command.valid), ready)

    def run(self, outputs: list[Channel]) -> Netlist:
        for channel in outputs:
            self._record(channel)
        for answer in self.contract.answers:
            if answer.late:
                self._owe(answer)
            for name, port in answer.echoes.items():
                self._keep(last_name(answer, name), self._fires(answer.request), self.netlist.outputs[port], port)
        return replace(self.netlist, registers=self.registers, memories=self.memories)

    def _input(self, name: str) -> Node:
        return Node("input", self.netlist.inputs[name], (), name)

    def _fires(self, channel: Channel) -> Node:
        assert channel.valid is not None
        valid = self.netlist.outputs[channel.valid]
        return and_(valid, self._input(channel.ready)) if channel.ready else valid

    def _location(self, port: str) -> Location:
        return self.netlist.locations.get(port) or Location(self.netlist.top, 0)

    def _record(self, channel: Channel) -> None:
        assert channel.valid is not None
        name, fires = count_name(channel), self._fires(channel)
        count = Node("reg", COUNT_BITS, (), name)
        zero = Node("const", COUNT_BITS, (), 0)
        position = mux(self.taken, zero, count)
        one = Node("const", COUNT_BITS, (), 1)
        counted = mux(self.taken, one, Node("add", COUNT_BITS, (count, one)))
        self._register(name, mux(fires, counted, position), channel.valid)
        payload = {p: self.netlist.outputs[p] for p in channel.payload.values()} or {channel.valid: ONE}
        for port, value in payload.items():
            name = record_name(self.contract, port)
            self.memories[name] = Memory(name, 1 << COUNT_BITS, value.width, (MemoryWrite(fires, position, value, None),), self._location(port))

    def _owe(self, answer: Answer) -> None:
        name = owed_name(answer)
        assert answer.channel.valid is not None
        following = mux(self._fires(answer.request), ONE, mux(self._input(answer.channel.valid), ZERO, Node("reg", 1, (), name)))
        self._register(name, following, answer.channel.valid)

    def _keep(self, name: str, when: Node, value: Node, port: str) -> None:
        self.registers[name] = Register(name, value.width, mux(when, value, Node("reg", value.width, (), name)), self._location(port))

    def _register(self, name: str, following: Node, port: str) -> None:
        following = cleared(following, self.contract.reset, self.contract.reset_active)
        self.registers[name] = Register(name, following.width, following, self._location(port), 0)
