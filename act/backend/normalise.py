"""Rules that bring integer arithmetic to the form in which instructions are described: limits as one clamp, next to the conversion.

Before --> after:  `convert(minimum(maximum(x, 0), 127))` --> `convert(clamp(0, x, 127))`
                   `maximum(convert<s8>(clamp(-128, x, 127)), 0)` --> `convert<s8>(clamp(0, x, 127))`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from act.backend.analysis import common, exact_range, integral, is_odd
from act.backend.classes import ClassGraph, ENode, Rule
from act.hlo.dtypes import integer_range, width
from act.hlo.model import Shape

LONGEST_SUM = 10


@lru_cache(maxsize=4096, typed=True)
def _scalar(value: float, dtype: str) -> ENode:
    return ENode("constant", (("value", value),), Shape(dtype))


def splat(value: float, shape: Shape) -> ENode:
    """A tensor of one value; its shape is not that of a scalar."""
    return ENode("broadcast", (("dimensions", ()),), shape, (_scalar(value, shape.dtype),))


def clamp(low: int, child: int | ENode, high: int, shape: Shape) -> ENode:
    """The node with constant limits."""
    return ENode("clamp", (), shape, (_scalar(low, shape.dtype), child, _scalar(high, shape.dtype)))


def _bounds(graph: ClassGraph, node: ENode) -> tuple[int, int] | None:
    """The constant bounds of an integer clamp whose lower bound is not above the upper."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    return (low, high) if integral(node.shape.dtype) and low is not None and high is not None and low <= high else None


def fits(found: tuple[int, int] | None, dtype: str) -> bool:
    """Whether an integer type holds a range."""
    low, high = integer_range(dtype)
    return found is not None and low <= found[0] and found[1] <= high


