"""A value -> bits of it, and the parts of it that do not need one another."""

from __future__ import annotations

from itertools import pairwise

from lift.netlist.arrays import support
from lift.netlist.builder import Builder, pieces
from lift.netlist.model import Node


def split(b: Builder, name: str, value: Node) -> list[tuple[int, Node]]:
    """The value of a variable that seems to need itself, part by part: a loop may assign one after the other.  Where the parts need one another, bit by bit."""
    if value.op in ("var", "concat", "extract") or name not in support(value):
        return [(0, value)]
    parts = [(low, push_extract(b, value, low, high - low)) for low, high in pairwise(sorted(_cuts(value)))]
    return parts if _in_order(name, parts) else [(bit, push_extract(b, value, bit, 1)) for bit in range(value.width)]


def push_extract(b: Builder, node: Node, low: int, width: int) -> Node:
    """Bits of `node`, taken inside multiplexers so that a value does not seem to depend on its other bits."""
    if node.width == width:
        return node
    memo: dict[tuple[Node, int, int], Node] = {}

    def push(n: Node, lo: int, w: int) -> Node:
        key = (n, lo, w)
        if key not in memo:
            if n.op == "mux" and n.width != w:
                memo[key] = b.mux(n.args[0], push(n.args[1], lo, w), push(n.args[2], lo, w))
            elif n.op == "concat" and n.width != w:
                memo[key] = b.concat([push(p, plo, pw) for p, plo, pw in pieces(n.args, lo, w)])
            elif n.op == "extract" and isinstance(n.attr, int):
                memo[key] = push(n.args[0], n.attr + lo, w)
            else:
                memo[key] = b.extract(n, lo, w)
        return memo[key]

    return push(node, low, width)


def _cuts(value: Node) -> set[int]:
    """The positions at which a choice between concatenations is cut, and its ends."""
    found, seen, waiting = {0, value.width}, set[tuple[Node, int, int, int]](), [(value, 0, value.width, 0)]
    while waiting:  # bits [low + width - 1 : low] of a node, which are at a position of the value
        node, low, width, at = entry = waiting.pop()
        if entry in seen:
            continue
        seen.add(entry)
        if node.op == "mux":
            waiting += [(choice, low, width, at) for choice in node.args[1:]]
        elif node.op == "extract" and isinstance(node.attr, int):
            waiting.append((node.args[0], node.attr + low, width, at))
        elif node.op == "concat":
            end = at + width
            for part, first, size in pieces(node.args, low, width):
                end -= size
                found.add(end)
                waiting.append((part, first, size, end))
    return found


def _in_order(name: str, parts: list[tuple[int, Node]]) -> bool:
    """Does no part of a variable need itself, by way of the others or not?"""
    ends = [(low, low + value.width) for low, value in parts]
    needed = [{k for k, (low, high) in enumerate(ends) for first, last in _read_bits(name, value) if first < high and low < last} for _, value in parts]
    known = set[int]()
    while ready := [k for k, others in enumerate(needed) if k not in known and others <= known]:
        known.update(ready)
    return len(known) == len(parts)


def _read_bits(name: str, value: Node) -> set[tuple[int, int]]:
    """The ranges of bits of a variable that a value reads."""
    found, seen, waiting = set[tuple[int, int]](), set[Node](), [value]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op == "var" and node.attr == name:
            found.add((0, node.width))
        elif node.op == "extract" and node.args[0].op == "var" and isinstance(node.attr, int):
            if node.args[0].attr == name:
                found.add((node.attr, node.attr + node.width))
        else:
            waiting += node.args
    return found
