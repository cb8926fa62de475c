"""Words that a pipeline forwards: a multiplexer between what is read of a memory and what was written to it in the cycle before, if that is the same word.

In a retimed design the word is in the memory already, so either choice is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lift.netlist.model import MemoryWrite, Netlist, Node, Register
from lift.netlist.rewire import mapped
from lift.retime.lags import FREE
from lift.retime.nodes import Nodes, conjuncts
from lift.unroll.structure import nodes_below

FORWARDED = 1  # cycles between a read and the write that is forwarded to it

Registers = Mapping[str, Register]


def without_forwarding(netlist: Netlist, registers: Registers, nodes: Nodes) -> tuple[Netlist, frozenset[tuple[Node, int]]]:
    """`netlist` with the word in place of each such multiplexer, and the reads of these words, each with the number of the port whose writes are forwarded
    to it; `registers` are all that values may be delayed by."""
    values: dict[Node, Node] = {}
    covered: set[tuple[Node, int]] = set()
    for node in list(nodes_below(*roots(netlist))):
        if node.op == "mux" and (found := _forwards(node, netlist, registers, nodes)) is not None:
            values[node], forwarded = found
            covered.add(forwarded)
    done: dict[Node, Node] = {}
    return mapped(netlist, lambda n: nodes.replaced(n, values, done)), frozenset(covered)


def roots(netlist: Netlist) -> list[Node]:
    """What a design computes: next values, outputs, and what is written."""
    stored = [n for m in netlist.memories.values() for w in m.writes for n in (w.enable, w.address, w.data, w.mask) if n is not None]
    return [*(r.next for r in netlist.registers.values()), *netlist.outputs.values(), *stored]


def _forwards(node: Node, netlist: Netlist, registers: Registers, nodes: Nodes) -> tuple[Node, tuple[Node, int]] | None:
    """What a multiplexer chooses where forwarding makes no difference, and the read of the word with the number of the port."""
    condition, written, word = node.args
    data = _before(written, registers)
    if data is None:
        return None
    inner, parts = nodes.of(_guarded(word)), list(conjuncts(condition))
    for read in (n for n in nodes_below(inner) if n.op == "memread"):
        for number, port in enumerate(netlist.memories[str(read.attr)].writes):
            valid = [p for p in parts if _before(p, registers) is port.enable]
            same = [p for p in parts if p.op == "eq" and any(_is_place(a, b, port, read, registers, parts) for a, b in (p.args, p.args[::-1]))]
            said = nodes.replaced(inner, {read: port.data}, {})
            if valid and same and port.mask is None and _within(data, port.enable) is said:
                free = nodes.one(Node("undef", node.width, (), f"{FREE}{read.attr}"))
                for part in (p for p in parts if p not in valid and p not in same):
                    word = nodes.one(Node("mux", node.width, (part, word, free)))
                return word, (read, number)
    return None


def _before(node: Node, registers: Registers) -> Node | None:
    """What a value that is delayed by one cycle was before."""
    return registers[str(node.attr)].next if node.op == "reg" and node.attr in registers else None


def _is_place(a: Node, b: Node, port: MemoryWrite, read: Node, registers: Registers, known: list[Node]) -> bool:
    """Are these the word that was written before, and the one that is read, where what is `known` holds?"""
    before = _before(a, registers)
    return before is not None and _within(before, port.enable) is _within(port.address, port.enable) and _where(b, known) is _where(read.args[0], known)


def _where(value: Node, known: list[Node]) -> Node:
    """A value where some conditions hold."""
    while value.op == "mux" and value.args[0] in known:
        value = value.args[1]
    return value


def _guarded(value: Node) -> Node:
    """A value where it is defined."""
    while value.op == "mux" and value.args[2].op == "undef" and str(value.args[2].attr).startswith(FREE):
        value = value.args[1]
    return replace(value, args=(_guarded(value.args[0]),)) if value.op == "extract" else value


def _within(value: Node, enable: Node) -> Node:
    """A value where a condition holds."""
    return value.args[1] if value.op == "mux" and value.args[0] is enable else value
