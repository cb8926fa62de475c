"""Rows of inputs that are more than one load brings on chip -> wholes of as many rows as one does.

Before --> after, for loads of at most 7 rows:  `slice(w)` of s8[16,16] --> `assemble(slice(w): s8[7,16], slice(w): s8[7,16], slice(w): s8[2,16])`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.memo import by_identity
from act.backend.pieces import slice_of
from act.generator.model import InHost, Leaf, OnChip, Operand, Selector
from act.hlo.model import Shape
from act.taidl.bounds import Range, bounds

Rows = Mapping[str, int]
"""For each type the most rows that one instruction loads."""


@by_identity
def short_loads(selectors: Sequence[Selector]) -> Rows:
    """The types of which some instruction takes matrices of more rows than any brings on chip."""
    moves = [each for each in selectors if isinstance(each.pattern, Leaf) and isinstance(each.operands[0].access, InHost)]
    loaded: dict[str, int | None] = {}
    for each in moves:
        if isinstance(each.result.access, OnChip) and len(each.result.dims) == 2:
            known, rows = loaded.get(each.result.dtype, 0), _most_rows(each, each.result)
            loaded[each.result.dtype] = None if rows is None or known is None else max(known, rows)
    taken = [(operand.dtype, _most_rows(each, operand)) for each in selectors for operand in each.operands if _is_matrix(operand)]
    return {dtype: rows for dtype, rows in loaded.items() if rows and any(dtype == other and most and most > rows for other, most in taken)}


def _is_matrix(operand: Operand) -> bool:
    return isinstance(operand.access, OnChip) and len(operand.dims) == 2


def _most_rows(selector: Selector, operand: Operand) -> int | None:
    return bounds(operand.dims[0], {name: Range(0, limit) for name, limit in selector.limits}).high


def in_loads(rows: Rows) -> Rule:
    """A matrix of an input is made of as many rows as a load brings."""

    def propose(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
        shape, most = node.shape, rows.get(node.shape.dtype, 0)
        if shape.rank != 2 or not 0 < most < shape.dims[0] or (node.opcode == "slice" and not any(graph.nodes(node.children[0], "parameter"))):
            return
        starts = range(0, shape.dims[0], most)
        parts = tuple(_rows(node, first, min(most, shape.dims[0] - first)) for first in starts)
        yield ENode("assemble", (("starts", tuple((first, 0) for first in starts)),), shape, parts)

    return Rule("in_loads", frozenset(["slice", "parameter"]), propose)


def _rows(node: ENode, first: int, count: int) -> ENode:
    """Some rows of an input, or of a slice of one."""
    columns = node.shape.dims[1]
    shape = Shape(node.shape.dtype, (count, columns))
    if node.opcode == "parameter":
        return ENode("slice", slice_of(((first, count), (0, columns))), shape, (node,))
    (row, column), (step, across) = node.attribute("start"), node.attribute("stride")
    limit = (row + (first + count - 1) * step + 1, column + (columns - 1) * across + 1)
    attributes = (("limit", limit), ("start", (row + first * step, column)), ("stride", (step, across)))
    return ENode("slice", attributes, shape, node.children)
