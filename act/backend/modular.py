"""Rules for machines that compute modulo 2**width, with a matrix product and a limit at zero (ReLU) as the only operators, for integers.

Before --> after:  `maximum(x, y)` in s8 --> `sum(convert<s8>(clamp(0, convert<s32>(x) - convert<s32>(y), greatest)), y)`
                   `reverse(x), dimensions={0}` --> `dot(J, x)`,   `sum(x, y)` --> `sum(dot(x, I), y)`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from act.backend.analysis import integral
from act.backend.classes import Attributes, ClassGraph, ENode, Rule
from act.backend.dots import PLAIN_DOT
from act.backend.normalise import clamp, fits, rule, splat
from act.hlo.dtypes import integer_range, width, wrap
from act.hlo.model import Shape

LARGEST = 64
"""Rows and columns of the largest matrix that is made to multiply with."""

WIDE = "s32"
"""The type in which differences of narrow values do not wrap."""


@cache
def diagonal(size: int, factor: int, dtype: str, other: bool = False) -> ENode:
    """A matrix with `factor` on its diagonal, or on the `other` one."""
    shape = Shape(dtype, (size, size))
    if size == 1:
        return splat(factor, shape)
    rows = tuple(tuple(factor if column == (size - 1 - row if other else row) else 0 for column in range(size)) for row in range(size))
    return ENode("constant", (("value", rows),), shape)


def _factor_type(factor: int, dtype: str) -> str | None:
    """A byte that holds `factor` where that widens to `dtype`; `dtype` itself if that is a byte."""
    if width(dtype) == 8:
        return dtype if fits((factor, factor), dtype) else None
    return "s8" if width(dtype) > 8 and fits((factor, factor), "s8") else None


def _matrix(shape: Shape) -> bool:
    return integral(shape.dtype) and shape.rank == 2 and 0 < max(shape.dims) <= LARGEST


def times(x: int | ENode, factor: int, shape: Shape) -> Iterator[ENode]:
    """factor * x as the product with a diagonal matrix."""
    kind = _factor_type(factor, shape.dtype)
    if _matrix(shape) and kind is not None:
        yield ENode("dot", PLAIN_DOT, shape, (x, diagonal(shape.dims[1], factor, kind)))


def negation_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """-x = dot(x, -I)."""
    yield from times(node.children[0], -1, node.shape)


def multiple_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """c * x = dot(x, c * I)."""
    for constant, value in (node.children, node.children[::-1]):
        if constant in graph.splats and value not in graph.splats:
            yield from times(value, graph.splats[constant], node.shape)


def difference_is_sum(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """x - y = x + (-y), modulo 2**width."""
    x, y = node.children
    if integral(node.shape.dtype):
        value = graph.splats.get(y)
        negated = ENode("negate", (), node.shape, (y,)) if value is None else splat(wrap(node.shape.dtype, -value), node.shape)
        yield ENode("sum", (), node.shape, (x, negated))


def equal_terms_are_a_multiple(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """x + x + y = dot(x, 2 * I) + y."""
    counts = Counter(node.children)
    for term, count in counts.items():
        product = next(times(term, count, node.shape), None) if count > 1 else None
        if product is not None:
            rest = tuple(each for each in node.children if each != term)
            yield ENode("sum", (), node.shape, (product, *rest)) if rest else product


def terms_are_products(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """x + y = dot(x, I) + dot(y, I), so that what multiplies and accumulates also adds."""
    terms = [next(times(term, 1, node.shape), term) if _plain(graph, term) else term for term in node.children]
    if any(isinstance(term, ENode) for term in terms):
        yield ENode("sum", (), node.shape, tuple(terms))


def _plain(graph: ClassGraph, term: int) -> bool:
    """Whether a term is a byte, or is made of bytes, and no product."""
    if term in graph.splats or any(graph.nodes(term, "dot")):
        return False
    kinds = [graph.shape(term), *(graph.shape(each.children[0]) for each in graph.nodes(term, "convert"))]
    return any(integral(kind.dtype) and width(kind.dtype) == 8 for kind in kinds)


def product_with_one(graph: ClassGraph, node: ENode) -> Iterator[int]:
    """dot(x, I) = x, if x has the type of the product."""
    x, factor = node.children
    shape = graph.shape(factor)
    if node.attributes == PLAIN_DOT and graph.shape(x) == node.shape and _matrix(shape) and shape.dims[0] == shape.dims[1]:
        inner = [each.children[0] for each in graph.nodes(factor, "convert")] + [factor]
        if any(each == diagonal(shape.dims[0], 1, graph.shape(number).dtype) for number in inner for each in graph.nodes(number, "constant")):
            yield x


def dot_of_transposed(numbers: Attributes) -> Rule:
    """dot(x, y) = dot(x', y') with the dimension `numbers` of an instruction, where what is contracted along another dimension is transposed."""
    contracted = [dict(numbers)[f"{side}_contracting_dims"] for side in ("lhs", "rhs")]

    def propose(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
        if node.attributes == PLAIN_DOT and all(graph.shape(child).rank == 2 for child in node.children):
            children = (_turned(graph, child) if along != usual else child for child, along, usual in zip(node.children, contracted, ((1,), (0,)), strict=True))
            yield ENode("dot", numbers, node.shape, tuple(children))

    return Rule(f"dot_of_transposed_{contracted[0][0]}_{contracted[1][0]}", frozenset(["dot"]), propose)


def _turned(graph: ClassGraph, number: int, above: frozenset[int] = frozenset()) -> int | ENode:
    """The transpose of a matrix; that of a conversion is the conversion of the transpose.  A value may be a conversion of one of those `above`
    of which it is an operand."""
    for node in graph.nodes(number, "transpose"):
        if node.attribute("dimensions") == (1, 0):
            return node.children[0]
    shape = Shape(graph.shape(number).dtype, graph.shape(number).dims[::-1])
    for node in graph.nodes(number, "convert"):
        if node.children[0] not in above | {number}:
            return ENode("convert", (), shape, (_turned(graph, node.children[0], above | {number}),))
    return ENode("transpose", (("dimensions", (1, 0)),), shape, (number,))


def reversal_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """reverse(x, rows) = dot(J, x), reverse(x, columns) = dot(x, J): a product with a single 1 in each sum."""
    kind = _factor_type(1, node.shape.dtype)
    if not _matrix(node.shape) or kind is None:
        return
    value: int | ENode = node.children[0]
    for axis in node.attribute("dimensions"):
        exchange = diagonal(node.shape.dims[axis], 1, kind, other=True)
        value = ENode("dot", PLAIN_DOT, node.shape, (exchange, value) if axis == 0 else (value, exchange))
    if isinstance(value, ENode):
        yield value


def repetition_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """A vector repeated as columns = the product with a row of ones, repeated as rows = that of a column of ones with it."""
    source, dimensions = graph.shape(node.children[0]), node.attribute("dimensions")
    kind = _factor_type(1, node.shape.dtype)
    if source.rank != 1 or node.children[0] in graph.splats or not _matrix(node.shape) or kind is None:
        return
    rows, columns = node.shape.dims
    as_rows = dimensions == (1,)
    vector = ENode("reshape", (), Shape(source.dtype, (1, columns) if as_rows else (rows, 1)), node.children)
    ones = splat(1, Shape(kind, (rows, 1) if as_rows else (1, columns)))
    yield ENode("dot", PLAIN_DOT, node.shape, (ones, vector) if as_rows else (vector, ones))


def _above(graph: ClassGraph, x: int, y: int, shape: Shape) -> ENode | None:
    """How far x lies above y, 0 where it does not, modulo 2**width; None where that cannot be said."""
    wide = Shape(WIDE, shape.dims)
    if not _matrix(shape) or width(shape.dtype) >= width(WIDE):
        return None
    value = graph.splats.get(y)
    taken = splat(-value, wide) if value is not None else ENode("negate", (), wide, (ENode("convert", (), wide, (y,)),))
    difference = ENode("sum", (), wide, (ENode("convert", (), wide, (x,)), taken))
    return ENode("convert", (), shape, (clamp(0, difference, integer_range(WIDE)[1], wide),))


def maximum_is_rectified(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """max(x, y) = y + (x - y, limited to 0 from below), where the difference is exact and its low bits are added."""
    x, y = sorted(node.children, key=lambda child: child in graph.splats)
    above = _above(graph, x, y, node.shape)
    if above is not None:
        yield ENode("sum", (), node.shape, (above, y))


def minimum_is_rectified(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """min(x, y) = y - (y - x, limited to 0 from below)."""
    x, y = sorted(node.children, key=lambda child: child in graph.splats)
    above = _above(graph, y, x, node.shape)
    if above is not None:
        yield ENode("sum", (), node.shape, (y, ENode("negate", (), node.shape, (above,))))


def zero_limit_is_clamp(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """max(x, 0) = clamp(0, x, greatest), as instructions say it."""
    for constant, value in (node.children, node.children[::-1]):
        if graph.splats.get(constant) == 0 and integral(node.shape.dtype):
            yield clamp(0, value, integer_range(node.shape.dtype)[1], node.shape)


def limit_without_effect(graph: ClassGraph, node: ENode) -> Iterator[int]:
    """max(x, y) = x and min(x, y) = y where no y is above an x."""
    for x, y in (node.children, node.children[::-1]):
        if x in graph.ranges and y in graph.ranges and graph.ranges[x][0] >= graph.ranges[y][1]:
            yield x if node.opcode == "maximum" else y


def clamp_is_limits(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = min(max(x, l), h), of which one is enough where the other limit is that of the type."""
    low, x, high = node.children
    least, greatest = integer_range(node.shape.dtype) if _matrix(node.shape) else (0, 0)
    if not _matrix(node.shape) or (graph.splats.get(low), graph.splats.get(high)) == (0, greatest):
        return
    value: int | ENode = x
    if graph.splats.get(low) != least:
        value = ENode("maximum", (), node.shape, (value, _spread(graph, low, node.shape)))
    if graph.splats.get(high) != greatest:
        value = ENode("minimum", (), node.shape, (value, _spread(graph, high, node.shape)))
    if isinstance(value, ENode):
        yield value


