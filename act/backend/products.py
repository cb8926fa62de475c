"""Rules for machines whose arithmetic is a matrix product and a saturation: other operators as those, for integers, modulo 2**width.

Before --> after:  `negate(x)` --> `dot(x, -I)`,  `clamp(-128, x, 127)` in s32 --> `convert<s32>(convert<s8>(clamp(-128, x, 127)))`
"""

from __future__ import annotations

from collections.abc import Iterator

from act.backend.analysis import integral
from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.dots import PLAIN_DOT
from act.backend.normalise import clamp, fits, rule, splat
from act.hlo.dtypes import integer_range, width
from act.hlo.model import Shape

NARROW = ("s8", "u8", "s16", "u16")
WIDE = "s32"
LONGEST = 8
"""Terms of the longest sum of products that is negated."""
FEW = range(2, 9)
LARGEST = 64
"""Columns of the largest matrix for which a diagonal matrix is made."""


def _narrow(bounds: tuple[int, int], dtype: str) -> str | None:
    """The first of the narrow types that holds `bounds` and is narrower than `dtype`."""
    return next((kind for kind in NARROW if width(kind) < width(dtype) and fits(bounds, kind)), None)


def _times(x: int, factor: int, shape: Shape) -> Iterator[ENode]:
    """factor * x as the product with a diagonal matrix."""
    kind = _narrow((factor, factor), shape.dtype)
    if shape.rank != 2 or shape.dims[1] > LARGEST or kind is None:
        return
    size = shape.dims[1]
    rows = tuple(tuple(factor if row == column else 0 for column in range(size)) for row in range(size))
    diagonal = ENode("constant", (("value", rows),), Shape(kind, (size, size)))
    if size == 1:
        diagonal = ENode("broadcast", (("dimensions", ()),), Shape(kind, (1, 1)), (ENode("constant", (("value", factor),), Shape(kind)),))
    yield ENode("dot", PLAIN_DOT, shape, (x, diagonal))


def negation_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """-x = dot(x, -I)."""
    if integral(node.shape.dtype):
        yield from _times(node.children[0], -1, node.shape)


def multiple_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """c * x = dot(x, c * I)."""
    for constant, value in (node.children, node.children[::-1]):
        if constant in graph.splats and value not in graph.splats and integral(node.shape.dtype):
            yield from _times(value, graph.splats[constant], node.shape)


