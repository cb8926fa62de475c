"""Convolutions as products, and what of a window can be said in simpler ways.  Padding, dilation, reversal and labels are all looked at.

Before --> after:  `convolution(x, w: [1,1,i,o])` --> `dot(x, w)`,  `convolution(pad(x, 0), w)` --> `convolution(x, w), window={pad=..}`
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from act.backend.classes import ClassGraph, ENode
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.reduce import combined, is_neutral, neutral
from act.rewrites.terms import Child, Proposals, is_value, is_whole, reshape, scalar, shape_of, splat, term, transpose

rule = rewriter("dot and convolution")
MOST_PLACES = 9
"""Elements of the largest window whose products are written one by one."""


def _plain(node: ENode, *but: str) -> bool:
    """Stride 1, no padding, no dilation, no reversal, one group; `but` are attributes that may be anything."""
    defaults = {"stride": 1, "low": 0, "high": 0, "lhs_dilation": 1, "rhs_dilation": 1, "reversal": 0}
    ones = all(value == default for name, default in defaults.items() if name not in but for value in node.attribute(name))
    return ones and node.attribute("feature_group_count") == 1 == node.attribute("batch_group_count")


def _labelled(graph: ClassGraph, value: Child, labels: list[int], node: ENode) -> Child:
    """`value`, whose dimensions are batch (0), feature (1) and spatial (2 and on) by `labels`, in the order of the result."""
    wanted = [node.attribute("out_dims").index(axis) for axis in range(node.shape.rank)]
    return transpose(graph, value, tuple(labels.index(label) for label in wanted))  # type: ignore[arg-type]


def _without_window(graph: ClassGraph, node: ENode, weights: Child) -> tuple[Child, int]:
    """Weights whose window has one place, as a matrix, and the dimension of it that is contracted."""
    inner, outer, *_ = node.attribute("rhs_dims")
    dims = shape_of(graph, weights).dims
    return reshape(graph, weights, tuple(dims[axis] for axis in sorted((inner, outer)))), int(inner > outer)


def _product(graph: ClassGraph, node: ENode, values: Child, weights: Child) -> Child:
    """The product of values with the weights of one place of the window, in the order of the result."""
    matrix, contracted = _without_window(graph, node, weights)
    feature, label = node.attribute("lhs_dims")[1], {axis: number for number, axis in enumerate(node.attribute("lhs_dims"))}
    given = {"lhs_contracting_dims": (feature,), "rhs_contracting_dims": (contracted,), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    total = term(graph, "dot", values, matrix, to=node.shape, **given)
    return _labelled(graph, total, [*(label[axis] for axis in range(node.shape.rank) if axis != feature), 1], node)


def convolution_of_points(graph: ClassGraph, node: ENode) -> Proposals:
    """A convolution whose window has one place, with stride 1, is a product over the features."""
    if _plain(node) and prod(node.attribute("size")) == 1:
        yield _product(graph, node, *node.children)


def convolution_of_everything(graph: ClassGraph, node: ENode) -> Proposals:
    """A convolution whose window covers the whole tensor is a product over features and space."""
    source = graph.shape(node.children[0]).dims
    batch, feature, *space = node.attribute("lhs_dims")
    if not _plain(node, "stride") or tuple(source[axis] for axis in space) != node.attribute("size"):
        return
    inner, outer, *window = node.attribute("rhs_dims")
    given = {"lhs_contracting_dims": (feature, *space), "rhs_contracting_dims": (inner, *window), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    total = term(graph, "dot", *node.children, to=node.shape, **given)
    dims = (source[batch], graph.shape(node.children[1]).dims[outer], *[1] * len(space))
    yield _labelled(graph, reshape(graph, total, dims), list(range(node.shape.rank)), node)


def convolution_of_zero(graph: ClassGraph, node: ENode) -> Proposals:
    """convolution(x, 0) = 0, for integers."""
    if any(is_value(graph, child, 0) for child in node.children):
        yield splat(0, node.shape)


def _again(graph: ClassGraph, node: ENode, values: Child, weights: Child, **changed: Any) -> ENode:
    return term(graph, "convolution", values, weights, to=node.shape, **(dict(node.attributes) | changed))


def convolution_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """convolution(pad(x, 0), w) pads in its window, when only space is padded, at its edges, and not dilated; for integers."""
    batch, feature, *space = node.attribute("lhs_dims")
    for inner in graph.nodes(node.children[0], "pad"):
        low, high = inner.attribute("low"), inner.attribute("high")
        plain = not any(inner.attribute("interior")) and min((*low, *high)) >= 0 and not any(each[axis] for each in (low, high) for axis in (batch, feature))
        if plain and is_value(graph, inner.children[1], 0) and set(node.attribute("lhs_dilation")) <= {1}:
            edges = {
                name: tuple(old + side[axis] for old, axis in zip(node.attribute(name), space, strict=True)) for name, side in (("low", low), ("high", high))
            }
            yield _again(graph, node, inner.children[0], node.children[1], **edges)


def convolution_of_reversed_window(graph: ClassGraph, node: ENode) -> Proposals:
    """convolution(x, reverse(w)) turns its window round, when only dimensions of the window are reversed."""
    window = node.attribute("rhs_dims")[2:]
    for inner in graph.nodes(node.children[1], "reverse"):
        if set(inner.attribute("dimensions")) <= set(window):
            turned = tuple(old ^ (axis in inner.attribute("dimensions")) for old, axis in zip(node.attribute("reversal"), window, strict=True))
            yield _again(graph, node, node.children[0], inner.children[0], reversal=turned)


def convolution_of_spread_window(graph: ClassGraph, node: ENode) -> Proposals:
    """convolution(x, pad(w, 0)) dilates its window, when zeros are only put between the elements of the window; for integers."""
    window = node.attribute("rhs_dims")[2:]
    for inner in graph.nodes(node.children[1], "pad"):
        spread = inner.attribute("interior")
        edges = any((*inner.attribute("low"), *inner.attribute("high"))) or any(spread[axis] for axis in node.attribute("rhs_dims")[:2])
        if not edges and is_value(graph, inner.children[1], 0) and set(node.attribute("rhs_dilation")) <= {1}:
            size = tuple(graph.shape(inner.children[0]).dims[axis] for axis in window)
            yield _again(graph, node, node.children[0], inner.children[0], size=size, rhs_dilation=tuple(spread[axis] + 1 for axis in window))


def convolution_by_dots(graph: ClassGraph, node: ENode) -> Proposals:
    """A convolution of one group = the sum over the places of a small window of products of slices, modulo 2**width, for integers."""
    size, places = node.attribute("size"), prod(node.attribute("size"))
    groups = node.attribute("feature_group_count"), node.attribute("batch_group_count")
    if not is_whole(node.shape.dtype) or groups != (1, 1) or not 1 <= places <= MOST_PLACES or 0 in node.shape.dims:
        return
    values, terms = _padded(graph, node), []
    for place in product(*map(range, size)):
        terms.append(_product(graph, node, _under(graph, node, values, place), _weights(graph, node, place)))
    yield combined(graph, "add", *terms)


def _padded(graph: ClassGraph, node: ENode) -> Child:
    """The values with the zeros that the window sees around and between them; what is cut is cut."""
    rank, space = node.shape.rank, node.attribute("lhs_dims")[2:]
    edges = [[0] * rank for _ in range(3)]
    for number, axis in enumerate(space):
        for row, value in zip(edges, (node.attribute("low")[number], node.attribute("high")[number], node.attribute("lhs_dilation")[number] - 1), strict=True):
            row[axis] = value
    if not any(map(any, edges)):
        return node.children[0]
    low, high, interior = map(tuple, edges)
    return term(graph, "pad", node.children[0], scalar(0, graph.shape(node.children[0]).dtype), low=low, high=high, interior=interior)


def _under(graph: ClassGraph, node: ENode, values: Child, place: tuple[int, ...]) -> Child:
    """The values that one place of the window sees."""
    start, stride = [0] * node.shape.rank, [1] * node.shape.rank
    limit = list(shape_of(graph, values).dims)
    for number, axis in enumerate(node.attribute("lhs_dims")[2:]):
        count = node.shape.dims[node.attribute("out_dims")[2 + number]]
        start[axis], stride[axis] = place[number] * node.attribute("rhs_dilation")[number], node.attribute("stride")[number]
        limit[axis] = start[axis] + (count - 1) * stride[axis] + 1
    return term(graph, "slice", values, start=tuple(start), limit=tuple(limit), stride=tuple(stride))


def _weights(graph: ClassGraph, node: ENode, place: tuple[int, ...]) -> ENode:
    start, limit = [0] * node.shape.rank, list(graph.shape(node.children[1]).dims)
    for number, axis in enumerate(node.attribute("rhs_dims")[2:]):
        at = node.attribute("size")[number] - 1 - place[number] if node.attribute("reversal")[number] else place[number]
        start[axis], limit[axis] = at, at + 1
    return term(graph, "slice", node.children[1], start=tuple(start), limit=tuple(limit), stride=(1,) * node.shape.rank)


def window_of_one(graph: ClassGraph, node: ENode) -> Proposals:
    """A reduction over windows of one element, with stride 1 and nothing around, is f(i, x), or x where i changes nothing, for integers."""
    source, initial = node.children
    kind, around = node.attribute("kind"), (*node.attribute("low"), *node.attribute("high"))
    steps = {*node.attribute("stride"), *node.attribute("lhs_dilation")}
    if prod(node.attribute("size")) != 1 or any(around) or not steps <= {1} or neutral(kind, node.shape.dtype) is None:
        return
    start = term(graph, "broadcast", initial, to=node.shape, dimensions=()) if node.shape.dims else initial
    yield source if is_neutral(graph, initial, kind) else combined(graph, kind, source, start)


RULES: tuple[Rewrite, ...] = (
    rule(convolution_of_points, "convolution", builds="dot transpose reshape"),
    rule(convolution_of_everything, "convolution", builds="dot transpose reshape"),
    rule(convolution_of_zero, "convolution", types="integers"),
    rule(convolution_of_pad, "convolution", types="integers", within="pad", builds="convolution"),
    rule(convolution_of_reversed_window, "convolution", within="reverse", builds="convolution"),
    rule(convolution_of_spread_window, "convolution", types="integers", within="pad", builds="convolution"),
    rule(convolution_by_dots, "convolution", types="integers", builds="dot sum slice pad transpose", replaces="convolution"),
    rule(window_of_one, "reduce-window", types="bits", either="sum multiply maximum minimum and or xor"),
)
