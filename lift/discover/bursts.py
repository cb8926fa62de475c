"""Memory ports that move several beats a request -> the same design behind a port of single beats.

A *burst channel* is an output handshake with an address and a length (beats - 1), and the channels of its data: an input handshake with the words
read, or an output handshake with the words written and, perhaps, one that acknowledges them.  All bursts of a design reach one memory.  The
adapter below is what such a memory does, as registers and expressions like the design's own; what remains at the port is a request a beat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from lift.discover.channels import LAST, Burst, Channel, subject
from lift.discover.ports import Contract, MemoryPort
from lift.errors import UserError
from lift.netlist.model import Location, MemoryWrite, Netlist, Node, Register

LENGTH = re.compile(r"(?:^|_)(?:len|length)$")
DIRECTIONS = frozenset("rd wr read write r w ar aw".split())
_ONE, _ZERO = Node("const", 1, (), 1), Node("const", 1, (), 0)


def bursts(found: Iterable[Channel], netlist: Netlist) -> tuple[Burst, ...]:
    """The bursts among the channels of a port list, those that write first; none where their words are not equally many whole bytes."""
    found = tuple(found)
    result = [b for c in found if c.output and c.valid and (b := _burst(c, found, netlist)) is not None]
    widths = {_width(netlist, b.word) for b in result}
    even = len(widths) == 1 and all(w % 8 == 0 for w in widths)
    return tuple(sorted(result, key=lambda b: not b.writes)) if even else ()


def _burst(request: Channel, found: tuple[Channel, ...], netlist: Netlist) -> Burst | None:
    length = next((p for f, p in request.payload.items() if LENGTH.search(f)), None)
    if request.address is None or length is None:
        return None
    related = [c for c in found if c is not request and c.valid and subject(c.name) == subject(request.name)]
    data = next((c for c in related if c.carries_data and any(c.is_data(f) for f in c.payload)), None)
    if data is None:
        return None
    done = next((c for c in related if not c.output and c is not data), None)
    return Burst(request, request.address, length, data, done if data.output else None)


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
        busy, beats = _ZERO, []
        for burst in found:
            beat = (self._writing if burst.writes else self._reading)(burst, busy)
            beats.append(beat)
            busy = _or(busy, beat.wanted)
        inputs = {n: w for n, w in self.netlist.inputs.items() if n not in self.answers}
        if self.port.response_valid and self.port.response_data:
            inputs |= {self.port.response_valid: 1, self.port.response_data: 8 * self.port.data_bytes}
        whole = replace(
            self.netlist, inputs=inputs, outputs={**self.netlist.outputs, **self._request(beats, busy)}, registers={**self.netlist.registers, **self.registers}
        )
        return _connected(whole, self.answers)

    def _request(self, beats: list[_Beat], wanted: Node) -> dict[str, Node]:
        """The outputs of the port: those of the first burst that wants a beat."""
        port, bits = self.port, self.port.address_bits
        address = beats[-1].address
        for beat in reversed(beats[:-1]):
            address = _mux(beat.wanted, beat.address, address)
        outputs = {port.request_valid: wanted, port.address: address}
        written = [(b.wanted, b.data, b.mask) for b in beats if b.data is not None and b.mask is not None]
        if port.write and port.write_data and port.write_mask:
            (wanted, data, mask), *others = reversed(written)
            write = wanted
            for wanted, more, under in others:
                data, mask, write = _mux(wanted, more, data), _mux(wanted, under, mask), _or(write, wanted)
            outputs |= {port.write: write, port.write_data: data, port.write_mask: mask}
        assert address.width == bits
        return outputs

    def _begun(self, burst: Burst, moved: Node) -> tuple[Node, Node]:
        """The registers of any burst: beats left and the address of the next one; `moved`: a beat is done with."""
        name, netlist = burst.request.name, self.netlist
        length, start = netlist.outputs[burst.length], netlist.outputs[burst.address]
        left, address = self._reg(f"{name}.left", length.width + 1), self._reg(f"{name}.address", self.port.address_bits)
        idle = _equal(left, 0)
        begins = _and(netlist.outputs[str(burst.request.valid)], idle)
        beats = Node("add", left.width, (_resized(length, left.width), _const(1, left.width)))
        fewer = Node("sub", left.width, (left, _const(1, left.width)))
        further = Node("add", address.width, (address, _const(self.step, address.width)))
        self._set(burst, f"{name}.left", _mux(begins, beats, _mux(moved, fewer, left)))
        self._set(burst, f"{name}.address", _mux(begins, _resized(start, address.width), _mux(moved, further, address)))
        if burst.request.ready:
            self.answers[burst.request.ready] = idle
        return left, address

    def _reading(self, burst: Burst, busy: Node) -> _Beat:
        """A beat is asked for, comes in the next cycle, and is held until it is taken."""
        name, data, netlist = burst.request.name, burst.data, self.netlist
        asked, full, held = self._reg(f"{name}.asked", 1), self._reg(f"{name}.full", 1), self._reg(f"{name}.word", 8 * self.step)
        assert data.valid is not None and self.port.response_valid is not None and self.port.response_data is not None
        taken = _and(full, netlist.outputs[data.ready]) if data.ready else full
        left, address = self._begun(burst, taken)
        wanted = _and(_not(busy), _and(_not(_equal(left, 0)), _and(_not(asked), _not(full))))
        comes = _and(asked, Node("input", 1, (), self.port.response_valid))
        self._set(burst, f"{name}.asked", _mux(wanted, _ONE, _mux(comes, _ZERO, asked)))
        self._set(burst, f"{name}.full", _mux(comes, _ONE, _mux(taken, _ZERO, full)))
        self._set(burst, f"{name}.word", _mux(comes, Node("input", 8 * self.step, (), self.port.response_data), held))
        self.answers |= {data.valid: full, burst.word: _resized(held, netlist.inputs[burst.word])}
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
                self.answers[port] = _equal(left, 1)
            elif asked is not None:
                name = f"{burst.request.name}.{field}"
                kept = self._reg(name, width)
                begins = _and(self.netlist.outputs[str(burst.request.valid)], _equal(left, 0))
                self._set(burst, name, _mux(begins, _resized(self.netlist.outputs[asked], width), kept))
                self.answers[port] = kept
            else:
                self.answers[port] = _const(0, width)

    def _writing(self, burst: Burst, busy: Node) -> _Beat:
        """A beat is taken and written in one cycle; the last one is acknowledged from the next cycle on."""
        data, netlist, done = burst.data, self.netlist, burst.done
        assert data.valid is not None
        left_now = self._reg(f"{burst.request.name}.left", netlist.outputs[burst.length].width + 1)
        ready = _and(_not(busy), _not(_equal(left_now, 0)))
        wanted = _and(ready, netlist.outputs[data.valid])
        left, address = self._begun(burst, wanted)
        if data.ready:
            self.answers[data.ready] = ready
        if done is not None and done.valid is not None:
            name = f"{burst.request.name}.done"
            owed = self._reg(name, 1)
            taken = netlist.outputs[done.ready] if done.ready else _ONE
            self._set(burst, name, _mux(_and(wanted, _equal(left, 1)), _ONE, _mux(taken, _ZERO, owed)))
            self.answers[done.valid] = owed
            self.answers |= {p: _const(0, netlist.inputs[p]) for p in done.payload.values()}
        whole = _const((1 << self.step) - 1, self.step)
        mask = netlist.outputs[burst.strobe] if burst.strobe else whole
        return _Beat(wanted, address, _resized(netlist.outputs[burst.word], 8 * self.step), _resized(mask, self.step))

    def _reg(self, name: str, width: int) -> Node:
        return Node("reg", width, (), name)

    def _set(self, burst: Burst, name: str, following: Node) -> None:
        if self.reset is not None:
            zero, line = _const(0, following.width), Node("input", 1, (), self.reset)
            following = _mux(line, zero, following) if self.active else _mux(line, following, zero)
        where = self.netlist.locations.get(burst.address) or Location(self.netlist.top, 0)
        self.registers[name] = Register(name, following.width, following, where, 0)


def _connected(netlist: Netlist, values: dict[str, Node]) -> Netlist:
    """`netlist` with expressions in place of some inputs.  Raises UserError where one of them depends on itself."""
    moved = _Replacing(values).of
    memories = {n: replace(m, writes=tuple(_ported(w, moved) for w in m.writes)) for n, m in netlist.memories.items()}
    return replace(
        netlist,
        registers={n: replace(r, next=moved(r.next)) for n, r in netlist.registers.items()},
        outputs={n: moved(o) for n, o in netlist.outputs.items()},
        memories=memories,
        wires={n: moved(o) for n, o in netlist.wires.items()},
        assertions=tuple(replace(a, holds=moved(a.holds)) for a in netlist.assertions),
    )


def _ported(write: MemoryWrite, moved: Callable[[Node], Node]) -> MemoryWrite:
    mask = None if write.mask is None else moved(write.mask)
    return MemoryWrite(moved(write.enable), moved(write.address), moved(write.data), mask)


class _Replacing:
    """Expressions with others in place of inputs; each node is rebuilt once."""

    def __init__(self, values: dict[str, Node]) -> None:
        self.values = values
        self.done: dict[Node, Node] = {}

    def of(self, root: Node) -> Node:
        stack, entered = [root], set[Node]()
        while stack:
            node = stack[-1]
            missing = [a for a in self._needs(node) if a not in self.done]
            if node in self.done or not missing:
                self.done.setdefault(stack.pop(), self._rebuilt(node))
                continue
            if any(a in entered for a in missing) or node in entered:
                problem = "a handshake of the memory port answers itself within one cycle"
                raise UserError(None, problem, "register valid or ready, or state another memory port in a descriptor")
            entered.add(node)
            stack += missing
        return self.done[root]

    def _needs(self, node: Node) -> tuple[Node, ...]:
        return (self.values[str(node.attr)],) if node.op == "input" and node.attr in self.values else node.args

    def _rebuilt(self, node: Node) -> Node:
        args = tuple(self.done[a] for a in self._needs(node) if a in self.done)
        if node.op == "input" and args:
            return args[0]
        return node if args == node.args else replace(node, args=args)


def _const(value: int, width: int) -> Node:
    return Node("const", width, (), value)


def _not(a: Node) -> Node:
    return Node("not", 1, (a,))


def _and(a: Node, b: Node) -> Node:
    return Node("and", 1, (a, b))


def _or(a: Node, b: Node) -> Node:
    return b if a is _ZERO else Node("or", 1, (a, b))


def _equal(a: Node, value: int) -> Node:
    return Node("eq", 1, (a, _const(value, a.width)))


def _mux(condition: Node, then: Node, otherwise: Node) -> Node:
    return then if then is otherwise else Node("mux", then.width, (condition, then, otherwise))


def _resized(value: Node, width: int) -> Node:
    if value.width == width:
        return value
    return Node("zext", width, (value,)) if value.width < width else Node("extract", width, (value,), 0)
