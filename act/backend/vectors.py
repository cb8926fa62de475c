"""Rows of a matrix as vectors, for machines whose instructions work on those.

Before --> after:  `add(x, y)` of s32[1,n] --> `reshape(add(reshape(x), reshape(y)))` of s32[n]
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.dots import PLAIN_DOT
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


def sum_of_row_is_number(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """reduce(x) of one row = reshape(reduce(reshape(x))) of a vector, which is a number."""
    source = graph.shape(node.children[0])
    if source.rank != 2 or source.dims[0] != 1 or node.attribute("dimensions") != (1,):
        return
    row = ENode("reshape", (), Shape(source.dtype, source.dims[1:]), (node.children[0],))
    attributes = tuple((name, (0,) if name == "dimensions" else value) for name, value in node.attributes)
    yield ENode("reshape", (), node.shape, (ENode("reduce", attributes, Shape(node.shape.dtype), (row, node.children[1])),))


def row_of_one_number(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """broadcast(x) to a vector, or a row, of a tensor of one element = reshape(broadcast(reshape(reshape(x)))) of a vector of one."""
    source, dims = graph.shape(node.children[0]), node.shape.dims
    if node.children[0] in graph.splats or prod(source.dims) != 1 or not dims or any(size != 1 for size in dims[:-1]):
        return
    number = ENode("reshape", (), Shape(source.dtype), (ENode("reshape", (), Shape(source.dtype, (1,)), (node.children[0],)),))
    yield ENode("reshape", (), node.shape, (ENode("broadcast", (("dimensions", ()),), Shape(source.dtype, dims[-1:]), (number,)),))


def vector_as_row(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """broadcast(x) that repeats nothing = reshape(x)."""
    source, dimensions = graph.shape(node.children[0]), node.attribute("dimensions")
    if prod(source.dims) == prod(node.shape.dims) and list(dimensions) == sorted(dimensions):
        yield ENode("reshape", (), node.shape, node.children)


def product_of_vectors(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """dot(x, y) of a column and a row = dot(reshape(x), reshape(y)) of vectors, which contracts nothing."""
    (rows, columns), shapes = node.shape.dims if node.shape.rank == 2 else (0, 0), [graph.shape(child) for child in node.children]
    if node.attributes != PLAIN_DOT or shapes[0].dims != (rows, 1):
        return
    vectors = [Shape(shape.dtype, (size,)) for shape, size in zip(shapes, (rows, columns), strict=True)]
    children = tuple(ENode("reshape", (), vector, (child,)) for vector, child in zip(vectors, node.children, strict=True))
    yield ENode("dot", tuple((name, ()) for name, _ in PLAIN_DOT), node.shape, children)


OUTER: tuple[Rule, ...] = (rule(product_of_vectors, "dot", shallow=True),)
"""For machines that multiply a column with a row."""

RULES: tuple[Rule, ...] = (
    rule(row_is_vector, "sum", *sorted(ELEMENTWISE), shallow=True),
    rule(sum_of_row_is_number, "reduce", shallow=True),
    rule(row_of_one_number, "broadcast", shallow=True),
    rule(vector_as_row, "broadcast", shallow=True),
)
