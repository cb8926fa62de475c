"""Rules for machines that compare and shift wide integers only, and whose products are the only way from narrow ones to wide ones.

Before --> after:  `maximum(x, y)` in s8 --> `convert<s8>(maximum(convert<s32>(x), convert<s32>(y)))`
                   `convert<s32>(x)` --> `dot(convert<s32>(x), convert<s32>(I))`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.analysis import integral
from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.dots import PLAIN_DOT
from act.backend.modular import LARGEST, WIDE, diagonal
from act.backend.normalise import clamp, rule, splat
from act.generator.model import Apply, Leaf, OnChip, Pattern, Selector
from act.hlo.dtypes import width
from act.hlo.model import Shape

COMPARED = frozenset(["maximum", "minimum", "clamp", "shift-right-arithmetic"])


def computes_wide(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction compares or shifts wide integers and leaves them on chip."""
    return any(
        isinstance(each.pattern, Apply) and each.pattern.opcode in COMPARED and each.pattern.dtype == WIDE and isinstance(each.result.access, OnChip)
        for each in selectors
    )


def widens_by_products(selectors: Sequence[Selector]) -> bool:
    """Whether a product takes bytes and gives wide integers, and nothing else makes them wide."""
    patterns = [each.pattern for each in selectors if isinstance(each.result.access, OnChip) and each.result.dtype == WIDE]
    return any(map(_multiplies_bytes, patterns)) and not any(map(_converts, patterns))


def _multiplies_bytes(pattern: Pattern) -> bool:
    if not isinstance(pattern, Apply):
        return False
    if pattern.opcode == "dot":
        return all(_converts(child) for child in pattern.children)
    return any(map(_multiplies_bytes, pattern.children))


def _converts(pattern: Pattern) -> bool:
    return isinstance(pattern, Apply) and pattern.opcode == "convert" and isinstance(pattern.children[0], Leaf) and width(pattern.children[0].dtype) == 8


def _narrow(shape: Shape) -> bool:
    """Of whole bytes, whose values all are wide integers."""
    return integral(shape.dtype) and width(shape.dtype) in (8, 16)


def _wide(graph: ClassGraph, number: int, dims: tuple[int, ...]) -> ENode:
    value = graph.splats.get(number)
    return splat(value, Shape(WIDE, dims)) if value is not None else ENode("convert", (), Shape(WIDE, dims), (number,))


def comparison_in_wide_type(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """f(x, y) in a narrow type = convert(f(convert(x), convert(y))) in 32 bits, for the greater, the lesser, and shifts to the right by a
    constant number of bits that the narrow type has."""
    shape = node.shape
    if not _narrow(shape) or not shape.dims:
        return
    if node.opcode == "shift-right-arithmetic" and not (shape.dtype[0] == "s" and 0 <= graph.splats.get(node.children[1], -1) < width(shape.dtype)):
        return
    children = tuple(_wide(graph, child, shape.dims) for child in node.children)
    yield ENode("convert", (), shape, (ENode(node.opcode, node.attributes, Shape(WIDE, shape.dims), children),))


def limits_in_wide_type(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = convert(clamp(l, convert(x), h)) in 32 bits, for constant limits of narrow values."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    if _narrow(node.shape) and node.shape.dims and low is not None and high is not None:
        wide = Shape(WIDE, node.shape.dims)
        yield ENode("convert", (), node.shape, (clamp(low, ENode("convert", (), wide, (node.children[1],)), high, wide),))


def conversion_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """convert(x) = dot(convert(x), convert(I)), for bytes x."""
    source = graph.shape(node.children[0])
    if node.shape.dtype != WIDE or source.dtype != "s8" or source.rank != 2 or source.dims[1] > LARGEST or node.children[0] in graph.splats:
        return
    if any(graph.nodes(node.children[0], "constant")):
        return
    size = source.dims[1]
    one = ENode("convert", (), Shape(WIDE, (size, size)), (diagonal(size, 1, source.dtype),))
    yield ENode("dot", PLAIN_DOT, node.shape, (node, one))


COMPARISONS: tuple[Rule, ...] = (
    rule(comparison_in_wide_type, "maximum", "minimum", "shift-right-arithmetic"),
    rule(limits_in_wide_type, "clamp"),
)
CONVERSIONS: tuple[Rule, ...] = (rule(conversion_is_product, "convert"),)
