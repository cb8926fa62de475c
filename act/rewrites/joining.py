"""Tensors put together from parts, and padded: parts of parts, empty parts, parts that are all moved alike.  True for every element type.

Before --> after:  `concatenate(slice(x, 0:2), slice(x, 2:5))` --> `slice(x, 0:5)`,  `pad(x, 0, low=-1)` --> `slice(x)`
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from act.backend.classes import ClassGraph, ENode
from act.hlo.model import Shape
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Proposals, cut, splat, term, transpose

rule = rewriter("structural")


def concatenate_of_one(graph: ClassGraph, node: ENode) -> Proposals:
    """concatenate(x) = x."""
    if len(node.children) == 1:
        yield node.children[0]


def concatenate_of_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """concatenate(.., concatenate(x, y), ..) = concatenate(.., x, y, ..) along the same dimension."""
    for position, child in enumerate(node.children):
        for inner in graph.nodes(child, "concatenate"):
            if inner.attributes == node.attributes and child not in inner.children:
                parts = (*node.children[:position], *inner.children, *node.children[position + 1 :])
                yield term(graph, "concatenate", *parts, dimension=node.attribute("dimension"))


def concatenate_without_empty(graph: ClassGraph, node: ENode) -> Proposals:
    """Parts without elements are left out."""
    axis = node.attribute("dimension")
    parts = [child for child in node.children if graph.shape(child).dims[axis]]
    if parts and len(parts) < len(node.children):
        yield term(graph, "concatenate", *parts, dimension=axis) if len(parts) > 1 else parts[0]


def concatenate_of_constants(graph: ClassGraph, node: ENode) -> Proposals:
    """Parts that are the same constant everywhere make up that constant."""
    values = [graph.splats.get(child) for child in node.children]
    if values[0] is not None and all(value == values[0] for value in values):
        yield splat(values[0], node.shape)


def concatenate_of_slices(graph: ClassGraph, node: ENode) -> Proposals:
    """Two slices of one tensor that follow each other along the dimension, with stride 1 there, are one slice."""
    axis = node.attribute("dimension")
    for position, pair in enumerate(zip(node.children, node.children[1:], strict=False)):
        for one, other in product(*(list(graph.nodes(child, "slice")) for child in pair)):
            if (joined := _joined(graph, one, other, axis)) is not None:
                parts = (*node.children[:position], joined, *node.children[position + 2 :])
                yield term(graph, "concatenate", *parts, dimension=axis) if len(parts) > 1 else joined


def _joined(graph: ClassGraph, one: ENode, other: ENode, axis: int) -> ENode | int | None:
    """The slice of both, when only their ranges in `axis` differ."""
    ranges = [list(zip(each.attribute("start"), each.attribute("limit"), each.attribute("stride"), strict=True)) for each in (one, other)]
    (start, limit, stride), (start2, limit2, stride2) = (each.pop(axis) for each in ranges)
    if one.children != other.children or ranges[0] != ranges[1] or (stride, stride2) != (1, 1) or limit != start2:
        return None
    ranges[0].insert(axis, (start, limit2, 1))
    starts, limits, strides = (tuple(part) for part in zip(*ranges[0], strict=True))
    whole = starts == (0,) * len(starts) and limits == graph.shape(one.children[0]).dims and set(strides) == {1}
    return one.children[0] if whole else term(graph, "slice", one.children[0], start=starts, limit=limits, stride=strides)


def _all(graph: ClassGraph, node: ENode, opcode: str) -> Iterator[list[ENode]]:
    """The first node of each part with this operator, when all parts have one."""
    found = [next(graph.nodes(child, opcode), None) for child in node.children]
    if len(found) > 1 and all(each is not None for each in found):
        yield [each for each in found if each is not None]


def concatenate_of_transposes(graph: ClassGraph, node: ENode) -> Proposals:
    """concatenate(transpose(x, p), transpose(y, p), a) = transpose(concatenate(x, y, p[a]), p)."""
    for parts in _all(graph, node, "transpose"):
        if len({each.attributes for each in parts}) == 1:
            order = parts[0].attribute("dimensions")
            whole = term(graph, "concatenate", *(each.children[0] for each in parts), dimension=order[node.attribute("dimension")])
            yield transpose(graph, whole, order)


def concatenate_of_reverses(graph: ClassGraph, node: ENode) -> Proposals:
    """concatenate(reverse(x, d), reverse(y, d)) = reverse(concatenate(x, y), d); along a dimension in d the parts change their order."""
    for parts in _all(graph, node, "reverse"):
        if len({each.attributes for each in parts}) == 1:
            axis, dimensions = node.attribute("dimension"), parts[0].attribute("dimensions")
            inner = [each.children[0] for each in (reversed(parts) if axis in dimensions else parts)]
            yield term(graph, "reverse", term(graph, "concatenate", *inner, dimension=axis), dimensions=dimensions)


def concatenate_of_broadcasts(graph: ClassGraph, node: ENode) -> Proposals:
    """Broadcasts of one tensor that repeat it along the dimension, put together, are a longer broadcast."""
    for parts in _all(graph, node, "broadcast"):
        same = len({(each.attribute("dimensions"), each.children) for each in parts}) == 1
        if same and node.attribute("dimension") not in parts[0].attribute("dimensions"):
            yield term(graph, "broadcast", parts[0].children[0], to=node.shape, dimensions=parts[0].attribute("dimensions"))


def transpose_of_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(concatenate(x, y, a), p) = concatenate(transpose(x, p), transpose(y, p)) along the place to which p takes a."""
    order = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "concatenate"):
        parts = [transpose(graph, child, order) for child in inner.children]
        yield term(graph, "concatenate", *parts, dimension=order.index(inner.attribute("dimension")))


