"""Data movement of data movement is one movement, or none.  True for every element type.

Before --> after:  `transpose(transpose(x))` --> `transpose(x)`,  `slice(concatenate(x, y))` --> `slice(x)`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.rewrites.terms import Proposals, reshape, rule, splat, term, transpose


def _is_unit_free_order(dims: tuple[int, ...], order: tuple[int, ...]) -> bool:
    """Dimensions of a size other than 1 stay in their order."""
    kept = [axis for axis in order if dims[axis] != 1]
    return kept == sorted(kept)


def transpose_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(x) = x for the identity permutation; where only dimensions of size 1 move it is a reshape."""
    order, source = node.attribute("dimensions"), graph.shape(node.children[0])
    if order == tuple(range(len(order))):
        yield node.children[0]
    elif _is_unit_free_order(source.dims, order):
        yield reshape(graph, node.children[0], node.shape.dims)


def transpose_of_transpose(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(transpose(x, q), p) = transpose(x, r) with r[i] = q[p[i]]."""
    outer = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "transpose"):
        first = inner.attribute("dimensions")
        yield transpose(graph, inner.children[0], tuple(first[axis] for axis in outer))


def reshape_of_reshape(graph: ClassGraph, node: ENode) -> Proposals:
    """reshape(reshape(x)) = reshape(x), or x."""
    for inner in graph.nodes(node.children[0], "reshape"):
        yield reshape(graph, inner.children[0], node.shape.dims)


def broadcast_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    """broadcast(x) = x when nothing is repeated and the order kept; where only dimensions of size 1 come it is a reshape."""
    dimensions, source = node.attribute("dimensions"), graph.shape(node.children[0])
    added = [size for axis, size in enumerate(node.shape.dims) if axis not in dimensions]
    kept = all(node.shape.dims[axis] == size for axis, size in zip(dimensions, source.dims, strict=True))
    if kept and all(size == 1 for size in added) and list(dimensions) == sorted(dimensions):
        yield reshape(graph, node.children[0], node.shape.dims)


def broadcast_of_broadcast(graph: ClassGraph, node: ENode) -> Proposals:
    """broadcast(broadcast(x, q), p) = broadcast(x, r) with r[i] = p[q[i]]."""
    outer = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "broadcast"):
        dimensions = tuple(outer[axis] for axis in inner.attribute("dimensions"))
        yield term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=dimensions)


def broadcast_of_reshape(graph: ClassGraph, node: ENode) -> Proposals:
    """broadcast(reshape(x)) = broadcast(x) when the reshape only adds dimensions of size 1."""
    outer = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "reshape"):
        source, middle = graph.shape(inner.children[0]), inner.shape
        kept = [axis for axis, size in enumerate(middle.dims) if size != 1]
        if 1 not in source.dims and [middle.dims[axis] for axis in kept] == list(source.dims):
            yield term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=tuple(outer[axis] for axis in kept))


def reverse_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    """Dimensions of size 1 need no reversal."""
    dimensions = tuple(axis for axis in node.attribute("dimensions") if node.shape.dims[axis] != 1)
    if not dimensions:
        yield node.children[0]
    elif dimensions != node.attribute("dimensions"):
        yield term(graph, "reverse", node.children[0], dimensions=dimensions)


def reverse_of_reverse(graph: ClassGraph, node: ENode) -> Proposals:
    """reverse(reverse(x, q), p) reverses the dimensions that are in one of p and q."""
    for inner in graph.nodes(node.children[0], "reverse"):
        dimensions = tuple(sorted(set(node.attribute("dimensions")) ^ set(inner.attribute("dimensions"))))
        yield term(graph, "reverse", inner.children[0], dimensions=dimensions) if dimensions else inner.children[0]


def concatenate_of_one(graph: ClassGraph, node: ENode) -> Proposals:
    if len(node.children) == 1:
        yield node.children[0]


def concatenate_of_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """concatenate(.., concatenate(x, y), ..) = concatenate(.., x, y, ..) along the same dimension."""
    for position, child in enumerate(node.children):
        for inner in graph.nodes(child, "concatenate"):
            if inner.attributes == node.attributes and child not in inner.children:
                parts = (*node.children[:position], *inner.children, *node.children[position + 1 :])
                yield term(graph, "concatenate", *parts, dimension=node.attribute("dimension"))


def pad_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    if not any((*node.attribute("low"), *node.attribute("high"), *node.attribute("interior"))):
        yield node.children[0]


def pad_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """pad(pad(x, v), v) pads by the sums of the edges, when both only add at the edges and the value is the same."""
    for inner in graph.nodes(node.children[0], "pad"):
        edges = [each.attribute(side) for each in (node, inner) for side in ("low", "high")]
        spread = (*node.attribute("interior"), *inner.attribute("interior"))
        if inner.children[1] == node.children[1] and not any(spread) and all(size >= 0 for edge in edges for size in edge):
            low, high = (tuple(map(sum, zip(edges[side], edges[2 + side], strict=True))) for side in (0, 1))
            yield term(graph, "pad", inner.children[0], node.children[1], low=low, high=high, interior=node.attribute("interior"))


def movement_of_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """Moving the elements of a tensor with one value everywhere gives the same value everywhere."""
    value = graph.splats.get(node.children[0])
    if value is not None and node.shape.dims:
        yield splat(value, node.shape)


RULES = (
    rule(transpose_without_effect, "transpose"),
    rule(transpose_of_transpose, "transpose"),
    rule(reshape_of_reshape, "reshape"),
    rule(broadcast_without_effect, "broadcast"),
    rule(broadcast_of_broadcast, "broadcast"),
    rule(broadcast_of_reshape, "broadcast"),
    rule(reverse_without_effect, "reverse"),
    rule(reverse_of_reverse, "reverse"),
    rule(concatenate_of_one, "concatenate"),
    rule(concatenate_of_concatenate, "concatenate"),
    rule(pad_without_effect, "pad"),
    rule(pad_of_pad, "pad"),
    rule(movement_of_constant, "transpose", "reshape", "reverse", "slice"),
)
