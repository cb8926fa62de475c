"""Data movement of data movement is one movement, or none.  True for every element type.

Before --> after:  `transpose(transpose(x))` --> `transpose(x)`,  `slice(concatenate(x, y))` --> `slice(x)`
"""

from __future__ import annotations

import math

from act.backend.classes import ClassGraph, ENode
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Proposals, reshape, term, transpose

rule = rewriter("structural")


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


def transpose_of_reverse(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(reverse(x, d), p) = reverse(transpose(x, p), e) where e are the places to which p takes d."""
    order = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "reverse"):
        dimensions = tuple(sorted(order.index(axis) for axis in inner.attribute("dimensions")))
        yield term(graph, "reverse", transpose(graph, inner.children[0], order), dimensions=dimensions)


def transpose_of_broadcast(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(broadcast(x, d), p) = broadcast(x, e) with e[i] the place to which p takes d[i]."""
    order = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "broadcast"):
        dimensions = tuple(order.index(axis) for axis in inner.attribute("dimensions"))
        yield term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=dimensions)


def broadcast_of_transpose(graph: ClassGraph, node: ENode) -> Proposals:
    """broadcast(transpose(x, p), d) = broadcast(x, e) with e[p[i]] = d[i]."""
    outer = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "transpose"):
        order = inner.attribute("dimensions")
        dimensions = tuple(outer[order.index(axis)] for axis in range(len(order)))
        yield term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=dimensions)


def broadcast_of_reverse(graph: ClassGraph, node: ENode) -> Proposals:
    """broadcast(reverse(x, q), d) = reverse(broadcast(x, d), e) with e the places of q."""
    outer = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "reverse"):
        dimensions = tuple(sorted(outer[axis] for axis in inner.attribute("dimensions")))
        spread = term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=outer)
        yield term(graph, "reverse", spread, dimensions=dimensions)


def reverse_of_broadcast(graph: ClassGraph, node: ENode) -> Proposals:
    """Dimensions along which a broadcast repeats need no reversal."""
    for inner in graph.nodes(node.children[0], "broadcast"):
        sizes = dict(zip(inner.attribute("dimensions"), graph.shape(inner.children[0]).dims, strict=True))
        dimensions = tuple(axis for axis in node.attribute("dimensions") if sizes.get(axis, 1) != 1)
        if dimensions != node.attribute("dimensions"):
            yield term(graph, "reverse", node.children[0], dimensions=dimensions) if dimensions else node.children[0]


def _kept(dims: tuple[int, ...]) -> list[int]:
    return [axis for axis, size in enumerate(dims) if size != 1]


def _same_but_units(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return [size for size in one if size != 1] == [size for size in other if size != 1]


def reshape_of_transpose(graph: ClassGraph, node: ENode) -> Proposals:
    """reshape(transpose(x, p)) = transpose(reshape(x), q) when the outer reshape only takes dimensions of size 1 away."""
    for inner in graph.nodes(node.children[0], "transpose"):
        source, kept = graph.shape(inner.children[0]), _kept(inner.shape.dims)
        if node.shape.dims != tuple(inner.shape.dims[axis] for axis in kept) or len(kept) == inner.shape.rank:
            continue
        left = sorted(inner.attribute("dimensions")[axis] for axis in kept)
        order = tuple(left.index(inner.attribute("dimensions")[axis]) for axis in kept)
        yield transpose(graph, reshape(graph, inner.children[0], tuple(source.dims[axis] for axis in left)), order)


def reshape_of_broadcast(graph: ClassGraph, node: ENode) -> Proposals:
    """reshape(broadcast(x, d)) = broadcast(x, e) when only dimensions of size 1 come or go, none of which is one of x."""
    for inner in graph.nodes(node.children[0], "broadcast"):
        dimensions, source = inner.attribute("dimensions"), graph.shape(inner.children[0]).dims
        if 1 in source or not _same_but_units(inner.shape.dims, node.shape.dims):
            continue
        places = dict(zip(_kept(inner.shape.dims), _kept(node.shape.dims), strict=True))
        if all(axis in places for axis in dimensions):
            yield term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=tuple(places[axis] for axis in dimensions))


