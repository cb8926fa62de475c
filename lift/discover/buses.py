"""A port of registers on a bus (APB, AXI4-Lite, Wishbone) -> the same design behind a handshake that takes one register write at a time.

Accelerators are often told what to do by writes to registers, one of which starts the work (a doorbell).  Each write is a command: its address says which,
its data is the operand.  The adapter below is the bus master, as registers and expressions like the design's own: it takes a write (`BUS.write_valid`,
`BUS.write_ready`, `BUS.write_addr`, `BUS.write_data`), carries it out by the rules of the bus, and never reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lift.discover.spelling import WRITE
from lift.netlist.model import Location, Netlist, Node, Register
from lift.netlist.rewire import ONE, and_, cleared, connected, const, mux, not_, or_, resized


@dataclass(frozen=True, slots=True)
class Bus:
    """`ports` maps the standard's name of each signal to the port; `name` is what the names of the ports have in common."""

    protocol: str
    name: str
    ports: dict[str, str]


@dataclass(frozen=True, slots=True)
class Protocol:
    """Signals by the standard's names: inputs and outputs that a slave must have, others that it may have (what a master drives them to: all ones,
    or 0; or outputs), and what must not be there."""

    name: str
    driven: tuple[str, ...]
    answered: tuple[str, ...]
    ones: tuple[str, ...]
    zeros: tuple[str, ...]
    may_answer: tuple[str, ...]
    excluded: tuple[str, ...]
    master: Callable[[_Master], None]
    address: str
    data: str


def buses(netlist: Netlist) -> list[Bus]:
    """The buses of registers in the port list of the top module."""
    return [bus for protocol in PROTOCOLS for bus in _matches(protocol, netlist)]


def _matches(protocol: Protocol, netlist: Netlist) -> Iterator[Bus]:
    first = protocol.driven[0]
    for port in netlist.inputs:
        prefix = _prefix(port, first)
        if prefix is None:
            continue
        ports = {signal: p for signal in _signals(protocol) if (p := _port(signal, prefix, netlist)) is not None}
        driven = all(ports.get(s) in netlist.inputs for s in protocol.driven)
        answered = all(ports.get(s) in netlist.outputs for s in protocol.answered)
        if driven and answered and not any(_port(s, prefix, netlist) for s in protocol.excluded):
            yield Bus(protocol.name, prefix.strip("_.").lower() or protocol.name.lower().replace("4-", "_"), ports)


def _signals(protocol: Protocol) -> tuple[str, ...]:
    return (*protocol.driven, *protocol.answered, *protocol.ones, *protocol.zeros, *protocol.may_answer)


_SUFFIXES = ("", "_i", "_o", "_in", "_out")
_ALSO = {"dat": "dat_w"}


def _prefix(port: str, signal: str) -> str | None:
    """What stands before a signal's name in a port's name, None if this is no port of that signal."""
    match = re.fullmatch(rf"(.*?)({signal})(?:_i|_in)?", port, re.IGNORECASE)
    return match[1] if match is not None and (match[1] == "" or match[1].endswith("_")) else None


def _port(signal: str, prefix: str, netlist: Netlist) -> str | None:
    """The port of a signal whose name has the same prefix, in the same case or the other."""
    stems = [prefix, "o_" + prefix[2:]] if prefix.startswith("i_") else [prefix]
    candidates = (stem + spelled + end for stem in stems for spelled in (signal, signal.upper(), _ALSO.get(signal, signal)) for end in _SUFFIXES)
    return next((c for c in candidates if c in netlist.inputs or c in netlist.outputs), None)


def behind_buses(netlist: Netlist, reset: str | None, level: int) -> Netlist:
    """`netlist` with an adapter for its bus of registers, when it has exactly one; unchanged otherwise.  The adapter's registers are 0 while `reset` has
    this level."""
    found = buses(netlist)
    return _Master(netlist, found[0], reset, level).run() if len(found) == 1 else netlist


def of_bus(valid: str, port: str) -> bool:
    """Is an output one of the bus whose adapter takes writes at `valid`?"""
    name, cut, _ = valid.partition(WRITE)
    return bool(cut) and port.lower().removeprefix("o_").startswith(name.removeprefix("i_") + "_")


