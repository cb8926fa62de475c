"""Identity instructions: what is on chip already, as another value (paper, section 5.2).  They cost nothing and are not issued.

A slice of a value lies in the places of that value; pieces that make up a whole are computed into its places, each for it alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from act.backend.classes import ClassGraph, ENode
from act.backend.needs import Need, OnChipNeed, Way

PIECES = 16
"""A whole of more pieces is not tried."""


def identities(graph: ClassGraph, need: Need, leaves: Container[int], movable: Mapping[str, Container[int]]) -> Iterator[Way]:
    """The ways to have a value without an instruction; slices of `leaves`, which are in host memory, are loaded instead.  `movable` are, for
    each memory, the coordinates at which values can begin elsewhere than at 0."""
    if not isinstance(need, OnChipNeed):
        return
    fixed = [dimension for dimension, axis in enumerate(need.axes) if axis not in movable[need.buffer]]
    for node in graph.classes[need.number]:
        if not _is_identity(node) or any(start[dimension] for start in starts(node) for dimension in fixed):
            continue
        if node.opcode != "slice" or node.children[0] not in leaves:
            yield Way(need, 0, tuple(OnChipNeed(child, need.buffer, need.axes) for child in node.children))


def _is_identity(node: ENode) -> bool:
    if node.opcode == "slice":
        return all(stride == 1 for stride in node.attribute("stride"))
    return node.opcode == "assemble" and 2 <= len(node.children) <= PIECES


def identity_node(graph: ClassGraph, way: Way) -> ENode:
    """The e-node that a way without an instruction follows."""
    children = tuple(part.number for part in way.parts)
    return next(node for node in graph.classes[way.need.number] if _is_identity(node) and node.children == children)


def starts(node: ENode) -> tuple[tuple[int, ...], ...]:
    """For a slice, where it begins in its operand; for a whole, where each piece begins in it."""
    return (node.attribute("start"),) if node.opcode == "slice" else node.attribute("starts")
