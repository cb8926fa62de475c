"""Instructions from the decoder: which slices of the command words are compared with which constants, and what those are called.

A comparison counts when one side is a slice of a payload word, directly or through registers that only latch it.  The slice with the most
named constants is the opcode; further slices with named constants split an opcode that looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lift.netlist.model import Netlist, Node
from lift.netlist.simulate import order
from lift.unroll.structure import leaves, nodes_below

if TYPE_CHECKING:
    from lift.discover.contract import CommandPort

SUBCODE_BITS = 8


@dataclass(frozen=True, slots=True)
class PayloadSlice:
    """Bits [low + width - 1 : low] of a command word."""

    word: str
    low: int
    width: int


@dataclass(frozen=True, slots=True)
class Decoder:
    """`opcode`: the slice that names the instruction, with its named values (None: there is one instruction only); `subcodes`: other slices
    with named values; `others`: there are values that nothing is compared with; they are an instruction as well, if they do anything."""

    opcode: PayloadSlice | None
    names: dict[int, str]
    subcodes: dict[PayloadSlice, dict[int, str]]
    others: bool = False


def decoder(netlist: Netlist, port: CommandPort) -> Decoder | None:
    """The decoder found behind `port`, or None when nothing of its payload is compared with a constant."""
    compared = comparisons(netlist, port)
    named = {part: labels for part, values in compared.items() if (labels := {v: n for v, n in values.items() if n})}
    if not named:
        return _nameless(netlist, port, compared)
    opcode = max(named, key=lambda part: (len(named[part]), -part.low))
    subcodes = {part: {v: n.lower() for v, n in labels.items()} for part, labels in named.items() if part != opcode and part.width <= SUBCODE_BITS}
    names = _shorten(named[opcode])
    return Decoder(opcode, names, subcodes, others=len(names) < 1 << opcode.width)


def only(port: CommandPort) -> Decoder:
    """The decoder of a port that takes one instruction, which is called like the port's pulse."""
    return Decoder(None, {0: port.valid.rsplit("_", 1)[-1]}, {})


def _nameless(netlist: Netlist, port: CommandPort, compared: dict[PayloadSlice, dict[int, str | None]]) -> Decoder | None:
    """Of slices that are compared with constants without names, the one that decides before others, or else with most of them, of several the widest
    and lowest."""
    narrow = {part: sorted(values) for part, values in compared.items() if 1 < part.width <= SUBCODE_BITS}
    if not narrow:
        return None
    before = _before(netlist, port, frozenset(narrow))
    opcode = max(narrow, key=lambda part: (len(before[part]), len(narrow[part]), part.width, -part.low))
    subcodes = {part: {v: str(v) for v in values} for part, values in narrow.items() if part in before[opcode]}
    return Decoder(opcode, {v: f"op_{v}" for v in narrow[opcode]}, subcodes, others=len(narrow[opcode]) < 1 << opcode.width)


def _before(netlist: Netlist, port: CommandPort, parts: frozenset[PayloadSlice]) -> dict[PayloadSlice, set[PayloadSlice]]:
    """For each slice those that are looked at only where it has a value that it is compared with: cases within a case."""
    tracer = _Tracer(netlist, port)
    inner: dict[Node, frozenset[PayloadSlice]] = {}
    before: dict[PayloadSlice, set[PayloadSlice]] = {part: set() for part in parts}
    for node in order(_roots(netlist)):
        if node.op == "mux":
            decided = frozenset(part for part, _, _ in _compared(node.args[0], tracer)) & parts
            then, other = (inner.get(a, frozenset()) for a in node.args[1:])
            inner[node] = decided | then | other
            for part in decided:
                before[part] |= then - {part}
    return {part: {p for p in others if part not in before[p]} for part, others in before.items()}


def _roots(netlist: Netlist) -> list[Node]:
    roots = [r.next for r in netlist.registers.values()] + list(netlist.outputs.values())
    return roots + [n for m in netlist.memories.values() for w in m.writes for n in (w.enable, w.address, w.data)]


def comparisons(netlist: Netlist, port: CommandPort) -> dict[PayloadSlice, dict[int, str | None]]:
    """For each slice of the payload that is compared for equality: the constants, and the names they were written as."""
    tracer = _Tracer(netlist, port)
    found: dict[PayloadSlice, dict[int, str | None]] = {}
    for node in nodes_below(*_roots(netlist)):
        for part, value, label in _compared(node, tracer):
            values = found.setdefault(part, {})
            values[value] = label or values.get(value)
    return found


def _compared(node: Node, tracer: _Tracer) -> list[tuple[PayloadSlice, int, str | None]]:
    """The slices that a node compares, the values and their names: x == c, (x & mask) == c, and x == 0 written as a reduction."""
    if node.op == "redor":
        part = tracer.slice(node.args[0])
        return [(part, 0, None)] if part is not None else []
    if node.op == "lshr" and node.args[0].op == "const":
        return _looked_up(node.args[0], node.args[1], tracer)
    if node.op != "eq":
        return []
    value, constant = node.args if node.args[1].op == "const" else node.args[::-1]
    if constant.op != "const" or value.op == "const":
        return []
    number = int(constant.attr or 0)
    if value.op == "and" and any(a.op == "const" for a in value.args):
        inner, mask = value.args if value.args[1].op == "const" else value.args[::-1]
        runs = [(low, width, tracer.slice(inner, low, width)) for low, width in _runs(int(mask.attr or 0))]
        return [(part, number >> low & (1 << width) - 1, None) for low, width, part in runs if part is not None]
    part = tracer.slice(value)
    if part is None and value.op == "concat":
        return _among_constants(value, number, constant.label, tracer)
    return [(part, number, constant.label)] if part is not None else []


