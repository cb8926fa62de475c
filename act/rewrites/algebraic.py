"""Identities of one element type's arithmetic.  Those that need a ring, or values that are totally ordered, hold for integers only.

Before --> after:  `subtract(x, y)` --> `sum(x, negate(y))`,  `select(compare(x > 0), x, 0)` --> `maximum(x, 0)`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import is_float, is_signed, width, wrap
from act.rewrites.terms import Proposals, is_all_ones, is_all_zeros, is_whole, rule, splat, term, total

OPPOSITE = {"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT"}
SWAPPED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}


def subtract_is_sum(graph: ClassGraph, node: ENode) -> Proposals:
    """x - x = 0 and x - y = x + (-y), modulo 2**width."""
    left, right = node.children
    if not is_whole(node.shape.dtype):
        return
    if left == right:
        yield splat(0, node.shape)
    yield term(graph, "sum", left, term(graph, "negate", right))


def negate_of_negate(graph: ClassGraph, node: ENode) -> Proposals:
    """-(-x) = x, for floats too."""
    for inner in graph.nodes(node.children[0], "negate"):
        yield inner.children[0]


def negate_of_sum(graph: ClassGraph, node: ENode) -> Proposals:
    """-(x + y) = (-x) + (-y) and -(x - y) = y - x, modulo 2**width."""
    if not is_whole(node.shape.dtype):
        return
    for inner in graph.nodes(node.children[0], "subtract"):
        yield term(graph, "subtract", *inner.children[::-1])
    for inner in graph.nodes(node.children[0], "sum"):
        yield term(graph, "sum", *(term(graph, "negate", child) for child in inner.children))


def sum_cancels(graph: ClassGraph, node: ENode) -> Proposals:
    """x + (-x) + y = y, modulo 2**width."""
    for position, child in enumerate(node.children):
        for inner in graph.nodes(child, "negate"):
            rest = [other for place, other in enumerate(node.children) if place != position]
            if inner.children[0] in rest:
                rest.remove(inner.children[0])
                yield total(rest, node.shape)


def multiply_by_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """x * 0 = 0, x * 1 = x, x * -1 = -x, x * 2**k = x shifted left, modulo 2**width."""
    dtype = node.shape.dtype
    if not is_whole(dtype):
        return
    for value, constant in (node.children, node.children[::-1]):
        factor = graph.splats.get(constant)
        if factor == 0:
            yield splat(0, node.shape)
        elif factor == 1:
            yield value
        elif factor == wrap(dtype, -1):
            yield term(graph, "negate", value)
        elif factor is not None and (power := _power_of_two(int(factor), dtype)) is not None:
            yield term(graph, "shift-left", value, splat(power, node.shape))


def _power_of_two(factor: int, dtype: str) -> int | None:
    """k > 0 when factor = 2**k modulo 2**width; the type can always express k."""
    unsigned = factor % (1 << width(dtype))
    power = unsigned.bit_length() - 1
    return power if unsigned > 1 and unsigned == 1 << power else None


def divide_by_one(graph: ClassGraph, node: ENode) -> Proposals:
    if node.shape.dtype != "pred" and graph.splats.get(node.children[1]) == 1:
        yield node.children[0]


def bitwise_with_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """x & 0 = 0, x & ~0 = x, x | 0 = x, x | ~0 = ~0, x ^ 0 = x, x ^ ~0 = ~x."""
    for value, constant in (node.children, node.children[::-1]):
        if is_all_zeros(graph, constant):
            yield constant if node.opcode == "and" else value
        elif is_all_ones(graph, constant) and node.opcode == "xor":
            yield term(graph, "not", value)
        elif is_all_ones(graph, constant):
            yield value if node.opcode == "and" else constant


def bitwise_with_itself(graph: ClassGraph, node: ENode) -> Proposals:
    """x & x = x | x = x, x ^ x = 0."""
    left, right = node.children
    if left == right:
        yield left if node.opcode != "xor" else splat(False if node.shape.dtype == "pred" else 0, node.shape)


def not_of_not(graph: ClassGraph, node: ENode) -> Proposals:
    for inner in graph.nodes(node.children[0], "not"):
        yield inner.children[0]


def not_of_compare(graph: ClassGraph, node: ENode) -> Proposals:
    """not(x < y) = x >= y, but not for floats: nothing is true of NaN."""
    for inner in graph.nodes(node.children[0], "compare"):
        if not is_float(graph.shape(inner.children[0]).dtype):
            yield term(graph, "compare", *inner.children, direction=OPPOSITE[inner.attribute("direction")])


def limit_with_itself(graph: ClassGraph, node: ENode) -> Proposals:
    """max(x, x) = x, min(x, x) = x."""
    if node.children[0] == node.children[1]:
        yield node.children[0]


def limit_absorbs(graph: ClassGraph, node: ENode) -> Proposals:
    """max(x, min(x, y)) = x and min(x, max(x, y)) = x, for integers (y might be NaN)."""
    other = "minimum" if node.opcode == "maximum" else "maximum"
    for value, limit in (node.children, node.children[::-1]):
        if is_whole(node.shape.dtype) and any(value in inner.children for inner in graph.nodes(limit, other)):
            yield value


def limit_by_range(graph: ClassGraph, node: ENode) -> Proposals:
    """max(x, y) = x where the least x is not below the greatest y; min likewise."""
    for first, second in (node.children, node.children[::-1]):
        one, other = graph.ranges.get(first), graph.ranges.get(second)
        if one is None or other is None:
            continue
        if one[0] >= other[1] if node.opcode == "maximum" else one[1] <= other[0]:
            yield first


def limits_are_clamp(graph: ClassGraph, node: ENode) -> Proposals:
    """min(max(x, l), h) = clamp(l, x, h), which is how HLO defines it, when l and h are constants."""
    for limited, high in (node.children, node.children[::-1]):
        for inner in graph.nodes(limited, "maximum"):
            for value, low in (inner.children, inner.children[::-1]):
                if low in graph.splats and high in graph.splats and node.shape.dtype != "pred":
                    yield term(graph, "clamp", low, value, high)


def select_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    """select(true, x, y) = x, select(false, x, y) = y, select(p, x, x) = x."""
    condition, then, otherwise = node.children
    known = graph.splats.get(condition)
    if known is True or then == otherwise:
        yield then
    elif known is False:
        yield otherwise


def select_of_not(graph: ClassGraph, node: ENode) -> Proposals:
    """select(not p, x, y) = select(p, y, x)."""
    for inner in graph.nodes(node.children[0], "not"):
        yield term(graph, "select", inner.children[0], node.children[2], node.children[1])


def select_is_limit(graph: ClassGraph, node: ENode) -> Proposals:
    """select(x > y, x, y) = max(x, y), also for >= and with sides exchanged, for integers (NaN and -0 are different)."""
    condition, then, otherwise = node.children
    if not is_whole(node.shape.dtype):
        return
    for inner in graph.nodes(condition, "compare"):
        direction = inner.attribute("direction")
        if inner.children == (otherwise, then):
            direction = SWAPPED[direction]
        elif inner.children != (then, otherwise):
            continue
        if direction in ("GT", "GE", "LT", "LE"):
            yield term(graph, "maximum" if direction[0] == "G" else "minimum", then, otherwise)


def compare_by_range(graph: ClassGraph, node: ENode) -> Proposals:
    """A comparison of integers that their ranges decide, or of x with x."""
    left, right = node.children
    one, other = graph.ranges.get(left), graph.ranges.get(right)
    if not is_whole(graph.shape(left).dtype) or one is None or other is None:
        return
    known = {"LT": one[1] < other[0], "LE": one[1] <= other[0] or left == right, "GT": one[0] > other[1]}
    known |= {"GE": one[0] >= other[1] or left == right, "EQ": left == right, "NE": known["LT"] or known["GT"]}
    for direction, value in ((node.attribute("direction"), True), (OPPOSITE[node.attribute("direction")], False)):
        if known[direction]:
            yield splat(value, node.shape)


def abs_of_positive(graph: ClassGraph, node: ENode) -> Proposals:
    """abs(x) = x where no x is negative; abs(x) = max(x, -x) for signed integers, the least one too."""
    dtype, found = node.shape.dtype, graph.ranges.get(node.children[0])
    if not is_whole(dtype):
        return
    if found is not None and found[0] >= 0:
        yield node.children[0]
    if is_signed(dtype):
        yield term(graph, "maximum", node.children[0], term(graph, "negate", node.children[0]))


RULES = (
    rule(subtract_is_sum, "subtract"),
    rule(negate_of_negate, "negate"),
    rule(negate_of_sum, "negate"),
    rule(sum_cancels, "sum"),
    rule(multiply_by_constant, "multiply"),
    rule(divide_by_one, "divide"),
    rule(bitwise_with_constant, "and", "or", "xor"),
    rule(bitwise_with_itself, "and", "or", "xor"),
    rule(not_of_not, "not"),
    rule(not_of_compare, "not"),
    rule(limit_with_itself, "maximum", "minimum"),
    rule(limit_absorbs, "maximum", "minimum"),
    rule(limit_by_range, "maximum", "minimum"),
    rule(limits_are_clamp, "minimum"),
    rule(select_without_effect, "select"),
    rule(select_of_not, "select"),
    rule(select_is_limit, "select"),
    rule(compare_by_range, "compare"),
    rule(abs_of_positive, "abs"),
)
