"""Rows of a matrix as vectors, for machines whose instructions work on those.

Before --> after:  `add(x, y)` of s32[1,n] --> `reshape(add(reshape(x), reshape(y)))` of s32[n]
"""

from __future__ import annotations

from collections.abc import Iterator

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.normalise import rule
from act.hlo.model import Shape
from act.hlo.opcodes import ELEMENTWISE


def row_is_vector(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """f(x, y) of one row = reshape(f(reshape(x), reshape(y))) of vectors, for operators that work on each element alone."""
    if node.shape.rank != 2 or node.shape.dims[0] != 1:
        return
    dims = node.shape.dims[1:]
    children = tuple(_vector(graph.shape(child), child, dims) for child in node.children)
    yield ENode("reshape", (), node.shape, (ENode(node.opcode, node.attributes, Shape(node.shape.dtype, dims), children),))


def _vector(shape: Shape, child: int, dims: tuple[int, ...]) -> int | ENode:
    """A row as a vector; a scalar among rows stays one."""
    return ENode("reshape", (), Shape(shape.dtype, dims), (child,)) if shape.dims else child


RULES: tuple[Rule, ...] = (rule(row_is_vector, "sum", *sorted(ELEMENTWISE)),)
