"""Memories that a unit reaches through channels of its own → the same unit with these memories inside.

A request with an address that is answered with data in the next cycle reads a memory of a neighbour.  An output channel with an address, and data of the
same fields, whose name differs in the direction only, writes it.
"""

from __future__ import annotations

from dataclasses import replace

from lift.discover.bursts import DIRECTIONS
from lift.discover.channels import Answer, Channel, subject
from lift.discover.contract import Contract
from lift.netlist.model import Location, Memory, MemoryWrite, Netlist, Node, Register
from lift.netlist.rewire import ONE, and_, cleared, connected, mux


def with_memories(netlist: Netlist, contract: Contract) -> tuple[Netlist, Contract]:
    """The unit with what it reads by address inside, and with what it writes there; unchanged where there is none."""
    for answer in contract.answers:
        if not answer.late and answer.request.address is not None and answer.request.valid and set(answer.channel.payload) - set(answer.echoes):
            netlist, contract = _with_memory(netlist, contract, answer)
    asked = [a.request for a in contract.answers]
    for channel in contract.channels:
        if channel.output and channel not in asked and channel.valid and channel.address is not None and channel.carries_data:
            netlist, contract = _with_written(netlist, contract, channel)
    return netlist, contract


def _with_written(netlist: Netlist, contract: Contract, channel: Channel) -> tuple[Netlist, Contract]:
    """The unit with a memory inside that it only writes."""
    assert channel.valid is not None and channel.address is not None
    name = _free(_name(tuple(w for w in subject(channel.name) if w not in DIRECTIONS)), netlist)
    address, parts = netlist.outputs[channel.address], [netlist.outputs[p] for p in channel.payload.values() if p != channel.address]
    stored = parts[0] if len(parts) == 1 else Node("concat", sum(p.width for p in parts), tuple(reversed(parts)))
    write = MemoryWrite(and_(netlist.outputs[channel.valid], _input(netlist, channel.ready)), address, stored, None)
    where = netlist.locations.get(channel.address) or Location(netlist.top, 0)
    memory = Memory(name, 1 << address.width, stored.width, (write,), where)
    left = tuple(c for c in contract.channels if c is not channel)
    return replace(netlist, memories={**netlist.memories, name: memory}), replace(contract, channels=left, reached=(*contract.reached, (name, channel.name)))


def _with_memory(netlist: Netlist, contract: Contract, answer: Answer) -> tuple[Netlist, Contract]:
    request, channel = answer.request, answer.channel
    assert request.valid is not None and request.address is not None
    about = tuple(w for w in subject(channel.name) if w not in DIRECTIONS)
    name = _free(_name(about), netlist)
    where = netlist.locations.get(request.address) or Location(netlist.top, 0)
    asked = and_(netlist.outputs[request.valid], _input(netlist, request.ready))
    fields = [f for f in channel.payload if f not in answer.echoes]
    widths = [netlist.inputs[channel.payload[f]] for f in fields]
    word, valid = Node("reg", sum(widths), (), f"{name}.word"), Node("reg", 1, (), f"{name}.answered")
    address = netlist.outputs[request.address]
    read = Node("memread", word.width, (address,), name)
    registers = {**netlist.registers}
    registers[f"{name}.word"] = Register(f"{name}.word", word.width, mux(asked, read, word), where)
    registers[f"{name}.answered"] = Register(f"{name}.answered", 1, cleared(asked, contract.reset, contract.reset_active), where, 0)
    values: dict[str, Node] = {channel.valid: valid} if channel.valid else {}
    low = 0
    for field, width in zip(fields, widths, strict=True):
        values[channel.payload[field]] = Node("extract", width, (word,), low)
        low += width
    for field, port in answer.echoes.items():
        kept = Node("reg", netlist.inputs[channel.payload[field]], (), f"{name}.{field}")
        registers[f"{name}.{field}"] = Register(f"{name}.{field}", kept.width, mux(asked, netlist.outputs[port], kept), where)
        values[channel.payload[field]] = kept
    gone: list[Channel] = [request, channel]
    writes = []
    for other in contract.channels:
        stored = _stored(other, about, fields, netlist) if other.output and other is not request else None
        if stored is not None and other.address is not None and other.valid is not None and stored.width == word.width:
            enable = and_(netlist.outputs[other.valid], _input(netlist, other.ready))
            writes.append(MemoryWrite(enable, netlist.outputs[other.address], stored, None))
            gone.append(other)
    memory = Memory(name, 1 << address.width, word.width, tuple(writes), where)
    inputs = {n: w for n, w in netlist.inputs.items() if n not in values}
    whole = connected(replace(netlist, inputs=inputs, registers=registers, memories={**netlist.memories, name: memory}), values)
    left = tuple(c for c in contract.channels if c not in gone)
    spoken = tuple((name, c.name) for c in gone)
    return whole, replace(contract, channels=left, answers=tuple(a for a in contract.answers if a is not answer), reached=(*contract.reached, *spoken))


def _input(netlist: Netlist, ready: str | None) -> Node:
    return ONE if ready is None else Node("input", netlist.inputs[ready], (), ready)


def _stored(channel: Channel, about: tuple[str, ...], fields: list[str], netlist: Netlist) -> Node | None:
    """What a channel writes into the memory that answers with `fields`; None where it writes another one."""
    if tuple(w for w in subject(channel.name) if w not in DIRECTIONS) != about:
        return None
    said = {f.removeprefix("data_") if f != "data" else "bits": p for f, p in channel.payload.items() if p != channel.address}
    if set(said) != {f.removeprefix("data_") if f != "data" else "bits" for f in fields}:
        return None
    parts = [netlist.outputs[said[f.removeprefix("data_") if f != "data" else "bits"]] for f in fields]
    return parts[0] if len(parts) == 1 else Node("concat", sum(p.width for p in parts), tuple(reversed(parts)))


def _name(about: tuple[str, ...]) -> str:
    return "_".join(about[1:] if about[:1] == ("io",) and len(about) > 1 else about)


def _free(name: str, netlist: Netlist) -> str:
    taken = netlist.memories.keys() | netlist.registers.keys() | netlist.inputs.keys() | netlist.outputs.keys()
    return name if name not in taken else f"{name}_memory"