def reverse_of_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """reverse(concatenate(x, y), d) = concatenate(reverse(x, d), reverse(y, d)), in the other order along a dimension in d."""
    dimensions = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "concatenate"):
        axis = inner.attribute("dimension")
        parts = [term(graph, "reverse", child, dimensions=dimensions) for child in inner.children]
        yield term(graph, "concatenate", *(reversed(parts) if axis in dimensions else parts), dimension=axis)


def _padding(node: ENode) -> list[tuple[int, int, int]]:
    return list(zip(*(node.attribute(side) for side in ("low", "high", "interior")), strict=True))


def _pad(graph: ClassGraph, child: int | ENode, value: int, padding: list[tuple[int, int, int]]) -> int | ENode:
    if not any(any(each) for each in padding):
        return child
    low, high, interior = (tuple(each[side] for each in padding) for side in range(3))
    return term(graph, "pad", child, value, low=low, high=high, interior=interior)


def pad_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    """pad(x, v) = x when nothing is added and nothing cut."""
    if not any(any(each) for each in _padding(node)):
        yield node.children[0]


def pad_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """pad(pad(x, v), v) pads by the sums of the edges, when both only add at the edges and the value is the same."""
    for inner in graph.nodes(node.children[0], "pad"):
        both = list(zip(_padding(node), _padding(inner), strict=True))
        plain = all(min(each) >= 0 and each[2] == 0 for pair in both for each in pair)
        if plain and inner.children[1] == node.children[1]:
            yield _pad(graph, inner.children[0], node.children[1], [(a[0] + b[0], a[1] + b[1], 0) for a, b in both])


def pad_that_cuts(graph: ClassGraph, node: ENode) -> Proposals:
    """Edges below 0 are cut by a slice before, in dimensions without interior padding and with enough elements."""
    padding, sizes = _padding(node), graph.shape(node.children[0]).dims
    cuts = {axis: (max(-low, 0), max(-high, 0)) for axis, (low, high, interior) in enumerate(padding) if min(low, high) < 0 and not interior}
    if cuts and all(sum(edges) <= sizes[axis] for axis, edges in cuts.items()):
        rest = [(max(low, 0), max(high, 0), spread) if axis in cuts else (low, high, spread) for axis, (low, high, spread) in enumerate(padding)]
        yield _pad(graph, cut(graph, node.children[0], cuts), node.children[1], rest)


def pad_of_its_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """Padding a constant with the same constant gives that constant."""
    value = graph.splats.get(node.children[0])
    if value is not None and value == graph.splats.get(node.children[1]):
        yield splat(value, node.shape)


def pad_of_nothing(graph: ClassGraph, node: ENode) -> Proposals:
    """Padding a tensor without elements is a broadcast of the value."""
    if 0 in graph.shape(node.children[0]).dims:
        yield term(graph, "broadcast", node.children[1], to=node.shape, dimensions=())


def pad_is_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """pad(x, v) = concatenate(v.., x, v..) when one dimension only is padded, at its edges."""
    padded = [(axis, each) for axis, each in enumerate(_padding(node)) if any(each)]
    if len(padded) != 1 or min(padded[0][1]) < 0 or padded[0][1][2]:
        return
    axis, (low, high, _) = padded[0]
    sizes = [(*node.shape.dims[:axis], size, *node.shape.dims[axis + 1 :]) for size in (low, high)]
    edges = [term(graph, "broadcast", node.children[1], to=Shape(node.shape.dtype, dims), dimensions=()) if dims[axis] else None for dims in sizes]
    parts = [each for each in (edges[0], node.children[0], edges[1]) if each is not None]
    yield term(graph, "concatenate", *parts, dimension=axis)


def transpose_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(pad(x, v), p) = pad(transpose(x, p), v) with the padding in the order p."""
    order = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "pad"):
        padding = _padding(inner)
        yield _pad(graph, transpose(graph, inner.children[0], order), inner.children[1], [padding[axis] for axis in order])


def reverse_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """reverse(pad(x, v), d) = pad(reverse(x, d), v) with low and high exchanged in the dimensions d."""
    dimensions = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "pad"):
        padding = [(high, low, spread) if axis in dimensions else (low, high, spread) for axis, (low, high, spread) in enumerate(_padding(inner))]
        yield _pad(graph, term(graph, "reverse", inner.children[0], dimensions=dimensions), inner.children[1], padding)


RULES: tuple[Rewrite, ...] = (
    rule(concatenate_of_one, "concatenate"),
    rule(concatenate_of_concatenate, "concatenate", builds="concatenate"),
    rule(concatenate_without_empty, "concatenate", builds="concatenate"),
    rule(concatenate_of_constants, "concatenate"),
    rule(concatenate_of_slices, "concatenate", within="slice", builds="slice concatenate"),
    rule(concatenate_of_transposes, "concatenate", within="transpose", builds="concatenate transpose"),
    rule(concatenate_of_reverses, "concatenate", within="reverse", builds="concatenate reverse"),
    rule(concatenate_of_broadcasts, "concatenate", within="broadcast", builds="broadcast"),
    rule(transpose_of_concatenate, "transpose", within="concatenate", builds="concatenate transpose"),
    rule(reverse_of_concatenate, "reverse", within="concatenate", builds="concatenate reverse"),
    rule(pad_without_effect, "pad"),
    rule(pad_of_pad, "pad", builds="pad"),
    rule(pad_that_cuts, "pad", builds="pad slice"),
    rule(pad_of_its_constant, "pad"),
    rule(pad_of_nothing, "pad", builds="broadcast"),
    rule(pad_is_concatenate, "pad", builds="concatenate broadcast"),
    rule(transpose_of_pad, "transpose", within="pad", builds="pad transpose"),
    rule(reverse_of_pad, "reverse", within="pad", builds="pad reverse"),
)