def _spread(graph: ClassGraph, limit: int, shape: Shape) -> int | ENode:
    """A limit, which may be a scalar, as a tensor."""
    if graph.shape(limit).dims:
        return limit
    return splat(graph.splats[limit], shape) if limit in graph.splats else ENode("broadcast", (("dimensions", ()),), shape, (limit,))


MOVED: tuple[Rule, ...] = (
    rule(difference_is_sum, "subtract", shallow=True),
    rule(reversal_is_product, "reverse", shallow=True),
    rule(repetition_is_product, "broadcast", shallow=True),
)
"""Differences as sums, and data that is moved by a product: for every machine that has one."""

PRODUCTS: tuple[Rule, ...] = (
    *MOVED,
    rule(negation_is_product, "negate", shallow=True),
    rule(multiple_is_product, "multiply", shallow=True),
    rule(equal_terms_are_a_multiple, "sum", shallow=True),
    rule(terms_are_products, "sum"),
    rule(product_with_one, "dot"),
)
RECTIFIED: tuple[Rule, ...] = (
    rule(limit_without_effect, "maximum", "minimum", shallow=True),
    rule(zero_limit_is_clamp, "maximum", shallow=True),
    rule(maximum_is_rectified, "maximum", shallow=True),
    rule(minimum_is_rectified, "minimum", shallow=True),
    rule(clamp_is_limits, "clamp", shallow=True),
)
