"""Instructions from the decoder: which slices of the command words are compared with which constants, and what those are called.

A comparison counts when one side is a slice of a payload word, directly or through registers that only latch it.  The slice with the most
named constants is the opcode; further slices with named constants split an opcode that looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass

from lift.discover.contract import CommandPort
from lift.netlist.model import Netlist, Node
from lift.unroll.structure import nodes_below

SUBCODE_BITS = 8


@dataclass(frozen=True, slots=True)
class PayloadSlice:
    """Bits [low + width - 1 : low] of a command word."""

    word: str
    low: int
    width: int


@dataclass(frozen=True, slots=True)
class Decoder:
    """`opcode`: the slice that names the instruction, with its named values; `subcodes`: other slices with named values."""

    opcode: PayloadSlice
    names: dict[int, str]
    subcodes: dict[PayloadSlice, dict[int, str]]


def decoder(netlist: Netlist, port: CommandPort) -> Decoder | None:
    """The decoder found behind `port`, or None when nothing of its payload is compared with a constant."""
    compared = comparisons(netlist, port)
    named = {part: labels for part, values in compared.items() if (labels := {v: n for v, n in values.items() if n})}
    if not named:
        named = {part: {v: f"op_{v}" for v in values} for part, values in compared.items() if len(values) > 1}
    if not named:
        return None
    opcode = max(named, key=lambda part: (len(named[part]), -part.low))
    subcodes = {part: {v: n.lower() for v, n in labels.items()} for part, labels in named.items() if part != opcode and part.width <= SUBCODE_BITS}
    return Decoder(opcode, _shorten(named[opcode]), subcodes)


def comparisons(netlist: Netlist, port: CommandPort) -> dict[PayloadSlice, dict[int, str | None]]:
    """For each slice of the payload that is compared for equality: the constants, and the names they were written as."""
    tracer = _Tracer(netlist, port)
    roots = [r.next for r in netlist.registers.values()] + list(netlist.outputs.values())
    roots += [n for m in netlist.memories.values() for w in m.writes for n in (w.enable, w.address, w.data)]
    found: dict[PayloadSlice, dict[int, str | None]] = {}
    for node in nodes_below(*roots):
        if node.op != "eq":
            continue
        value, constant = node.args if node.args[1].op == "const" else node.args[::-1]
        part = tracer.slice(value) if constant.op == "const" and value.op != "const" else None
        if part is not None:
            values = found.setdefault(part, {})
            values[int(constant.attr)] = constant.label or values.get(int(constant.attr))  # type: ignore[arg-type]
    return found


def payload_slices(netlist: Netlist, port: CommandPort) -> dict[str, PayloadSlice]:
    """Wires and registers that are a slice of a payload word, by name."""
    tracer = _Tracer(netlist, port)
    return {name: part for name, node in netlist.wires.items() if (part := tracer.slice(node)) is not None}


class _Tracer:
    """Follows a value back to a slice of the payload."""

    def __init__(self, netlist: Netlist, port: CommandPort) -> None:
        self.netlist = netlist
        self.words = {input_name: word for word, input_name in port.words.items()}
        self._registers: dict[str, PayloadSlice | None] = {}

    def slice(self, node: Node) -> PayloadSlice | None:
        match node.op:
            case "input":
                word = self.words.get(str(node.attr))
                return PayloadSlice(word, 0, node.width) if word else None
            case "extract":
                inner = self.slice(node.args[0])
                return PayloadSlice(inner.word, inner.low + int(node.attr or 0), node.width) if inner else None
            case "reg":
                return self._latched(str(node.attr))
        return None

    def _latched(self, name: str) -> PayloadSlice | None:
        """The slice that a register latches, when all it ever takes is that slice, constants, or its own value."""
        if name not in self._registers:
            self._registers[name] = None
            slices: set[PayloadSlice | None] = set()
            stack = [self.netlist.registers[name].next]
            while stack:
                node = stack.pop()
                if node.op == "mux":
                    stack += node.args[1:]
                elif node.op != "const" and not (node.op == "reg" and node.attr == name):
                    slices.add(self.slice(node))
            self._registers[name] = slices.pop() if len(slices) == 1 else None
        return self._registers[name]


def _shorten(names: dict[int, str]) -> dict[int, str]:
    """Lower case, without the prefix (up to an underscore) that all of several names share, unless numbers or nothing would be left."""
    values = list(names.values())
    first, last = min(values), max(values)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    common = first[:same] if len(values) > 1 else ""
    cut = common.rfind("_") + 1
    whole = any(not v[cut:] or v[cut].isdigit() for v in values)
    return {value: (name if whole else name[cut:]).lower() for value, name in names.items()}
