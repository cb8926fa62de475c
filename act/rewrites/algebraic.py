"""Identities of sums of any length, and those that the known ranges of integers decide.

Before --> after:  `negate(sum(x, y))` --> `sum(negate(x), negate(y))`,  `compare.LT(convert(x: u8), 256)` --> `true`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Proposals, is_whole, splat, term

rule = rewriter("algebraic")
OPPOSITE = {"EQ": "NE", "NE": "EQ", "LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT"}


def negate_of_sum(graph: ClassGraph, node: ENode) -> Proposals:
    """-(x + y) = (-x) + (-y), modulo 2**width."""
    if not is_whole(node.shape.dtype):
        return
    for inner in graph.nodes(node.children[0], "sum"):
        yield term(graph, "sum", *(term(graph, "negate", child) for child in inner.children))


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
    """abs(x) = x where no x is negative, for integers."""
    found = graph.ranges.get(node.children[0])
    if is_whole(node.shape.dtype) and found is not None and found[0] >= 0:
        yield node.children[0]


def sign_by_range(graph: ClassGraph, node: ENode) -> Proposals:
    """sign(x) = 1 where every x is positive, -1 where every x is negative, for integers."""
    found = graph.ranges.get(node.children[0])
    if is_whole(node.shape.dtype) and found is not None and (found[0] > 0 or found[1] < 0):
        yield splat(1 if found[0] > 0 else -1, node.shape)


def remainder_by_range(graph: ClassGraph, node: ENode) -> Proposals:
    """x modulo y = x where the size of every x is below that of every y, for integers."""
    one, other = (graph.ranges.get(child) for child in node.children)
    if is_whole(node.shape.dtype) and one is not None and other is not None:
        (low, high), (least, most) = one, other
        nearest = least if least > 0 else -most if most < 0 else 0
        if max(high, -low) < nearest:
            yield node.children[0]


def divide_by_range(graph: ClassGraph, node: ENode) -> Proposals:
    """x / y = 0 where the size of every x is below that of every y, for integers."""
    if any(True for _ in remainder_by_range(graph, node)):
        yield splat(0, node.shape)


RULES: tuple[Rewrite, ...] = (
    rule(negate_of_sum, "negate", types="integers", within="sum", builds="sum negate"),
    rule(limit_by_range, "maximum", "minimum", types="integers"),
    rule(limits_are_clamp, "minimum", within="maximum", builds="clamp"),
    rule(compare_by_range, "compare", types="integers"),
    rule(abs_of_positive, "abs", types="integers"),
    rule(sign_by_range, "sign", types="integers"),
    rule(remainder_by_range, "remainder", types="integers"),
    rule(divide_by_range, "divide", types="integers"),
)