def limit_is_clamp(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """maximum(x, c) = clamp(c, x, greatest), minimum(x, c) = clamp(least, x, c), for integers."""
    if not integral(node.shape.dtype):
        return
    low, high = integer_range(node.shape.dtype)
    for constant, value in (node.children, node.children[::-1]):
        if (bound := graph.splats.get(constant)) is not None:
            yield clamp(bound, value, high, node.shape) if node.opcode == "maximum" else clamp(low, value, bound, node.shape)


def clamp_of_clamp(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l2, clamp(l1, x, h1), h2) = clamp(f(l1), x, f(h1)) where f limits to l2..h2, if l1 <= h1 and l2 <= h2."""
    if (outer := _bounds(graph, node)) is None:
        return
    for inner in graph.nodes(node.children[1], "clamp"):
        if (bounds := _bounds(graph, inner)) is not None:
            low, high = (min(max(bound, outer[0]), outer[1]) for bound in bounds)
            yield clamp(low, inner.children[1], high, node.shape)


def clamp_in_two(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = clamp(least, clamp(l, x, greatest), h), if l <= h."""
    least, greatest = integer_range(node.shape.dtype) if integral(node.shape.dtype) else (0, 0)
    bounds = _bounds(graph, node)
    if bounds is not None and least < bounds[0] and bounds[1] < greatest:
        yield clamp(least, clamp(bounds[0], node.children[1], greatest, node.shape), bounds[1], node.shape)


def clamp_without_effect(graph: ClassGraph, node: ENode) -> Iterator[int | ENode]:
    """clamp(l, x, h) = x where all x are in l..h."""
    bounds, found = _bounds(graph, node), graph.ranges.get(node.children[1])
    if bounds is None or found is None:
        return
    if bounds[0] <= found[0] and found[1] <= bounds[1]:
        yield node.children[1]


def convert_of_convert(graph: ClassGraph, node: ENode) -> Iterator[ENode | int]:
    """convert<C>(convert<B>(x)) = convert<C>(x) if B holds every x, or if C is not wider than B, for integers."""
    if not integral(node.shape.dtype):
        return
    for inner in graph.nodes(node.children[0], "convert"):
        source = graph.shape(inner.children[0])
        if not integral(source.dtype) or not integral(inner.shape.dtype):
            continue
        if fits(graph.ranges.get(inner.children[0]), inner.shape.dtype) or width(node.shape.dtype) <= width(inner.shape.dtype):
            yield inner.children[0] if source == node.shape else ENode("convert", (), node.shape, inner.children)


def clamp_of_convert(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, convert(x), h) = convert(clamp(l, x, h)) if the conversion changes no x and the type of x holds l and h."""
    if (bounds := _bounds(graph, node)) is None:
        return
    for inner in graph.nodes(node.children[1], "convert"):
        source = graph.shape(inner.children[0])
        if integral(source.dtype) and fits(graph.ranges.get(inner.children[0]), node.shape.dtype) and fits(bounds, source.dtype):
            yield ENode("convert", (), node.shape, (clamp(bounds[0], inner.children[0], bounds[1], source),))


def convert_of_clamp(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """convert(clamp(l, x, h)) = clamp(l, convert(x), h) if the new type holds every x and both bounds."""
    for inner in graph.nodes(node.children[0], "clamp"):
        bounds = _bounds(graph, inner)
        if bounds is None or not integral(node.shape.dtype):
            continue
        if fits(graph.ranges.get(inner.children[1]), node.shape.dtype) and fits(bounds, node.shape.dtype):
            yield clamp(bounds[0], ENode("convert", (), node.shape, (inner.children[1],)), bounds[1], node.shape)


def sum_of_sums(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """A term that equals a sum is replaced by its terms, up to a length: with x + (-x) = 0 sums could grow for ever."""
    for position, child in enumerate(node.children):
        for inner in graph.nodes(child, "sum"):
            if child not in inner.children and len(node.children) + len(inner.children) <= LONGEST_SUM:
                yield ENode("sum", (), node.shape, (*node.children[:position], *inner.children, *node.children[position + 1 :]))


def subtract_constant(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """x - c = x + (-c), modulo 2**width."""
    value = graph.splats.get(node.children[1])
    if value is not None and integral(node.shape.dtype):
        low, high = integer_range(node.shape.dtype)
        negated = (-value - low) % (high - low + 1) + low
        yield ENode("sum", (), node.shape, (node.children[0], splat(negated, node.shape)))


def odd_width(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """f(x, y) in a type of an odd width = convert(f(convert(x), convert(y))) in a common type, where no result wraps."""
    if not is_odd(node.shape.dtype):
        return
    types = [graph.shape(child) for child in node.children]
    found = exact_range(node.opcode, node.attributes, [graph.ranges[child] for child in node.children], types)
    if not fits(found, node.shape.dtype):
        return
    wide = common(node.shape.dtype)
    children = tuple(ENode("convert", (), Shape(wide, shape.dims), (child,)) for child, shape in zip(node.children, types, strict=True))
    yield ENode("convert", (), node.shape, (ENode(node.opcode, node.attributes, Shape(wide, node.shape.dims), children),))


def reshape_of_reshape(graph: ClassGraph, node: ENode) -> Iterator[ENode | int]:
    """reshape(reshape(x)) = reshape(x), which is x when the shape is that of x."""
    for inner in graph.nodes(node.children[0], "reshape"):
        same = graph.shape(inner.children[0]) == node.shape
        yield inner.children[0] if same else ENode("reshape", (), node.shape, inner.children)


def reverse_one_by_one(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """reverse(x, d1 and d2) = reverse(reverse(x, d2), d1): rows, or columns, can be moved one by one."""
    first, *rest = node.attribute("dimensions")
    if rest:
        inner = ENode("reverse", (("dimensions", tuple(rest)),), node.shape, node.children)
        yield ENode("reverse", (("dimensions", (first,)),), node.shape, (inner,))


def rule(function, *opcodes: str, among: Callable[[str], bool] | None = None, shallow: bool = False) -> Rule:
    return Rule(function.__name__, frozenset(opcodes), function, among=among, shallow=shallow)


RULES = (
    rule(limit_is_clamp, "maximum", "minimum", shallow=True),
    rule(clamp_of_clamp, "clamp"),
    rule(clamp_without_effect, "clamp", shallow=True),
    rule(convert_of_convert, "convert"),
    rule(clamp_of_convert, "clamp"),
    rule(convert_of_clamp, "convert"),
    rule(sum_of_sums, "sum"),
    rule(subtract_constant, "subtract", shallow=True),
    rule(odd_width, "dot", "sum", "subtract", "multiply", "negate", among=is_odd),
    rule(reshape_of_reshape, "reshape"),
    rule(reverse_one_by_one, "reverse", shallow=True),
)

APART = (rule(clamp_in_two, "clamp", shallow=True), rule(limit_is_clamp, "maximum", "minimum", shallow=True), rule(clamp_of_clamp, "clamp"))
"""For machines that limit to one side by any constant, in one instruction."""

LIGHT = tuple(each for each in RULES if each.name in ("clamp_without_effect", "convert_of_convert", "odd_width", "reshape_of_reshape"))
"""Those that a machine needs that has modular arithmetic in narrow types."""
