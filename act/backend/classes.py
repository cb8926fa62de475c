"""A frozen e-graph as data: what rewrite rules and the extractor read.

An e-node is an HLO operator with all its attributes and its type, and children that are e-classes; so two nodes that are equal here
compute the same function.  Rules propose new nodes as `ENode`s whose children may be further new nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from act.hlo.model import Shape
from act.records import dataclass, field

Attributes = tuple[tuple[str, Any], ...]
Scalar = int | float | bool

MOST_SUMS = 4
"""How many sums of one class are kept in a frozen graph."""


@dataclass(frozen=True, slots=True)
class ENode:
    """`opcode`(children) of type `shape`.  `attributes` are all of them, normalised as in act.hlo.model and sorted by name.

    Besides the HLO opcodes: `sum`, the wrapping sum of all its children (two or more integer tensors of one shape, sorted, with
    repetition), which replaces `add` on integers; and `assemble` with attribute `starts` (for each child the index of its first
    element), disjoint pieces that make up a whole tensor.  `add` on integers, `copy`, and `convert` to the same type are replaced
    when a node is added; a constant with one value everywhere is a scalar `constant`, broadcast if it is not a scalar.

    In a frozen graph each child is the number of a class; in a proposal it may also be an `ENode` (hence the type of `children`).
    """

    opcode: str
    attributes: Attributes
    shape: Shape
    children: tuple[Any, ...] = ()

    def attribute(self, name: str) -> Any:
        """The value of an attribute, `KeyError` if the operator has none of that name."""
        for key, value in self.attributes:
            if key == name:
                return value
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class ClassGraph:
    """`classes[c]` are the equal nodes of class `c`; `splats[c]` is its value when every element is known to be the same constant;
    `ranges[c]` are bounds (inclusive) of its integer elements.  `roots` are the classes of the outputs."""

    classes: Mapping[int, tuple[ENode, ...]]
    roots: tuple[int, ...]
    splats: Mapping[int, Any] = field(default_factory=dict)
    ranges: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[int, ENode]]:
        """Every node with its class, in a fixed order."""
        for number, nodes in self.classes.items():
            for node in nodes:
                yield number, node

    def shape(self, number: int) -> Shape:
        return self.classes[number][0].shape

    def nodes(self, number: int, opcode: str) -> Iterator[ENode]:
        """The nodes of class `number` with this operator."""
        return (node for node in self.classes[number] if node.opcode == opcode)


def fewer_sums(nodes: tuple[ENode, ...], held: Container[ENode] = ()) -> tuple[ENode, ...]:
    """Only the shortest of many sums that are equal, and those that are `held`: the others are longer ways to the same value."""
    sums = sorted((node for node in nodes if node.opcode == "sum" and node not in held), key=lambda node: len(node.children))
    dropped = set(sums[MOST_SUMS:])
    return tuple(node for node in nodes if node not in dropped) if dropped else nodes


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite: for every node whose operator is in `opcodes`, `apply(graph, node)` proposes values that equal it: new nodes, or the
    number of an existing class.  It must check all attributes and types that the equality depends on.  Where an operator of `within` is
    in no class, or `among` says no of the element types of all classes, it proposes nothing.  A `shallow` rule looks at nothing but the node and what is
    known of the elements of its operands (splats and ranges): where that is as before, it proposes what it did."""

    name: str
    opcodes: frozenset[str]
    apply: Callable[[ClassGraph, ENode], Iterable[ENode | int]]
    within: frozenset[str] = frozenset()
    among: Callable[[str], bool] | None = None
    shallow: bool = False
