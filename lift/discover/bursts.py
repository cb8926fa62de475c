"""Memory ports that move several beats a request -> the same design behind a port of single beats.

A *burst channel* is an output handshake with an address and a length (beats - 1), and the channels of its data: an input handshake with the words
read, or an output handshake with the words written and, perhaps, one that acknowledges them.  Where what is written has a channel of its own, there may
be no length: every request is one beat.  All bursts of a design reach one memory.  The
adapter below is what such a memory does, as registers and expressions like the design's own; what remains at the port is a request a beat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lift.discover.channels import LAST, Burst, Channel, subject
from lift.discover.ports import Contract, MemoryPort
from lift.netlist.model import Location, Netlist, Node, Register
from lift.netlist.rewire import ONE, ZERO, and_, cleared, connected, const, equal, mux, not_, or_, resized

LENGTH = re.compile(r"(?:^|_)(?:len|length)$")
DIRECTIONS = frozenset("rd wr read write r w ar aw".split())
ASCENDING = 1  # INCR



def bursts(found: Iterable[Channel], netlist: Netlist) -> tuple[Burst, ...]:
    """The bursts among the channels of a port list, those that write first; none where their words are not equally many whole bytes."""
    found = tuple(found)
    result = [b for c in found if c.output and c.valid and (b := _burst(c, found, netlist)) is not None]
    single = any(b.writes and b.length is None for b in result)
    result = [b for b in result if b.length is not None or single]
    widths = {_width(netlist, b.word) for b in result}
    even = len(widths) == 1 and all(w % 8 == 0 for w in widths)
    return tuple(sorted(result, key=lambda b: not b.writes)) if even else ()


def _burst(request: Channel, found: tuple[Channel, ...], netlist: Netlist) -> Burst | None:
    length = next((p for f, p in request.payload.items() if LENGTH.search(f)), None)
    if request.address is None or (length is None and request.carries_data):
        return None
    related = [c for c in found if c is not request and c.valid and subject(c.name) == subject(request.name)]
    data = next((c for c in related if c.carries_data and any(c.is_data(f) for f in c.payload)), None)
    if data is None or _elsewhere(request, length, netlist):
        return None
    done = next((c for c in related if not c.output and c is not data), None)
    return Burst(request, request.address, length, data, done if data.output else None)


def _elsewhere(request: Channel, length: str | None, netlist: Netlist) -> bool:
    """Does it say that the beats of a request are not at ascending addresses (AMBA AXI protocol specification, A3.4.1)?"""
    kinds = [netlist.outputs[p] for f, p in request.payload.items() if f == "burst"]
    several = length is not None and not (netlist.outputs[length].op == "const" and not netlist.outputs[length].attr)
    return several and any(k.op == "const" and k.attr != ASCENDING for k in kinds)


def burst_ports(found: Iterable[Burst]) -> frozenset[str]:
    """The ports of their channels."""
    used = [c for b in found for c in (b.request, b.data, b.done) if c is not None]
    return frozenset(p for c in used for p in (c.valid, c.ready, *c.payload.values()) if p)


def port_of(found: tuple[Burst, ...], netlist: Netlist) -> MemoryPort:
    """The port of single beats that remains."""
    named = [[w for w in subject(b.request.name) if w not in DIRECTIONS and not w.isdigit()] for b in found]
    name = "_".join(a for a, *others in zip(*named, strict=False) if all(a == b for b in others)).removeprefix("io_") or "mem"
    reads, writes = any(not b.writes for b in found), any(b.writes for b in found)
    return MemoryPort(
        name, f"{name}.valid", None, f"{name}.address", f"{name}.write" if writes else None, f"{name}.write_data" if writes else None,
        f"{name}.write_mask" if writes else None, f"{name}.answer_valid" if reads else None, f"{name}.answer" if reads else None,
        max(_width(netlist, b.address) for b in found), _width(netlist, found[0].word) // 8,
    )  # fmt: skip


def _width(netlist: Netlist, port: str) -> int:
    return netlist.inputs[port] if port in netlist.inputs else netlist.outputs[port].width


def single_beats(netlist: Netlist, contract: Contract) -> Netlist:
    """`netlist` behind an adapter of its bursts to the contract's memory port; unchanged without bursts."""
    if contract.memory is None or not contract.bursts:
        return netlist
    return _Adapter(netlist, contract.memory, contract.reset, contract.reset_active).run(contract.bursts)


@dataclass(frozen=True, slots=True)
class _Beat:
    """What one burst asks of the port in a cycle."""

    wanted: Node
    address: Node
    data: Node | None = None
    mask: Node | None = None


