"""Matrices that instructions read from host memory only where their rows follow each other -> products that bring them there.

Before --> after, for tiles of 16 x 16:  `slice(w)` --> `dot(slice(w), I)`,   `transpose(x)` --> `dot(I, transpose(x))`

The product reads rows that lie apart, and what it gives is stored in a tensor of its own; so a tile of a larger matrix, or its transpose,
becomes what such an instruction can read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from act.backend.analysis import integral
from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.dots import PLAIN_DOT
from act.backend.modular import LARGEST, diagonal
from act.backend.normalise import rule
from act.generator.model import InHost, Leaf, Selector
from act.hlo.dtypes import width
from act.taidl.model import Int

Dims = tuple[int, ...]
INPUTS = frozenset(["slice", "parameter"])
"""What is reshaped, if it is a part of an input."""


def dense_tiles(selectors: Sequence[Selector]) -> frozenset[Dims]:
    """The dimensions of matrices of bytes that are loaded with rows that follow each other and no others."""
    loads = [each for each in selectors if isinstance(each.pattern, Leaf) and len(each.operands) == 1 and len(each.result.dims) == 2]
    found: dict[str, set[Dims]] = {}
    for each in loads:
        if isinstance(each.operands[0].access, InHost):
            found.setdefault(each.result.access.buffer, set()).add(_dense(each))
    return frozenset(dims for every in found.values() if () not in every for dims in every)


def _dense(selector: Selector) -> Dims:
    """The dimensions that a load has always, with rows that follow each other; none when it can do otherwise."""
    operand = selector.operands[0]
    dims = tuple(size.value for size in operand.dims if isinstance(size, Int))
    byte = integral(operand.dtype) and width(operand.dtype) == 8
    assert isinstance(operand.access, InHost)
    fixed = len(dims) == 2 and 1 < max(dims) <= LARGEST and operand.access.strides == (Int(dims[1]), Int(1))
    return dims if byte and fixed else ()


def move_is_product(tiles: Collection[Dims]) -> Rule:
    """What moves a tile of such dimensions is also the product with the identity."""

    def propose(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
        shape = node.shape
        if shape.dims not in tiles or not integral(shape.dtype) or width(shape.dtype) != 8:
            return
        below = {each.opcode for each in graph.classes[node.children[0]]}
        if "constant" in below or (node.opcode == "reshape" and not below & INPUTS):
            return
        if node.opcode == "transpose":
            yield ENode("dot", PLAIN_DOT, shape, (diagonal(shape.dims[0], 1, shape.dtype), node))
        else:
            yield ENode("dot", PLAIN_DOT, shape, (node, diagonal(shape.dims[1], 1, shape.dtype)))

    return Rule("move_is_product", frozenset(["slice", "reshape", "transpose"]), propose)


def transposed_constant(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """The transpose of a matrix of constants is one."""
    if node.attribute("dimensions") == (1, 0):
        for constant in graph.nodes(node.children[0], "constant"):
            yield ENode("constant", (("value", tuple(zip(*constant.attribute("value"), strict=True))),), node.shape)


CONSTANTS: tuple[Rule, ...] = (rule(transposed_constant, "transpose"),)
