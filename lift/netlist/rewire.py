"""Expressions added to a design that was read: the word-level operations that adapters are made of, and inputs that become expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lift.errors import UserError
from lift.netlist.model import MemoryWrite, Netlist, Node

ONE, ZERO = Node("const", 1, (), 1), Node("const", 1, (), 0)


def connected(netlist: Netlist, values: dict[str, Node]) -> Netlist:
    """`netlist` with expressions in place of some inputs.  Raises UserError where one of them depends on itself."""
    return mapped(netlist, _Replacing(values).of)


def mapped(netlist: Netlist, change: Callable[[Node], Node]) -> Netlist:
    """`netlist` with every expression changed."""
    memories = {n: replace(m, writes=tuple(_ported(w, change) for w in m.writes)) for n, m in netlist.memories.items()}
    return replace(
        netlist,
        registers={n: replace(r, next=change(r.next)) for n, r in netlist.registers.items()},
        outputs={n: change(o) for n, o in netlist.outputs.items()},
        memories=memories,
        wires={n: change(o) for n, o in netlist.wires.items()},
        assertions=tuple(replace(a, holds=change(a.holds)) for a in netlist.assertions),
    )


def _ported(write: MemoryWrite, change: Callable[[Node], Node]) -> MemoryWrite:
    mask = None if write.mask is None else change(write.mask)
    return MemoryWrite(change(write.enable), change(write.address), change(write.data), mask)


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
                problem = "a handshake of a port answers itself within one cycle"
                raise UserError(None, problem, "register valid or ready, or state the ports in a descriptor")
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


def const(value: int, width: int) -> Node:
    return Node("const", width, (), value)


def not_(a: Node) -> Node:
    return Node("not", 1, (a,))


def and_(a: Node, b: Node) -> Node:
    return Node("and", 1, (a, b))


def or_(a: Node, b: Node) -> Node:
    return b if a is ZERO else Node("or", 1, (a, b))


def equal(a: Node, value: int) -> Node:
    return Node("eq", 1, (a, const(value, a.width)))


def mux(condition: Node, then: Node, otherwise: Node) -> Node:
    return then if then is otherwise else Node("mux", then.width, (condition, then, otherwise))


def cleared(following: Node, reset: str | None, level: int) -> Node:
    """What a register becomes that is 0 while the reset has this level."""
    if reset is None:
        return following
    line, zero = Node("input", 1, (), reset), const(0, following.width)
    return mux(line, zero, following) if level else mux(line, following, zero)


def resized(value: Node, width: int) -> Node:
    if value.width == width:
        return value
    return Node("zext", width, (value,)) if value.width < width else Node("extract", width, (value,), 0)