class _Adapter:
    """Bursts take turns at the port, those named first before the others; one burst of each is under way at a time, one beat after another."""

    def __init__(self, netlist: Netlist, port: MemoryPort, reset: str | None, active: int) -> None:
        self.netlist, self.port, self.reset, self.active = netlist, port, reset, active
        self.registers: dict[str, Register] = {}
        self.answers: dict[str, Node] = {}  # inputs of the design and what they are now
        self.step = port.data_bytes

    def run(self, found: tuple[Burst, ...]) -> Netlist:
        busy, beats = ZERO, []
        for burst in found:
            beat = (self._writing if burst.writes else self._reading)(burst, busy)
            beats.append(beat)
            busy = or_(busy, beat.wanted)
        inputs = {n: w for n, w in self.netlist.inputs.items() if n not in self.answers}
        if self.port.response_valid and self.port.response_data:
            inputs |= {self.port.response_valid: 1, self.port.response_data: 8 * self.port.data_bytes}
        whole = replace(
            self.netlist, inputs=inputs, outputs={**self.netlist.outputs, **self._request(beats, busy)}, registers={**self.netlist.registers, **self.registers}
        )
        return connected(whole, self.answers)

    def _request(self, beats: list[_Beat], wanted: Node) -> dict[str, Node]:
        """The outputs of the port: those of the first burst that wants a beat."""
        port, bits = self.port, self.port.address_bits
        address = beats[-1].address
        for beat in reversed(beats[:-1]):
            address = mux(beat.wanted, beat.address, address)
        outputs = {port.request_valid: wanted, port.address: address}
        written = [(b.wanted, b.data, b.mask) for b in beats if b.data is not None and b.mask is not None]
        if port.write and port.write_data and port.write_mask:
            (wanted, data, mask), *others = reversed(written)
            write = wanted
            for wanted, more, under in others:
                data, mask, write = mux(wanted, more, data), mux(wanted, under, mask), or_(write, wanted)
            outputs |= {port.write: write, port.write_data: data, port.write_mask: mask}
        assert address.width == bits
        return outputs

    def _begun(self, burst: Burst, moved: Node) -> tuple[Node, Node]:
        """The registers of any burst: beats left and the address of the next one; `moved`: a beat is done with."""
        name, netlist = burst.request.name, self.netlist
        length, start = self._length(burst), netlist.outputs[burst.address]
        left, address = self._reg(f"{name}.left", length.width + 1), self._reg(f"{name}.address", self.port.address_bits)
        idle = equal(left, 0)
        begins = and_(netlist.outputs[str(burst.request.valid)], idle)
        beats = Node("add", left.width, (resized(length, left.width), const(1, left.width)))
        fewer = Node("sub", left.width, (left, const(1, left.width)))
        further = Node("add", address.width, (address, const(self.step, address.width)))
        self._set(burst, f"{name}.left", mux(begins, beats, mux(moved, fewer, left)))
        self._set(burst, f"{name}.address", mux(begins, resized(start, address.width), mux(moved, further, address)))
        if burst.request.ready:
            self.answers[burst.request.ready] = idle
        return left, address

    def _reading(self, burst: Burst, busy: Node) -> _Beat:
        """A beat is asked for, comes in the next cycle, and is held until it is taken."""
        name, data, netlist = burst.request.name, burst.data, self.netlist
        asked, full, held = self._reg(f"{name}.asked", 1), self._reg(f"{name}.full", 1), self._reg(f"{name}.word", 8 * self.step)
        assert data.valid is not None and self.port.response_valid is not None and self.port.response_data is not None
        taken = and_(full, netlist.outputs[data.ready]) if data.ready else full
        left, address = self._begun(burst, taken)
        wanted = and_(not_(busy), and_(not_(equal(left, 0)), and_(not_(asked), not_(full))))
        comes = and_(asked, Node("input", 1, (), self.port.response_valid))
        self._set(burst, f"{name}.asked", mux(wanted, ONE, mux(comes, ZERO, asked)))
        self._set(burst, f"{name}.full", mux(comes, ONE, mux(taken, ZERO, full)))
        self._set(burst, f"{name}.word", mux(comes, Node("input", 8 * self.step, (), self.port.response_data), held))
        self.answers |= {data.valid: full, burst.word: resized(held, netlist.inputs[burst.word])}
        self._repeat(burst, left)
        return _Beat(wanted, address)

    def _repeat(self, burst: Burst, left: Node) -> None:
        """Payload beside the words: the mark of the last beat, and fields of the request that come back."""
        for field, port in burst.data.payload.items():
            if port == burst.word:
                continue
            width = self.netlist.inputs[port]
            asked = burst.request.payload.get(field)
            if LAST.search(field):
                self.answers[port] = equal(left, 1)
            elif asked is not None:
                name = f"{burst.request.name}.{field}"
                kept = self._reg(name, width)
                begins = and_(self.netlist.outputs[str(burst.request.valid)], equal(left, 0))
                self._set(burst, name, mux(begins, resized(self.netlist.outputs[asked], width), kept))
                self.answers[port] = kept
            else:
                self.answers[port] = const(0, width)

    def _writing(self, burst: Burst, busy: Node) -> _Beat:
        """A beat is taken and written in one cycle; the last one is acknowledged from the next cycle on."""
        data, netlist, done = burst.data, self.netlist, burst.done
        assert data.valid is not None
        left_now = self._reg(f"{burst.request.name}.left", self._length(burst).width + 1)
        ready = and_(not_(busy), not_(equal(left_now, 0)))
        wanted = and_(ready, netlist.outputs[data.valid])
        left, address = self._begun(burst, wanted)
        if data.ready:
            self.answers[data.ready] = ready
        if done is not None and done.valid is not None:
            name = f"{burst.request.name}.done"
            owed = self._reg(name, 1)
            taken = netlist.outputs[done.ready] if done.ready else ONE
            self._set(burst, name, mux(and_(wanted, equal(left, 1)), ONE, mux(taken, ZERO, owed)))
            self.answers[done.valid] = owed
            self.answers |= {p: const(0, netlist.inputs[p]) for p in done.payload.values()}
        whole = const((1 << self.step) - 1, self.step)
        mask = netlist.outputs[burst.strobe] if burst.strobe else whole
        return _Beat(wanted, address, resized(netlist.outputs[burst.word], 8 * self.step), resized(mask, self.step))

    def _length(self, burst: Burst) -> Node:
        return const(0, 1) if burst.length is None else self.netlist.outputs[burst.length]

    def _reg(self, name: str, width: int) -> Node:
        return Node("reg", width, (), name)

    def _set(self, burst: Burst, name: str, following: Node) -> None:
        following = cleared(following, self.reset, self.active)
        where = self.netlist.locations.get(burst.address) or Location(self.netlist.top, 0)
        self.registers[name] = Register(name, following.width, following, where, 0)
