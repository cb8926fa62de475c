"""Changes of element type: those that lose nothing, and narrowing of ring arithmetic, which only its low bits reach.

Before --> after:  `convert<s8>(sum(x, y))` --> `sum(convert<s8>(x), convert<s8>(y))`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import is_float, is_signed, width, wrap
from act.hlo.model import Shape
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.pattern import identity
from act.rewrites.terms import Proposals, is_whole, keeps_values, shape_of, splat, term

rule = rewriter("conversion")

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


def convert_of_bits(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(f(x, y)) = f(convert(x), convert(y)) for and, or, xor between integers, for not unless zeros are put before an unsigned x."""
    for inner in graph.classes[node.children[0]]:
        source, target = inner.shape.dtype, node.shape.dtype
        if inner.opcode not in ("and", "or", "xor", "not") or not (is_whole(source) and is_whole(target)):
            continue
        if inner.opcode != "not" or is_signed(source) or width(target) <= width(source):
            yield term(graph, inner.opcode, *(_converted(graph, child, node.shape.dtype) for child in inner.children))


def convert_of_shift(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(x shifted left by c) = convert(x) shifted left by c, to an integer type that is not wider, for a constant below its width."""
    target = node.shape.dtype
    for inner in graph.nodes(node.children[0], "shift-left"):
        amount = graph.splats.get(inner.children[1])
        narrows = is_whole(target) and width(target) <= width(inner.shape.dtype)
        if narrows and amount is not None and 0 <= amount < width(target):
            yield term(graph, "shift-left", _converted(graph, inner.children[0], target), splat(amount, node.shape))


def convert_of_movement(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(concatenate(x, y)) = concatenate(convert(x), convert(y)); pad likewise, with its value."""
    for inner in graph.classes[node.children[0]]:
        if inner.opcode in ("concatenate", "pad"):
            yield term(graph, inner.opcode, *(_converted(graph, child, node.shape.dtype) for child in inner.children), **dict(inner.attributes))


def holds(source: str, target: str) -> bool:
    """Every value of `source` is one of `target`: integers in wider ones, integers in floats by their digits, floats in wider floats."""
    if is_whole(source) and is_whole(target):
        return keeps_values(source, target)
    if is_whole(source) and is_float(target):
        return width(source) - is_signed(source) <= DIGITS[target]
    return source == target or (source, target) in WIDER


DIGITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
EXPONENTS = {"bf16": 127, "f16": 15, "f32": 127, "f64": 1023}
WIDER = frozenset((("bf16", "f32"), ("bf16", "f64"), ("f16", "f32"), ("f16", "f64"), ("f32", "f64")))


def convert_there_and_back(graph: ClassGraph, node: ENode) -> Proposals:
    """convert<C>(convert<B>(x: A)) = convert<C>(x) when B has every value of A; x itself when C is A.  For A pred too."""
    for inner in graph.nodes(node.children[0], "convert"):
        source = graph.shape(inner.children[0])
        known = {source.dtype, node.shape.dtype, inner.shape.dtype}
        if "pred" not in known and holds(source.dtype, inner.shape.dtype):
            yield inner.children[0] if source == node.shape else term(graph, "convert", inner.children[0], to=node.shape)


def convert_of_predicate_twice(graph: ClassGraph, node: ENode) -> Proposals:
    """convert<C>(convert<B>(p)) = convert<C>(p) for a predicate, when B has 1; p itself when C is pred."""
    for inner in graph.nodes(node.children[0], "convert"):
        source, between = graph.shape(inner.children[0]), inner.shape.dtype
        if source.dtype == "pred" and (is_float(between) or (is_whole(between) and wrap(between, 1) == 1)):
            yield inner.children[0] if source == node.shape else term(graph, "convert", inner.children[0], to=node.shape)


def rounding_of_whole(graph: ClassGraph, node: ENode) -> Proposals:
    """Rounding a float that was an integer, even one that was rounded to it, changes nothing."""
    for inner in graph.nodes(node.children[0], "convert"):
        if is_whole(graph.shape(inner.children[0]).dtype):
            yield node.children[0]


def finite_whole(graph: ClassGraph, node: ENode) -> Proposals:
    """A float that was an integer within its range is finite."""
    for inner in graph.nodes(node.children[0], "convert"):
        source = graph.shape(inner.children[0]).dtype
        if is_whole(source) and width(source) <= EXPONENTS[inner.shape.dtype]:
            yield splat(True, node.shape)


def compare_of_converted_with_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """compare(convert(x), c) = compare(x, c), when no integer x changes its value and its type has c."""
    for inner in graph.nodes(node.children[0], "convert"):
        source, bound = graph.shape(inner.children[0]), graph.splats.get(node.children[1])
        if bound is not None and keeps_values(source.dtype, inner.shape.dtype) and wrap(source.dtype, bound) == bound:
            yield term(graph, "compare", inner.children[0], splat(bound, source), direction=node.attribute("direction"))


def limit_of_converted_with_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """max(convert(x), c) = convert(max(x, c)), min likewise, when no integer x changes its value and its type has c."""
    for value, constant in (node.children, node.children[::-1]):
        bound = graph.splats.get(constant)
        if bound is None:
            continue
        for inner in graph.nodes(value, "convert"):
            source = graph.shape(inner.children[0])
            if keeps_values(source.dtype, node.shape.dtype) and wrap(source.dtype, bound) == bound:
                yield term(graph, "convert", term(graph, node.opcode, inner.children[0], splat(bound, source)), to=node.shape)


def sign_of_converted(graph: ClassGraph, node: ENode) -> Proposals:
    """sign(convert(x)) = convert(sign(x)), when no integer x changes its value and its type has the results."""
    for inner in graph.nodes(node.children[0], "convert"):
        source = graph.shape(inner.children[0]).dtype
        if keeps_values(source, node.shape.dtype) and wrap(source, 1) == 1:
            yield term(graph, "convert", term(graph, "sign", inner.children[0]), to=node.shape)


def limit_in_wider_type(graph: ClassGraph, node: ENode) -> Proposals:
    """max(x, y) of 8 or 16 bits = convert(max(convert(x), convert(y))) in 32 bits, min likewise, where neither is constant."""
    dtype = node.shape.dtype
    if is_whole(dtype) and width(dtype) in (8, 16) and not any(child in graph.splats for child in node.children):
        wide = Shape(f"{dtype[0]}32", node.shape.dims)
        yield term(graph, "convert", term(graph, node.opcode, *(_converted(graph, child, wide.dtype) for child in node.children)), to=node.shape)


def same_width(graph: ClassGraph, node: ENode) -> Proposals:
    """bitcast-convert(f(x, y)) = f(bitcast-convert(x), bitcast-convert(y)) between integers of one width for +, -, *, negation and bits."""
    for inner in graph.classes[node.children[0]]:
        plain = is_whole(inner.shape.dtype) and is_whole(node.shape.dtype) and width(inner.shape.dtype) == width(node.shape.dtype)
        if plain and inner.opcode in ("sum", "subtract", "multiply", "negate", "and", "or", "xor", "not"):
            children = [term(graph, "bitcast-convert", child, to=node.shape) for child in inner.children]
            yield term(graph, inner.opcode, *children)


_IDENTITIES = (
    ("float_of_not", "floats", "subtract(1, convert(p)) = convert(not(p))"),
    ("whole_of_not", "integers", "sum(negate(convert(p)), 1) = convert(not(p))"),
    ("product_of_converted_predicates", "numbers", "multiply(convert(p), convert(q)) = convert(and(p, q))"),
    ("maximum_of_converted_predicates", "with one", "maximum(convert(p), convert(q)) = convert(or(p, q))"),
    ("minimum_of_converted_predicates", "with one", "minimum(convert(p), convert(q)) = convert(and(p, q))"),
    ("and_of_converted_predicates", "integers", "and(convert(p), convert(q)) = convert(and(p, q))"),
    ("or_of_converted_predicates", "integers", "or(convert(p), convert(q)) = convert(or(p, q))"),
    ("xor_of_converted_predicates", "integers", "xor(convert(p), convert(q)) = convert(xor(p, q))"),
    ("equal_converted_predicates", "any", "compare.EQ(convert(p), convert(q)) = not(xor(p, q))"),
)

RULES: tuple[Rewrite, ...] = (
    rule(convert_of_ring, "convert", types="integers", builds="convert", either="sum subtract negate multiply dot"),
    rule(convert_of_limit, "convert", types="integers", builds="convert", either="maximum minimum clamp"),
    rule(convert_of_select, "convert", within="select", builds="convert select"),
    rule(convert_of_bits, "convert", types="integers", builds="convert", either="and or xor not"),
    rule(convert_of_shift, "convert", types="integers", within="shift-left", builds="convert shift-left:constant"),
    rule(convert_of_movement, "convert", builds="convert", either="concatenate pad"),
    rule(convert_there_and_back, "convert", types="numbers", builds="convert"),
    rule(convert_of_predicate_twice, "convert", types="any", builds="convert"),
    rule(limit_of_converted, "maximum", "minimum", types="integers", within="convert", builds="convert", either="maximum minimum"),
    rule(
        limit_of_converted_with_constant, "maximum", "minimum", types="integers", within="convert", builds="convert", either="maximum:constant minimum:constant"
    ),
    rule(limit_in_wider_type, "maximum", "minimum", types="integers", builds="convert", either="maximum minimum"),
    rule(bitcast_is_convert, "bitcast-convert", types="integers", builds="convert"),
    rule(bitcast_of_bitcast, "bitcast-convert", builds="bitcast-convert"),
    rule(same_width, "bitcast-convert", types="integers", builds="bitcast-convert", either="sum subtract multiply negate and or xor not"),
    rule(compare_of_converted, "compare", types="integers", within="convert", builds="compare"),
    rule(compare_of_converted_with_constant, "compare", types="integers", within="convert", builds="compare:constant"),
    rule(rounding_of_whole, "floor", "ceil", "round-nearest-even", "round-nearest-afz", types="floats", within="convert"),
    rule(finite_whole, "is-finite", types="floats", within="convert"),
    rule(sign_of_converted, "sign", types="integers", within="convert", builds="convert sign"),
    *(identity("conversion", *each) for each in _IDENTITIES),
)
