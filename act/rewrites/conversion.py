"""Changes of element type: those that lose nothing, and narrowing of ring arithmetic, which only its low bits reach.

Before --> after:  `convert<s8>(sum(x, y))` --> `sum(convert<s8>(x), convert<s8>(y))`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import width
from act.hlo.model import Shape
from act.rewrites.terms import Proposals, is_whole, keeps_values, rule, shape_of, term

RING = ("sum", "subtract", "negate", "multiply", "dot")


def convert_of_ring(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(f(x, y)) = f(convert(x), convert(y)) modulo 2**width, for +, -, *, negation and dot, to a type that is not wider."""
    for inner in graph.classes[node.children[0]]:
        if inner.opcode not in RING or not (is_whole(node.shape.dtype) and is_whole(inner.shape.dtype)):
            continue
        if width(node.shape.dtype) > width(inner.shape.dtype):
            continue
        children = [_converted(graph, child, node.shape.dtype) for child in inner.children]
        yield term(graph, inner.opcode, *children, to=node.shape if inner.opcode == "dot" else None, **dict(inner.attributes))


def _converted(graph: ClassGraph, child: int, dtype: str) -> ENode | int:
    shape = shape_of(graph, child)
    return child if shape.dtype == dtype else term(graph, "convert", child, to=Shape(dtype, shape.dims))


def convert_of_limit(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(max(x, y)) = max(convert(x), convert(y)), min and clamp likewise, to an integer type that has all values of the old one."""
    for inner in graph.classes[node.children[0]]:
        if inner.opcode in ("maximum", "minimum", "clamp") and keeps_values(inner.shape.dtype, node.shape.dtype):
            yield term(graph, inner.opcode, *(_converted(graph, child, node.shape.dtype) for child in inner.children))


def convert_of_select(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(select(p, x, y)) = select(p, convert(x), convert(y))."""
    for inner in graph.nodes(node.children[0], "select"):
        condition, *sides = inner.children
        yield term(graph, "select", condition, *(_converted(graph, child, node.shape.dtype) for child in sides))


def limit_of_converted(graph: ClassGraph, node: ENode) -> Proposals:
    """max(convert(x), convert(y)) = convert(max(x, y)), min likewise, when x and y have one integer type and no value changes."""
    for one in graph.nodes(node.children[0], "convert"):
        for other in graph.nodes(node.children[1], "convert"):
            types = [graph.shape(each.children[0]).dtype for each in (one, other)]
            if types[0] == types[1] and keeps_values(types[0], node.shape.dtype):
                yield term(graph, "convert", term(graph, node.opcode, one.children[0], other.children[0]), to=node.shape)


def bitcast_is_convert(graph: ClassGraph, node: ENode) -> Proposals:
    """Between integers of one width, the bits are the value modulo 2**width."""
    source = graph.shape(node.children[0]).dtype
    if is_whole(source) and is_whole(node.shape.dtype) and width(source) == width(node.shape.dtype):
        yield term(graph, "convert", node.children[0], to=node.shape) if source != node.shape.dtype else node.children[0]


def bitcast_of_bitcast(graph: ClassGraph, node: ENode) -> Proposals:
    """Bits of bits: x itself, or one bitcast between the outer types when their widths are the same."""
    for inner in graph.nodes(node.children[0], "bitcast-convert"):
        source = graph.shape(inner.children[0])
        if source == node.shape:
            yield inner.children[0]
        elif width(source.dtype) == width(node.shape.dtype) and source.dims == node.shape.dims:
            yield term(graph, "bitcast-convert", inner.children[0], to=node.shape)


def compare_of_converted(graph: ClassGraph, node: ENode) -> Proposals:
    """compare(convert(x), convert(y)) = compare(x, y), when x and y have one integer type and no value changes."""
    for one in graph.nodes(node.children[0], "convert"):
        for other in graph.nodes(node.children[1], "convert"):
            types = [graph.shape(each.children[0]).dtype for each in (one, other)]
            if types[0] == types[1] and keeps_values(types[0], one.shape.dtype):
                yield term(graph, "compare", one.children[0], other.children[0], direction=node.attribute("direction"))


RULES = (
    rule(convert_of_ring, "convert"),
    rule(convert_of_limit, "convert"),
    rule(convert_of_select, "convert"),
    rule(limit_of_converted, "maximum", "minimum"),
    rule(bitcast_is_convert, "bitcast-convert"),
    rule(bitcast_of_bitcast, "bitcast-convert"),
    rule(compare_of_converted, "compare"),
)
