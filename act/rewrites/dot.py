"""Products: their dimension numbers, zeros in them, and blocks of them.

Sums of floats are never put in another order, and a float zero does not cancel an infinity: rules that add, drop or split terms are for
integers, modulo 2**width.

Before --> after:  `transpose(dot(x, y))` --> `dot(y, x)`,  `dot(pad(x, 0), y)` --> `dot(x, slice(y))`
"""

from __future__ import annotations

from typing import Any

from act.backend.classes import ClassGraph, ENode
from act.hlo.model import Shape
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Proposals, cut, is_value, is_whole, splat, term

rule = rewriter("dot and convolution")

SIDES = ("lhs", "rhs")


def numbers(node: ENode) -> dict[str, Any]:
    return dict(node.attributes)


def free_dims(graph: ClassGraph, node: ENode, side: int) -> list[int]:
    name, given = SIDES[side], numbers(node)
    used = (*given[f"{name}_batch_dims"], *given[f"{name}_contracting_dims"])
    return [axis for axis in range(graph.shape(node.children[side]).rank) if axis not in used]


def dot_of_transpose(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(transpose(x, p), y) = dot(x, y) with dimension p[i] in place of i, when the free dimensions stay in their order."""
    for side, name in enumerate(SIDES):
        for inner in graph.nodes(node.children[side], "transpose"):
            order, given = inner.attribute("dimensions"), numbers(node)
            free = [order[axis] for axis in free_dims(graph, node, side)]
            if free != sorted(free):
                continue
            for kind in ("batch", "contracting"):
                given[f"{name}_{kind}_dims"] = tuple(order[axis] for axis in given[f"{name}_{kind}_dims"])
            children = list(node.children)
            children[side] = inner.children[0]
            yield term(graph, "dot", *children, to=node.shape, **given)


def transpose_of_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """transpose(dot(x, y)) = dot(y, x) when the free dimensions of x and of y change places, as blocks."""
    for inner in graph.nodes(node.children[0], "dot"):
        batch, left, right = len(inner.attribute("lhs_batch_dims")), len(free_dims(graph, inner, 0)), len(free_dims(graph, inner, 1))
        swapped = (*range(batch), *range(batch + left, batch + left + right), *range(batch, batch + left))
        if node.attribute("dimensions") == swapped:
            given = {f"{a}_{kind}_dims": inner.attribute(f"{b}_{kind}_dims") for a, b in (SIDES, SIDES[::-1]) for kind in ("batch", "contracting")}
            yield term(graph, "dot", *inner.children[::-1], to=node.shape, **given)


def dot_in_plain_form(graph: ClassGraph, node: ENode) -> Proposals:
    """A product of matrices contracts the second dimension of the left and the first of the right."""
    given, children = numbers(node), list(node.children)
    matrices = all(graph.shape(child).rank == 2 for child in children) and not given["lhs_batch_dims"]
    if not matrices or len(given["lhs_contracting_dims"]) != 1:
        return
    plain = {"lhs_contracting_dims": (1,), "rhs_contracting_dims": (0,)}
    for side, name in enumerate(plain):
        if given[name] != plain[name]:
            children[side] = term(graph, "transpose", children[side], dimensions=(1, 0))
    if children != list(node.children):
        yield term(graph, "dot", *children, to=node.shape, **(given | plain))


def dot_of_zero(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(x, 0) = 0, for integers."""
    if any(is_value(graph, child, 0) for child in node.children):
        yield splat(0, node.shape)


def dot_of_padded_sum(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(pad(x, 0), y) = dot(x, slice(y)) when only contracted dimensions are padded, at their edges, for integers."""
    if not is_whole(node.shape.dtype):
        return
    for side, name in enumerate(SIDES):
        for inner in graph.nodes(node.children[side], "pad"):
            pairs = dict(zip(node.attribute(f"{name}_contracting_dims"), node.attribute(f"{SIDES[1 - side]}_contracting_dims"), strict=True))
            edges = [(low, high) for low, high in zip(inner.attribute("low"), inner.attribute("high"), strict=True)]
            fits = all(pair == (0, 0) or (axis in pairs and min(pair) >= 0) for axis, pair in enumerate(edges))
            if fits and is_value(graph, inner.children[1], 0) and not any(inner.attribute("interior")):
                children: list[Any] = list(node.children)
                children[side] = inner.children[0]
                children[1 - side] = cut(graph, node.children[1 - side], {pairs[axis]: edges[axis] for axis in pairs})
                yield term(graph, "dot", *children, to=node.shape, **numbers(node))


def dot_of_padded_rows(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(pad(x, 0), y) = pad(dot(x, y), 0) when only free dimensions of x are padded, for integers; the same for y."""
    if not is_whole(node.shape.dtype):
        return
    for side in (0, 1):
        for inner in graph.nodes(node.children[side], "pad"):
            free = free_dims(graph, node, side)
            edges = [tuple(inner.attribute(name)[axis] for name in ("low", "high", "interior")) for axis in range(inner.shape.rank)]
            if not is_value(graph, inner.children[1], 0) or any(any(edge) for axis, edge in enumerate(edges) if axis not in free):
                continue
            before = node.shape.rank - len(free) if side else len(node.attribute("lhs_batch_dims"))
            after = node.shape.rank - before - len(free)
            padding = [(0, 0, 0)] * before + [edges[axis] for axis in free] + [(0, 0, 0)] * after
            yield _padded_product(graph, node, side, inner.children[0], padding)


def _padded_product(graph: ClassGraph, node: ENode, side: int, small: int, padding: list[tuple[int, ...]]) -> ENode:
    children = list(node.children)
    children[side] = small
    product = term(graph, "dot", *children, to=node.shape, **numbers(node))
    zero = splat(0, Shape(node.shape.dtype))
    low, high, interior = (tuple(edge[index] for edge in padding) for index in range(3))
    return term(graph, "pad", product, zero, low=low, high=high, interior=interior)


def dot_of_blocks(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(concatenate(x1, x2), y) = dot(x1, y1) + dot(x2, y2) along a contracted dimension, with slices of y, for integers."""
    if not is_whole(node.shape.dtype):
        return
    for side, name in enumerate(SIDES):
        for inner in graph.nodes(node.children[side], "concatenate"):
            pairs = dict(zip(node.attribute(f"{name}_contracting_dims"), node.attribute(f"{SIDES[1 - side]}_contracting_dims"), strict=True))
            axis = inner.attribute("dimension")
            if axis in pairs and len(inner.children) > 1:
                yield term(graph, "sum", *_blocks(graph, node, side, inner, pairs[axis]))


def _blocks(graph: ClassGraph, node: ENode, side: int, inner: ENode, other_axis: int) -> list[ENode]:
    total, position, terms = inner.shape.dims[inner.attribute("dimension")], 0, []
    for block in inner.children:
        size = graph.shape(block).dims[inner.attribute("dimension")]
        children: list[Any] = [block, block]
        children[1 - side] = cut(graph, node.children[1 - side], {other_axis: (position, total - position - size)})
        terms.append(term(graph, "dot", *children, to=node.shape, **numbers(node)))
        position += size
    return terms


RULES: tuple[Rewrite, ...] = (
    rule(dot_of_transpose, "dot", within="transpose", builds="dot"),
    rule(transpose_of_dot, "transpose", within="dot", builds="dot"),
    rule(dot_in_plain_form, "dot", builds="dot transpose"),
    rule(dot_of_zero, "dot", types="integers"),
    rule(dot_of_padded_sum, "dot", types="integers", within="pad", builds="dot slice"),
    rule(dot_of_padded_rows, "dot", types="integers", within="pad", builds="dot pad"),
    rule(dot_of_blocks, "dot", types="integers", within="concatenate", builds="dot slice sum"),
)