def reshape_of_reverse(graph: ClassGraph, node: ENode) -> Proposals:
    """reshape(reverse(x, d)) = reverse(reshape(x), e) when only dimensions of size 1 come or go."""
    for inner in graph.nodes(node.children[0], "reverse"):
        if _same_but_units(inner.shape.dims, node.shape.dims):
            places = dict(zip(_kept(inner.shape.dims), _kept(node.shape.dims), strict=True))
            dimensions = tuple(places[axis] for axis in inner.attribute("dimensions") if axis in places)
            moved = reshape(graph, inner.children[0], node.shape.dims)
            yield term(graph, "reverse", moved, dimensions=dimensions) if dimensions else moved


def reshape_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """reshape(pad(x, v)) = pad(reshape(x), v) when only dimensions of size 1 that are not padded come or go."""
    for inner in graph.nodes(node.children[0], "pad"):
        padding = list(zip(*(inner.attribute(side) for side in ("low", "high", "interior")), strict=True))
        plain = [axis for axis, size in enumerate(inner.shape.dims) if size == 1 and not any(padding[axis])]
        kept = [axis for axis in range(inner.shape.rank) if axis not in plain]
        if any(inner.shape.dims[axis] == 1 for axis in kept) or not _same_but_units(inner.shape.dims, node.shape.dims):
            continue
        places = dict(zip(_kept(node.shape.dims), kept, strict=True))
        sizes, edges = graph.shape(inner.children[0]).dims, [padding[places[axis]] if axis in places else (0, 0, 0) for axis in range(node.shape.rank)]
        moved = reshape(graph, inner.children[0], tuple(sizes[places[axis]] if axis in places else 1 for axis in range(node.shape.rank)))
        low, high, interior = (tuple(edge[side] for edge in edges) for side in range(3))
        yield term(graph, "pad", moved, inner.children[1], low=low, high=high, interior=interior)


def one_element_moves(graph: ClassGraph, node: ENode) -> Proposals:
    """Any movement from one element to one element is a reshape."""
    source = graph.shape(node.children[0])
    if math.prod(source.dims) == 1 == math.prod(node.shape.dims):
        yield reshape(graph, node.children[0], node.shape.dims)


RULES: tuple[Rewrite, ...] = (
    rule(transpose_without_effect, "transpose", builds="reshape"),
    rule(transpose_of_transpose, "transpose", builds="transpose"),
    rule(transpose_of_reverse, "transpose", within="reverse", builds="transpose reverse"),
    rule(transpose_of_broadcast, "transpose", within="broadcast", builds="broadcast"),
    rule(reshape_of_reshape, "reshape", builds="reshape"),
    rule(reshape_of_transpose, "reshape", within="transpose", builds="reshape transpose"),
    rule(reshape_of_broadcast, "reshape", within="broadcast", builds="broadcast"),
    rule(reshape_of_reverse, "reshape", within="reverse", builds="reshape reverse"),
    rule(reshape_of_pad, "reshape", within="pad", builds="reshape pad"),
    rule(broadcast_without_effect, "broadcast", builds="reshape"),
    rule(broadcast_of_broadcast, "broadcast", builds="broadcast"),
    rule(broadcast_of_reshape, "broadcast", within="reshape", builds="broadcast"),
    rule(broadcast_of_transpose, "broadcast", within="transpose", builds="broadcast"),
    rule(broadcast_of_reverse, "broadcast", within="reverse", builds="broadcast reverse"),
    rule(reverse_without_effect, "reverse", builds="reverse"),
    rule(reverse_of_reverse, "reverse", builds="reverse"),
    rule(reverse_of_broadcast, "reverse", within="broadcast", builds="reverse"),
    rule(one_element_moves, "transpose", "reverse", "slice", "broadcast", builds="reshape"),
)