class _Master:
    """Carries out one write at a time."""

    def __init__(self, netlist: Netlist, bus: Bus, reset: str | None, level: int) -> None:
        self.netlist, self.bus, self.reset, self.level = netlist, bus, reset, level
        self.protocol = next(p for p in PROTOCOLS if p.name == bus.protocol)
        self.registers: dict[str, Register] = {}
        self.driven: dict[str, Node] = {}  # inputs of the design, by the standard's name of the signal
        self.valid = Node("input", 1, (), f"{bus.name}{WRITE}valid")
        self.ready: Node = ONE

    def run(self) -> Netlist:
        self.protocol.master(self)
        ports, netlist, name = self.bus.ports, self.netlist, self.bus.name
        words = {"addr": ports[self.protocol.address], "data": ports[self.protocol.data]}
        taken = and_(self.valid, self.ready)
        for word, port in words.items():
            bits = netlist.inputs[port]
            kept = self.reg(word, bits)
            self.set(word, mux(taken, Node("input", bits, (), f"{name}{WRITE}{word}"), kept))
            self.driven[self.protocol.address if word == "addr" else self.protocol.data] = kept
        values = {ports[s]: resized(v, netlist.inputs[ports[s]]) for s, v in self.driven.items() if s in ports}
        for signal in (*self.protocol.ones, *self.protocol.zeros):
            if signal in ports and ports[signal] in netlist.inputs:
                bits = netlist.inputs[ports[signal]]
                values[ports[signal]] = const((1 << bits) - 1 if signal in self.protocol.ones else 0, bits)
        inputs = {n: w for n, w in netlist.inputs.items() if n not in values}
        inputs |= {f"{name}{WRITE}valid": 1} | {f"{name}{WRITE}{word}": netlist.inputs[port] for word, port in words.items()}
        whole = replace(
            netlist,
            inputs=inputs,
            outputs={**netlist.outputs, f"{name}{WRITE}ready": self.ready},
            registers={**netlist.registers, **self.registers},
        )
        return connected(whole, values)

    def answer(self, signal: str) -> Node:
        """An output of the slave; one that it does not have is always 1."""
        port = self.bus.ports.get(signal)
        return ONE if port is None else self.netlist.outputs[port]

    def reg(self, name: str, width: int) -> Node:
        return Node("reg", width, (), self._name(name))

    def _name(self, register: str) -> str:
        return f"{self.bus.name}{WRITE}{register}"

    def set(self, name: str, following: Node) -> None:
        """What a register becomes; 0 in reset."""
        following = cleared(following, self.reset, self.level)
        where = self.netlist.locations.get(self.bus.ports[self.protocol.driven[0]]) or Location(self.netlist.top, 0)
        self.registers[self._name(name)] = Register(self._name(name), following.width, following, where, 0)


def _apb(master: _Master) -> None:
    """A cycle of setup, then the access until the slave is ready."""
    selected, enabled = master.reg("selected", 1), master.reg("enabled", 1)
    master.ready = not_(selected)
    done = and_(enabled, master.answer("pready"))
    master.set("selected", mux(selected, not_(done), master.valid))
    master.set("enabled", and_(selected, not_(done)))
    master.driven |= {"psel": selected, "penable": enabled, "pwrite": selected}


def _axi_lite(master: _Master) -> None:
    """Address and data are offered at once, each until it is taken, and the answer is waited for."""
    address, data, answer = (master.reg(n, 1) for n in ("address_offered", "data_offered", "unanswered"))
    master.ready = not_(or_(answer, or_(address, data)))
    begins = and_(master.valid, master.ready)
    for name, flag, ends in (("address_offered", address, "awready"), ("data_offered", data, "wready"), ("unanswered", answer, "bvalid")):
        master.set(name, mux(begins, ONE, and_(flag, not_(master.answer(ends)))))
    master.driven |= {"awvalid": address, "wvalid": data, "bready": answer}


def _wishbone(master: _Master) -> None:
    """A cycle that lasts until the slave acknowledges it."""
    busy = master.reg("busy", 1)
    master.ready = not_(busy)
    master.set("busy", mux(busy, not_(master.answer("ack")), master.valid))
    master.driven |= {"cyc": busy, "stb": busy, "we": busy}


PROTOCOLS = (
    Protocol("APB", ("psel", "penable", "pwrite", "paddr", "pwdata"), (), ("pstrb",), ("pprot",), ("pready",), (), _apb, "paddr", "pwdata"),
    Protocol(
        "AXI4-Lite", ("awvalid", "awaddr", "wvalid", "wdata", "bready"), ("awready", "wready", "bvalid"),
        ("wstrb",), ("awprot", "arvalid", "araddr", "arprot", "rready"), (), ("awlen", "arlen"), _axi_lite, "awaddr", "wdata",
    ),
    Protocol("Wishbone", ("cyc", "stb", "we", "adr", "dat"), ("ack",), ("sel",), ("cti", "bte"), (), (), _wishbone, "adr", "dat"),
)  # fmt: skip