def sum_of_equals_is_product(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """x + x + ... = dot(x, n * I)."""
    if len(set(node.children)) == 1:
        yield from _times(node.children[0], len(node.children), node.shape)


def constant_factor_is_narrow(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """dot(x, c) = dot(x, convert(c)) with the constant in a narrow type that holds it."""
    for side, child in enumerate(node.children):
        value, shape = graph.splats.get(child), graph.shape(child)
        kind = _narrow((value, value), shape.dtype) if value is not None and integral(shape.dtype) else None
        if kind is None or any(graph.nodes(child, "convert")):
            continue
        scalar = ENode("constant", (("value", value),), Shape(kind))
        converted = ENode("convert", (), shape, (ENode("broadcast", (("dimensions", ()),), Shape(kind, shape.dims), (scalar,)),))
        children = list(node.children)
        children[side] = converted
        yield ENode("dot", node.attributes, node.shape, tuple(children))


def limited_is_narrow(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = convert(convert<narrow>(clamp(l, x, h))) when the narrow type holds both bounds."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    if not integral(node.shape.dtype) or low is None or high is None or low > high:
        return
    kind = _narrow((low, high), node.shape.dtype)
    if kind is not None:
        yield ENode("convert", (), node.shape, (ENode("convert", (), Shape(kind, node.shape.dims), (node,)),))


def narrowing_saturates(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """convert<narrow>(x) = convert<narrow>(clamp(least, x, greatest)) where the narrow type holds every x."""
    source = graph.shape(node.children[0])
    if not integral(node.shape.dtype) or not integral(source.dtype) or width(node.shape.dtype) >= width(source.dtype):
        return
    if fits(graph.ranges.get(node.children[0]), node.shape.dtype):
        (least, greatest), (lowest, highest) = integer_range(node.shape.dtype), integer_range(source.dtype)
        bounds = max(least, lowest), min(greatest, highest)
        low, high = (ENode("constant", (("value", bound),), Shape(source.dtype)) for bound in bounds)
        yield ENode("convert", (), node.shape, (ENode("clamp", (), source, (low, node.children[0], high)),))


def limits_in_wider_type(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = convert(clamp(l, convert(x), h)) in 32 bits, for constant limits of narrow values."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    if integral(node.shape.dtype) and width(node.shape.dtype) in (8, 16) and low is not None and high is not None:
        wide = Shape(f"{node.shape.dtype[0]}32", node.shape.dims)
        yield ENode("convert", (), node.shape, (clamp(low, ENode("convert", (), wide, (node.children[1],)), high, wide),))


def _saturated(x: int | ENode, plus: int, shape: Shape) -> ENode:
    """x + plus, limited to what a signed byte holds."""
    low, high = integer_range(NARROW[0])
    return clamp(low, ENode("sum", (), shape, (x, splat(plus, shape))), high, shape)


def limits_are_saturations(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = sat(sat(x + a) + b) + c for limits that lie at most 255 apart, where sat limits to -128..127:
    x + a with a = -128 - l puts l at the lower end, adding b = 255 - (h - l) puts h at the upper end, and c takes both back."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    least, greatest = integer_range(NARROW[0])
    known, dtype = graph.ranges.get(node.children[1]), node.shape.dtype
    if low is None or high is None or known is None or not 0 <= high - low <= greatest - least or (low, high) == (least, greatest):
        return
    first, second = least - low, greatest - least - (high - low)
    if width(dtype) <= width(NARROW[0]) or not fits((known[0] + first, known[1] + first), dtype) or not fits((first, second), dtype):
        return
    inner = _saturated(node.children[1], first, node.shape)
    yield ENode("sum", (), node.shape, (_saturated(inner, second, node.shape), splat(-first - second, node.shape)))


def limits_within_a_byte(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = clamp(l, sat(x), h) for limits that a signed byte holds, where sat limits to -128..127; of x nothing need be known."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    least, greatest = integer_range(NARROW[0])
    if not integral(node.shape.dtype) or width(node.shape.dtype) <= width(NARROW[0]) or low is None or high is None:
        return
    if least <= low <= high <= greatest and (low, high) != (least, greatest) and not fits(graph.ranges.get(node.children[1]), NARROW[0]):
        narrow = ENode("convert", (), Shape(NARROW[0], node.shape.dims), (clamp(least, node.children[1], greatest, node.shape),))
        yield clamp(low, ENode("convert", (), node.shape, (narrow,)), high, node.shape)


def limits_are_known(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """clamp(l, x, h) = clamp(max(l, least), x, min(h, greatest)) where all x are in least..greatest, which a signed byte holds, as one of the limits
    does not."""
    low, high = (graph.splats.get(node.children[side]) for side in (0, 2))
    known = graph.ranges.get(node.children[1])
    if not integral(node.shape.dtype) or low is None or high is None or known is None or not fits(known, NARROW[0]):
        return
    if low <= known[1] and known[0] <= high and not fits((low, high), NARROW[0]):
        yield clamp(max(low, known[0]), node.children[1], min(high, known[1]), node.shape)


def negated_dot(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """-dot(x, y) = dot(x, ~y) + dot(x, ones) for bytes, since -y = ~y + 1, where ~y is a byte and -y need not be."""
    if node.shape.dtype != WIDE or node.shape.rank != 2:
        return
    for inner in graph.nodes(node.children[0], "dot"):
        x, y = inner.children
        shape, byte = graph.shape(y), Shape(NARROW[0], graph.shape(y).dims)
        narrow = y if shape == byte else next((each.children[0] for each in graph.nodes(y, "convert") if graph.shape(each.children[0]) == byte), None)
        if narrow is None or y in graph.splats:
            continue
        inverted: int | ENode = ENode("not", (), byte, (narrow,))
        if shape != byte:
            inverted = ENode("convert", (), shape, (inverted,))
        parts = (ENode("dot", inner.attributes, node.shape, (x, other)) for other in (inverted, splat(1, shape)))
        yield ENode("sum", (), node.shape, tuple(parts))


def negated_sum(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """-(dot(x, y) + ...) = -dot(x, y) + ..., for sums of products in 32 bits."""
    for inner in graph.nodes(node.children[0], "sum") if node.shape.dtype == WIDE else ():
        if len(inner.children) <= LONGEST and all(any(graph.nodes(child, "dot")) for child in inner.children):
            yield ENode("sum", (), node.shape, tuple(ENode("negate", (), node.shape, (child,)) for child in inner.children))


def few_multiples_are_sums(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """c * x = x + x + ..., for a few times what no byte holds."""
    for constant, value in (node.children, node.children[::-1]):
        times = graph.splats.get(constant)
        if node.shape.dtype == WIDE and times is not None and times in FEW and value not in graph.splats and not fits(graph.ranges.get(value), NARROW[0]):
            yield ENode("sum", (), node.shape, (value,) * times)


def ring_in_wider_type(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """f(x, y) in a narrow type = convert(f(convert(x), convert(y))) in 32 bits, for +, -, *, negation and dot; an operand that is itself
    a truncated wide value is that value, since low bits depend on low bits only."""
    dtype = node.shape.dtype
    if not integral(dtype) or width(dtype) not in (8, 16):
        return
    wide = f"{dtype[0]}32"
    children = []
    for child in node.children:
        source = graph.shape(child)
        if source.dtype != dtype:
            return
        whole = next((each.children[0] for each in graph.nodes(child, "convert") if graph.shape(each.children[0]).dtype == wide), None)
        children.append(ENode("convert", (), Shape(wide, source.dims), (child,)) if whole is None else whole)
    yield ENode("convert", (), node.shape, (ENode(node.opcode, node.attributes, Shape(wide, node.shape.dims), tuple(children)),))


def moves_in_wider_type(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """f(x) in a narrow type = convert(f(convert(x))) in 32 bits, where f only moves data, so that nothing wraps."""
    source = graph.shape(node.children[0])
    if integral(node.shape.dtype) and width(node.shape.dtype) in (8, 16) and node.children[0] not in graph.splats:
        wide = f"{node.shape.dtype[0]}32"
        operand = ENode("convert", (), Shape(wide, source.dims), node.children)
        yield ENode("convert", (), node.shape, (ENode(node.opcode, node.attributes, Shape(wide, node.shape.dims), (operand,)),))


def extreme_is_rectified(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """maximum(x, y) = y + relu(x - y) and minimum(x, y) = x - relu(x - y) for bytes; a difference d of bytes is 255 at most, so that
    relu(d) = sat(relu(d)) + sat(relu(d - 127)) + sat(relu(d - 254))."""
    x, y = node.children
    byte, (_, most) = NARROW[0], integer_range(NARROW[0])
    if node.shape.rank != 2 or not integral(node.shape.dtype) or width(node.shape.dtype) not in (width(byte), width(WIDE)):
        return
    if not all(fits(graph.ranges.get(child), byte) and child not in graph.splats for child in (x, y)):
        return
    wide = Shape(WIDE, node.shape.dims)
    one, other = (child if graph.shape(child) == wide else ENode("convert", (), wide, (child,)) for child in (x, y))
    difference = (one, ENode("negate", (), wide, (other,)))
    parts = [_rectified(ENode("sum", (), wide, (*difference, splat(-most * count, wide)) if count else difference), wide) for count in range(3)]
    if node.opcode == "maximum":
        total = ENode("sum", (), wide, (other, *parts))
    else:
        total = ENode("sum", (), wide, (one, *(ENode("negate", (), wide, (part,)) for part in parts)))
    yield total if node.shape == wide else ENode("convert", (), node.shape, (clamp(-most - 1, total, most, wide),))


def _rectified(x: ENode, shape: Shape) -> ENode:
    """Limited from 0 to the greatest byte, and as wide as before."""
    most = integer_range(NARROW[0])[1]
    return ENode("convert", (), shape, (ENode("convert", (), Shape(NARROW[0], shape.dims), (clamp(0, x, most, shape),)),))


EXTREMES = (rule(extreme_is_rectified, "maximum", "minimum"),)
"""For machines that saturate, and have no other way to compare than to limit to 0 from below."""

RULES: tuple[Rule, ...] = (
    rule(negation_is_product, "negate"),
    rule(multiple_is_product, "multiply"),
    rule(sum_of_equals_is_product, "sum"),
    rule(constant_factor_is_narrow, "dot"),
    rule(limited_is_narrow, "clamp"),
    rule(limits_are_saturations, "clamp"),
    rule(limits_within_a_byte, "clamp"),
    rule(limits_are_known, "clamp"),
    rule(negated_dot, "negate"),
    rule(negated_sum, "negate"),
    rule(few_multiples_are_sums, "multiply"),
    rule(limits_in_wider_type, "clamp"),
    rule(narrowing_saturates, "convert"),
    rule(moves_in_wider_type, "reverse", "broadcast"),
    rule(ring_in_wider_type, "sum", "subtract", "multiply", "negate", "dot"),
)

LIGHT = tuple(each for each in RULES if each.name == "constant_factor_is_narrow")
"""That which a machine needs that has modular arithmetic in narrow types."""
