"""Expressions of which equal ones are one object, so that they can be told by identity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from lift.netlist.model import Node


class Nodes:
    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Node] = {}
        self._done: dict[Node, Node] = {}

    def one(self, node: Node) -> Node:
        """The node that stands for all like this one, whose operands stand for theirs, or for a simpler one."""
        simpler = self._simpler(node)
        if simpler is not None:
            return simpler
        return self._known.setdefault((node.op, node.width, node.args, node.attr, node.xmask, node.label), node)

    def of(self, root: Node) -> Node:
        """The same expression."""
        return self.replaced(root, {}, self._done)

    def replaced(self, root: Node, values: Mapping[Node, Node], done: dict[Node, Node]) -> Node:
        """`root` with other nodes in place of some; `done`: what was found before, of the same `values`."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in values:
                done[node] = values[node]
            if node in done:
                stack.pop()
                continue
            missing = [a for a in node.args if a not in done]
            stack += missing
            if not missing:
                done[node] = self.one(replace(node, args=tuple(done[a] for a in node.args)))
        return done[root]

    def _simpler(self, node: Node) -> Node | None:
        """One bit and 1, or 0 or it; what is chosen twice by one condition; a part of what was put together, or the whole."""
        if node.op == "and" and node.width == 1:
            return next((other for one, other in (node.args, node.args[::-1]) if one.op == "const" and one.attr == 1 and not one.xmask), None)
        if node.op == "or" and node.width == 1:
            return next((other for one, other in (node.args, node.args[::-1]) if one.op == "const" and one.attr == 0 and not one.xmask), None)
        if node.op == "mux" and node.args[1].op == "mux" and node.args[1].args[0] is node.args[0]:
            return self.one(replace(node, args=(node.args[0], node.args[1].args[1], node.args[2])))
        if node.op == "extract" and node.width == node.args[0].width:
            return node.args[0]
        if node.op == "extract" and node.args[0].op == "concat":
            return self._part(node)
        return None

    def _part(self, node: Node) -> Node | None:
        """A part of what was put together, where it covers whole operands, or lies within one."""
        low, covered = int(node.attr or 0), list[Node]()
        position = 0
        for part in reversed(node.args[0].args):
            first, end = max(low, position), min(low + node.width, position + part.width)
            if first < end:
                whole = end - first == part.width
                covered.insert(0, part if whole else self.one(Node("extract", end - first, (part,), first - position)))
            position += part.width
        return covered[0] if len(covered) == 1 else self.one(Node("concat", node.width, tuple(covered)))


def conjuncts(node: Node) -> Iterable[Node]:
    """The conditions that a conjunction of single bits is made of."""
    if node.op == "and" and node.width == 1:
        for part in node.args:
            yield from conjuncts(part)
    else:
        yield node
