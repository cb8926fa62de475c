"""The level at which a design's reset input resets, from what it does to the registers."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from lift.netlist.clocking import level_of
from lift.netlist.model import Netlist, Node


def reset_level(netlist: Netlist, reset: str) -> int:
    """The level at which it fixes more registers; where that does not tell, as its name says."""
    low, high = (_fixed(netlist, _Known(reset, level)) for level in (0, 1))
    return level_of(reset) if low == high else int(high > low)


def _fixed(netlist: Netlist, known: _Known) -> int:
    """How many registers become a constant."""
    return sum(known.last(r.next).op == "const" for r in netlist.registers.values())


@dataclass(slots=True)
class _Known:
    """Values of one bit as far as a level of the reset decides them; None: it does not."""

    reset: str
    level: int
    found: dict[Node, int | None] = field(default_factory=dict)

    def last(self, node: Node) -> Node:
        """What is left of a value when the multiplexers that are decided are passed."""
        while node.op == "mux" and (chosen := self._value(node.args[0])) is not None:
            node = node.args[1 if chosen else 2]
        return node

    def _value(self, root: Node) -> int | None:
        for node in _bits_below(root, self.found):
            self.found[node] = self._of(node, [self.found.get(a) for a in node.args])
        return self.found[root]

    def _of(self, node: Node, values: list[int | None]) -> int | None:
        match node.op, values:
            case "const", _:
                return None if node.xmask else int(node.attr or 0)
            case "input", _:
                return self.level if node.attr == self.reset else None
            case "mux", [condition, then, other]:
                return None if condition is None else then if condition else other
            case "and", _:
                return 0 if 0 in values else None if None in values else 1
            case "or", _:
                return 1 if 1 in values else None if None in values else 0
            case "not", [int(value)]:
                return 1 - value
            case "eq", [int(one), int(two)]:
                return int(one == two)
        return None


def _bits_below(root: Node, known: Container[Node]) -> Iterator[Node]:
    """The nodes of one bit that `root` is computed from through nodes of one bit, and `root`, each after its arguments; without those that are known."""
    stack = [(root, False)]
    seen = set[Node]()
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen and node not in known:
            seen.add(node)
            stack.append((node, True))
            stack += [(a, False) for a in node.args if a.width == 1]