def _looked_up(table: Node, position: Node, tracer: _Tracer) -> list[tuple[PayloadSlice, int, str | None]]:
    """An element of a table of constants: the numbers of those that are not like most others."""
    match position.op, position.args:
        case "mul", [Node(op="zext", args=[index]), Node(op="const", attr=int(size))]:
            pass
        case "concat", [index, Node(op="const", attr=0, width=zeros)]:
            size = 1 << zeros
        case _:
            return []
    part = tracer.slice(index)
    if part is None or part.width > SUBCODE_BITS:
        return []
    elements = [int(table.attr or 0) >> size * n & (1 << size) - 1 for n in range(1 << part.width)]
    usual = max(elements, key=elements.count)
    return [(part, n, None) for n, element in enumerate(elements) if element != usual]


def _among_constants(value: Node, number: int, label: str | None, tracer: _Tracer) -> list[tuple[PayloadSlice, int, str | None]]:
    """{x, 2'b00} == c: the only piece that is no constant, if the others have the bits of c."""
    low, found = 0, []
    for piece in reversed(value.args):
        bits = number >> low & (1 << piece.width) - 1
        if piece.op != "const":
            found.append((tracer.slice(piece), bits, label))
        elif int(piece.attr or 0) != bits:
            return []
        low += piece.width
    return [(part, bits, name) for part, bits, name in found if part is not None] if len(found) == 1 else []


def _runs(mask: int) -> list[tuple[int, int]]:
    """(low bit, width) of each run of ones."""
    runs, low = [], 0
    while mask >> low:
        if mask >> low & 1:
            width = 1
            while mask >> low + width & 1:
                width += 1
            runs.append((low, width))
            low += width
        else:
            low += 1
    return runs


def payload_slices(netlist: Netlist, port: CommandPort) -> dict[str, PayloadSlice]:
    """Wires and registers that are a slice of a payload word, by name."""
    tracer = _Tracer(netlist, port)
    return {name: part for name, node in netlist.wires.items() if (part := tracer.slice(node)) is not None}


_ANYTHING = PayloadSlice("", 0, 0)  # a constant, or a value that is still being followed: agrees with every slice


class _Tracer:
    """Follows a value back to a slice of the payload: through wiring, through registers and memories that only latch it, through queues."""

    def __init__(self, netlist: Netlist, port: CommandPort) -> None:
        self.netlist = netlist
        self.words = {input_name: word for word, input_name in port.words.items()}
        self._found: dict[tuple[str, int, int], PayloadSlice | None] = {}
        self._known: dict[tuple[Node, int, int], PayloadSlice | None] = {}  # while what is assumed of latches does not change

    def slice(self, node: Node, low: int = 0, width: int | None = None) -> PayloadSlice | None:
        """The slice that bits [low + width - 1 : low] of a wire or latch are; None when they are not one."""
        key = node, low, node.width if width is None else width
        if key not in self._known:
            self._known[key] = self._slice(*key)
        return self._known[key]

    def _slice(self, node: Node, low: int, width: int) -> PayloadSlice | None:
        match node.op:
            case "input":
                word = self.words.get(str(node.attr))
                return PayloadSlice(word, low, width) if word else None
            case "extract":
                return self.slice(node.args[0], low + int(node.attr or 0), width)
            case "concat":
                return self._of_pieces(node, low, width)
            case "zext" | "sext" if low + width <= node.args[0].width:
                return self.slice(node.args[0], low, width)
            case "mux":
                return self._agreed([node], low, width)
            case "lshr" if len({part.width for part in node.args[0].args}) == 1 and low + width <= node.args[0].args[0].width:
                return self._agreed(list(node.args[0].args), low, width)  # one element of a packed array
            case "reg":
                return self._latched(str(node.attr), [self.netlist.registers[str(node.attr)].next], low, width)
            case "memread":
                memory = self.netlist.memories[str(node.attr)]
                return self._latched("memory " + memory.name, [w.data for w in memory.writes], low, width)
        return None

    def _of_pieces(self, node: Node, low: int, width: int) -> PayloadSlice | None:
        position = node.width
        for part in node.args:
            position -= part.width
            if position <= low and low + width <= position + part.width:
                return self.slice(part, low - position, width)
        return None

    def _latched(self, name: str, values: list[Node], low: int, width: int) -> PayloadSlice | None:
        """The slice that a register or memory latches, when all it ever takes is that slice, constants, or what others of the kind hold."""
        key = (name, low, width)
        if key not in self._found:
            before, self._known = self._known, {}
            self._found[key] = _ANYTHING
            self._found[key] = self._agreed(values, low, width)
            self._known = before
        return self._found[key]

    def _agreed(self, values: list[Node], low: int, width: int) -> PayloadSlice | None:
        """What all that multiplexers choose from are."""
        slices = {self._taken(leaf, low, width) for value in values for leaf in leaves(value)} - {_ANYTHING}
        return slices.pop() if len(slices) == 1 else None

    def _taken(self, leaf: Node, low: int, width: int) -> PayloadSlice | None:
        return _ANYTHING if leaf.op in ("const", "undef") else self.slice(leaf, low, width)


def _shorten(names: dict[int, str]) -> dict[int, str]:
    """Lower case, without the prefix (up to an underscore) that all of several names share, unless numbers or nothing would be left."""
    values = list(names.values())
    first, last = min(values), max(values)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    common = first[:same] if len(values) > 1 else ""
    cut = common.rfind("_") + 1
    whole = any(not v[cut:] or v[cut].isdigit() for v in values)
    return {value: (name if whole else name[cut:]).lower() for value, name in names.items()}
