"""Products of floats, for machines that sum them in single precision and may have no product alone.

Before --> after:  `dot(x, y)` in bf16 --> `convert<bf16>(dot(convert<f32>(x), convert<f32>(y)))`,  `dot(x, y)` --> `add(0, dot(x, y))`
"""

from __future__ import annotations

from collections.abc import Iterator

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.normalise import rule, splat
from act.hlo.dtypes import is_float, width
from act.hlo.model import Shape

SINGLE = "f32"


def product_is_rounded(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """dot(x, y) of half precision = convert(dot(convert(x), convert(y))): it is summed in single precision, and rounded once."""
    shapes = [node.shape, *(graph.shape(child) for child in node.children)]
    if all(is_float(shape.dtype) and width(shape.dtype) < width(SINGLE) for shape in shapes):
        children = tuple(ENode("convert", (), Shape(SINGLE, graph.shape(child).dims), (child,)) for child in node.children)
        yield ENode("convert", (), node.shape, (ENode("dot", node.attributes, Shape(SINGLE, node.shape.dims), children),))


def product_onto_zero(graph: ClassGraph, node: ENode) -> Iterator[ENode]:
    """dot(x, y) = add(0, dot(x, y)): sums of products start from +0, so that none is -0."""
    if is_float(node.shape.dtype):
        yield ENode("add", (), node.shape, (splat(0.0, node.shape), node))


ROUNDED: tuple[Rule, ...] = (rule(product_is_rounded, "dot"),)
ONTO_ZERO: tuple[Rule, ...] = (rule(product_onto_zero, "dot"),)
