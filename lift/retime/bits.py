"""Shift registers to one register for each bit, so that the stages of a pipeline can be told apart."""

from __future__ import annotations

from dataclasses import replace

from lift.netlist.model import Netlist, Node, Register
from lift.netlist.rewire import mapped
from lift.retime.nodes import Nodes
from lift.unroll.structure import leaves

WIRING = frozenset({"concat", "extract", "zext", "or"})


def in_bits(netlist: Netlist, nodes: Nodes) -> tuple[Netlist, dict[str, str]]:
    """`netlist` with registers `name[k]` in place of those that pass on their own bits, and the registers that these were."""
    split = [r for n, r in netlist.registers.items() if r.width > 1 and _bit(n, 0) not in netlist.registers and any(_shifts(n, v) for v in leaves(r.next))]
    values = {nodes.one(Node("reg", r.width, (), r.name)): _together(r, nodes) for r in split}
    done: dict[Node, Node] = {}
    whole = mapped(netlist, lambda n: nodes.replaced(n, values, done))
    registers = {n: r for n, r in whole.registers.items() if r.name not in {s.name for s in split}}
    locations = dict(netlist.locations)
    for register in split:
        following = whole.registers[register.name].next
        for k in range(register.width):
            initial = None if register.initial is None else register.initial >> k & 1
            name = _bit(register.name, k)
            registers[name] = Register(name, 1, _of(following, k, nodes), register.location, initial)
            locations[name] = register.location
    return replace(whole, registers=registers, locations=locations), {_bit(r.name, k): r.name for r in split for k in range(r.width)}


def _bit(name: str, k: int) -> str:
    return f"{name}[{k}]"


def _shifts(name: str, value: Node) -> bool:
    """Are bits of a register passed on in a value, at other places than their own?"""
    if value.op == "reg":
        return False
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node.op == "reg" and node.attr == name:
            return True
        waiting += node.args[:1] if node.op in ("shl", "lshr") and node.args[1].op == "const" else node.args if node.op in WIRING else ()
    return False


def _together(register: Register, nodes: Nodes) -> Node:
    parts = tuple(nodes.one(Node("reg", 1, (), _bit(register.name, k))) for k in reversed(range(register.width)))
    return nodes.one(Node("concat", register.width, parts))


def _of(value: Node, k: int, nodes: Nodes) -> Node:
    """A bit of a value."""
    if value.width == 1:
        return value
    match value.op:
        case "mux":
            return nodes.one(Node("mux", 1, (value.args[0], _of(value.args[1], k, nodes), _of(value.args[2], k, nodes))))
        case "const" if not value.xmask:
            return nodes.one(Node("const", 1, (), int(value.attr or 0) >> k & 1))
        case "or" | "and":
            return nodes.one(Node(value.op, 1, tuple(_of(a, k, nodes) for a in value.args)))
        case "extract":
            return _of(value.args[0], k + int(value.attr or 0), nodes)
        case "concat":
            return _of_parts(value, k, nodes)
        case "zext":
            return _of(value.args[0], k, nodes) if k < value.args[0].width else nodes.one(Node("const", 1, (), 0))
        case "shl" | "lshr" if value.args[1].op == "const":
            low = k - int(value.args[1].attr or 0) * (1 if value.op == "shl" else -1)
            return _of(value.args[0], low, nodes) if 0 <= low < value.width else nodes.one(Node("const", 1, (), 0))
    return nodes.one(Node("extract", 1, (value,), k))


def _of_parts(value: Node, k: int, nodes: Nodes) -> Node:
    for part in reversed(value.args):
        if k < part.width:
            return _of(part, k, nodes)
        k -= part.width
    raise ValueError(f"no bit {k} above a value of {value.width}")
