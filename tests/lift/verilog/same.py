"""Two netlists to the places where they are not the same graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lift.netlist.model import Memory, Netlist, Node
from lift.netlist.simulate import order


class _Numbers:
    """Gives equal expressions of any netlist the same number."""

    def __init__(self) -> None:
        self._by_node: dict[Node, int] = {}
        self._by_shape: dict[tuple[object, ...], int] = {}

    def of(self, node: Node | None) -> int | None:
        if node is None:
            return None
        for n in order([node]):
            if n not in self._by_node:
                shape = (n.op, n.width, n.attr, n.xmask, n.label, *(self._by_node[a] for a in n.args))
                self._by_node[n] = self._by_shape.setdefault(shape, len(self._by_shape))
        return self._by_node[node]


def differences(one: Netlist, two: Netlist) -> list[str]:
    """The fields, outputs, wires, registers and memories that differ; locations are not compared."""
    numbers = _Numbers()
    found = [name for name in ("inputs", "modules", "clock", "reset", "constants") if getattr(one, name) != getattr(two, name)]
    found += _nodes(numbers, "output", one.outputs, two.outputs)
    found += _nodes(numbers, "wire", one.wires, two.wires)
    found += _nodes(numbers, "register", {n: r.next for n, r in one.registers.items()}, {n: r.next for n, r in two.registers.items()})
    found += _nodes(numbers, "memory", dict(_ports(one.memories)), dict(_ports(two.memories)))
    if {n: r.initial for n, r in one.registers.items()} != {n: r.initial for n, r in two.registers.items()}:
        found.append("initial values")
    return found


def _nodes(numbers: _Numbers, kind: str, one: Mapping[str, Node | None], two: Mapping[str, Node | None]) -> list[str]:
    missing = [f"{kind} {name} in one only" for name in one.keys() ^ two.keys()]
    return missing + [f"{kind} {name}" for name in one.keys() & two.keys() if numbers.of(one[name]) != numbers.of(two[name])]


def _ports(memories: Mapping[str, Memory]) -> Iterator[tuple[str, Node | None]]:
    for name, memory in memories.items():
        for number, write in enumerate(memory.writes):
            for field in ("enable", "address", "data", "mask"):
                yield f"{name}:{memory.depth}x{memory.width} port {number} {field}", getattr(write, field)
