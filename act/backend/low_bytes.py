"""Bytes that are what is left of wide integers, for machines that saturate where they make bytes -> products that pick every fourth byte.

Before --> after:  `convert<s8>(x)` --> `convert<s8>(clamp(-128, dot(bytes(x), E), 127))`, where x in s32[m,n] is seen as s8[m,4*n] and E[4*j,j] = 1.

What the product reads are the bytes of x in host memory; it is exact, so that nothing is lost when it is limited to bytes.  This is only tried
for kernels that have no program otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from act.backend.classes import ClassGraph, ENode
from act.backend.dots import PLAIN_DOT
from act.backend.egraph import EGraph
from act.backend.normalise import clamp, fits
from act.generator.model import InHost, Selector, Tiles
from act.hlo.dtypes import integer_range
from act.hlo.model import Shape

BYTE, WIDE = "s8", "s32"
COUNT = 4
"""Bytes of a wide integer."""


def stores_wide(selectors: Sequence[Selector]) -> bool:
    """Whether wide integers come out whole."""
    return any(isinstance(each.result.access, InHost) and each.result.dtype == WIDE and each.narrow is None for each in selectors)


def with_low_bytes(graph: EGraph, frozen: ClassGraph, tiles: Tiles) -> ClassGraph | None:
    """The graph with products for the classes of bytes that are what is left of wide integers; None if there are none.

    Several wide values may have the same low bytes: the first is made of what was cut before, the last of what that was cut from, so that
    nothing needs to be cut on the way to it."""
    found = {number: cut for number, nodes in frozen.classes.items() if (cut := [node for node in nodes if _is_cut(frozen, node, tiles)])}
    if not found:
        return None
    for number, cut in found.items():
        for node in dict.fromkeys((cut[0], cut[-1])):
            _add(graph, number, node, tiles)
    graph.rebuild()
    return graph.freeze(frozen.roots)


def _add(graph: EGraph, number: int, node: ENode, tiles: Tiles) -> None:
    """Class `number`, which has `node`, as wide integers and as bytes."""
    wide, (low, high) = Shape(WIDE, node.shape.dims), integer_range(BYTE)
    picked = graph.add(_picked(node.children[0], node.shape, tiles.depth))
    graph.hold(picked)
    graph.union(graph.add(ENode("convert", (), wide, (number,))), picked)
    graph.union(number, graph.add(ENode("convert", (), node.shape, (clamp(low, picked, high, wide),))))


def _is_cut(graph: ClassGraph, node: ENode, tiles: Tiles) -> bool:
    """Whether a node makes bytes of a tile of wide integers, and is not known to change none."""
    if node.opcode != "convert" or node.shape.dtype != BYTE or node.shape.rank != 2:
        return False
    small = node.shape.dims[0] <= tiles.rows and node.shape.dims[1] <= tiles.columns
    return small and graph.shape(node.children[0]).dtype == WIDE and not fits(graph.ranges.get(node.children[0]), BYTE)


def _picked(x: int, shape: Shape, depth: int) -> ENode:
    """The first byte of each element, as a sum of products of at most `depth` terms."""
    rows, columns = shape.dims
    wide, every = Shape(WIDE, shape.dims), COUNT * columns
    apart = ENode("bitcast-convert", (), Shape(BYTE, (rows, columns, COUNT)), (x,))
    beside = ENode("reshape", (), Shape(BYTE, (rows, every)), (apart,))
    products = []
    for start in range(0, every, depth):
        end = min(start + depth, every)
        place = (("limit", (rows, end)), ("start", (0, start)), ("stride", (1, 1)))
        piece = ENode("slice", place, Shape(BYTE, (rows, end - start)), (beside,)) if end - start < every else beside
        products.append(ENode("dot", PLAIN_DOT, wide, (piece, _picking(start, end, columns))))
    return ENode("sum", (), wide, tuple(products)) if len(products) > 1 else products[0]


@cache
def _picking(start: int, end: int, columns: int) -> ENode:
    """The rows from `start` on of the matrix that picks every fourth."""
    rows = tuple(tuple(int(row == COUNT * column) for column in range(columns)) for row in range(start, end))
    return ENode("constant", (("value", rows),), Shape(BYTE, (end - start, columns)))
