"""Products whose operands are reversed, broadcast, reshaped or put together, and products that are simpler operators.

Before --> after:  `dot(concatenate(x, y), z)` --> `concatenate(dot(x, z), dot(y, z))`,  `dot(x: s32[m,1], y: s32[1,n])` --> `multiply(x, y)`
"""

from __future__ import annotations

import math
from typing import Any

from act.backend.classes import ClassGraph, ENode
from act.hlo.model import Shape
from act.rewrites.dot import SIDES, free_dims, numbers
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Proposals, is_whole, reshape, shape_of, splat, term, total

rule = rewriter("dot and convolution")


def _replaced(node: ENode, side: int, child: Any) -> list[Any]:
    children: list[Any] = list(node.children)
    children[side] = child
    return children


def _place(graph: ClassGraph, node: ENode, side: int, axis: int) -> int:
    """The dimension of the result that free dimension `axis` of an operand becomes."""
    before = len(free_dims(graph, node, 0)) if side else 0
    return len(node.attribute("lhs_batch_dims")) + before + free_dims(graph, node, side).index(axis)


def dot_of_row_blocks(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(concatenate(x1, x2), y) = concatenate(dot(x1, y), dot(x2, y)) along a free dimension of x; the same for y."""
    for side in (0, 1):
        for inner in graph.nodes(node.children[side], "concatenate"):
            axis = inner.attribute("dimension")
            if axis in free_dims(graph, node, side):
                parts = [term(graph, "dot", *_replaced(node, side, child), to=node.shape, **numbers(node)) for child in inner.children]
                yield term(graph, "concatenate", *parts, dimension=_place(graph, node, side, axis))


def dot_of_reversed_rows(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(reverse(x, d), y) = reverse(dot(x, y), e) when d are free dimensions of x and e their places in the result; the same for y."""
    for side in (0, 1):
        for inner in graph.nodes(node.children[side], "reverse"):
            dimensions = inner.attribute("dimensions")
            if set(dimensions) <= set(free_dims(graph, node, side)):
                product = term(graph, "dot", *_replaced(node, side, inner.children[0]), to=node.shape, **numbers(node))
                yield term(graph, "reverse", product, dimensions=tuple(sorted(_place(graph, node, side, axis) for axis in dimensions)))


def dot_of_both_reversed(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(reverse(x, d), reverse(y, e)) = dot(x, y) when d and e are the same contracted dimensions, for integers."""
    if not is_whole(node.shape.dtype):
        return
    pairs = dict(zip(node.attribute("lhs_contracting_dims"), node.attribute("rhs_contracting_dims"), strict=True))
    for left in graph.nodes(node.children[0], "reverse"):
        for right in graph.nodes(node.children[1], "reverse"):
            wanted = sorted(pairs[axis] for axis in left.attribute("dimensions") if axis in pairs)
            if len(wanted) == len(left.attribute("dimensions")) and wanted == sorted(right.attribute("dimensions")):
                yield term(graph, "dot", left.children[0], right.children[0], to=node.shape, **numbers(node))


def dot_of_repeated_rows(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(broadcast(x, d), y) = broadcast(dot(x, y)) when all that the broadcast adds are free dimensions; the same for y."""
    for side, name in enumerate(SIDES):
        for inner in graph.nodes(node.children[side], "broadcast"):
            kept, sizes = inner.attribute("dimensions"), graph.shape(inner.children[0]).dims
            added = [axis for axis in range(inner.shape.rank) if axis not in kept]
            plain = all(inner.shape.dims[axis] == size for axis, size in zip(kept, sizes, strict=True))
            if not added or not plain or list(kept) != sorted(kept) or not set(added) <= set(free_dims(graph, node, side)):
                continue
            given = numbers(node)
            for kind in ("batch", "contracting"):
                given[f"{name}_{kind}_dims"] = tuple(kept.index(axis) for axis in given[f"{name}_{kind}_dims"])
            product = term(graph, "dot", *_replaced(node, side, inner.children[0]), to=node.shape, **given)
            gone = [_place(graph, node, side, axis) for axis in added]
            yield term(graph, "broadcast", product, to=node.shape, dimensions=tuple(axis for axis in range(node.shape.rank) if axis not in gone))


def dot_of_unit_depth(graph: ClassGraph, node: ENode) -> Proposals:
    """A product over one element, or over none, is a multiplication of broadcasts, for integers."""
    sizes, given = graph.shape(node.children[0]).dims, numbers(node)
    if not is_whole(node.shape.dtype) or math.prod(sizes[axis] for axis in given["lhs_contracting_dims"]) != 1:
        return
    batch, spread = len(given["lhs_batch_dims"]), []
    for side, child in enumerate(node.children):
        free, dims = free_dims(graph, node, side), graph.shape(child).dims
        order = (*given[f"{SIDES[side]}_batch_dims"], *free, *given[f"{SIDES[side]}_contracting_dims"])
        moved = child if order == tuple(range(len(order))) else term(graph, "transpose", child, dimensions=order)
        flat = reshape(graph, moved, tuple(dims[axis] for axis in order[: batch + len(free)]))
        places = (*range(batch), *(_place(graph, node, side, axis) for axis in free))
        to = Shape(shape_of(graph, flat).dtype, node.shape.dims)
        whole = flat if places == tuple(range(node.shape.rank)) else term(graph, "broadcast", flat, to=to, dimensions=places)
        spread.append(whole if to == node.shape else term(graph, "convert", whole, to=node.shape))
    yield term(graph, "multiply", *spread)


def dot_of_negate(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(-x, y) = -dot(x, y), modulo 2**width; the same for y, when the operand has the type of the result."""
    for side in (0, 1):
        for inner in graph.nodes(node.children[side], "negate"):
            if is_whole(node.shape.dtype) and inner.shape.dtype == node.shape.dtype:
                yield term(graph, "negate", term(graph, "dot", *_replaced(node, side, inner.children[0]), to=node.shape, **numbers(node)))


def dot_of_multiple(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(c * x, y) = c * dot(x, y), modulo 2**width, for a constant c everywhere; the same for y."""
    for side in (0, 1):
        for inner in graph.nodes(node.children[side], "multiply"):
            for constant, value in (inner.children, inner.children[::-1]):
                factor = graph.splats.get(constant)
                if factor is not None and value not in graph.splats and is_whole(node.shape.dtype) and inner.shape.dtype == node.shape.dtype:
                    product = term(graph, "dot", *_replaced(node, side, value), to=node.shape, **numbers(node))
                    yield term(graph, "multiply", product, splat(factor, node.shape))


def sum_of_dots(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(x, z) + dot(y, z) = dot(x + y, z), modulo 2**width, with equal dimension numbers; the same on the other side.

    Not for operands that were converted: a sum in the wide type is no operand of an instruction that reads narrow ones."""
    for first, one in enumerate(node.children):
        for second in range(first + 1, len(node.children)):
            for left in graph.nodes(one, "dot"):
                for right in graph.nodes(node.children[second], "dot"):
                    if (joined := _joined(graph, left, right)) is not None:
                        rest = [child for place, child in enumerate(node.children) if place not in (first, second)]
                        yield total([joined, *rest], node.shape)


def _joined(graph: ClassGraph, left: ENode, right: ENode) -> ENode | None:
    if left.attributes != right.attributes or left == right or any(_is_converted(graph, child) for each in (left, right) for child in each.children):
        return None
    for side in (0, 1):
        ours, theirs = left.children[side], right.children[side]
        if left.children[1 - side] == right.children[1 - side] and graph.shape(ours) == graph.shape(theirs) and graph.shape(ours).dtype == left.shape.dtype:
            return term(graph, "dot", *_replaced(left, side, term(graph, "sum", ours, theirs)), to=left.shape, **numbers(left))
    return None


def _is_converted(graph: ClassGraph, number: int) -> bool:
    return any(True for _ in graph.nodes(number, "convert"))


def dot_in_one_depth(graph: ClassGraph, node: ENode) -> Proposals:
    """Several contracted dimensions that follow each other, in the same order in both operands, are one."""
    given = numbers(node)
    depth = len(given["lhs_contracting_dims"])
    sides = [given[f"{name}_contracting_dims"] for name in SIDES]
    if depth < 2 or any(list(axes) != list(range(axes[0], axes[0] + depth)) for axes in sides):
        return
    children = []
    for side, axes in enumerate(sides):
        dims = graph.shape(node.children[side]).dims
        size = math.prod(dims[axis] for axis in axes)
        children.append(reshape(graph, node.children[side], (*dims[: axes[0]], size, *dims[axes[0] + depth :])))
        moved = tuple(axis if axis < axes[0] else axis - depth + 1 for axis in given[f"{SIDES[side]}_batch_dims"])
        given |= {f"{SIDES[side]}_contracting_dims": (axes[0],), f"{SIDES[side]}_batch_dims": moved}
    yield term(graph, "dot", *children, to=node.shape, **given)


def dot_in_one_free_dimension(graph: ClassGraph, node: ENode) -> Proposals:
    """Several free dimensions of an operand that follow each other are one, in a product without batch dimensions."""
    for side, name in enumerate(SIDES):
        free, given, dims = free_dims(graph, node, side), numbers(node), graph.shape(node.children[side]).dims
        if len(free) < 2 or given["lhs_batch_dims"] or free != list(range(free[0], free[0] + len(free))):
            continue
        flat = reshape(graph, node.children[side], (*dims[: free[0]], math.prod(dims[axis] for axis in free), *dims[free[-1] + 1 :]))
        given[f"{name}_contracting_dims"] = tuple(axis if axis < free[0] else axis - len(free) + 1 for axis in given[f"{name}_contracting_dims"])
        yield reshape(graph, term(graph, "dot", *_replaced(node, side, flat), to=node.shape, **given), node.shape.dims)  # type: ignore[misc]


def dot_without_batch_of_one(graph: ClassGraph, node: ENode) -> Proposals:
    """Batch dimensions of size 1 are taken out of both operands."""
    given, children = numbers(node), []
    batch = given["lhs_batch_dims"]
    if not batch or any(graph.shape(node.children[0]).dims[axis] != 1 for axis in batch):
        return
    for side, name in enumerate(SIDES):
        dims, gone = graph.shape(node.children[side]).dims, given[f"{name}_batch_dims"]
        kept = [axis for axis in range(len(dims)) if axis not in gone]
        children.append(reshape(graph, node.children[side], tuple(dims[axis] for axis in kept)))
        given |= {f"{name}_batch_dims": (), f"{name}_contracting_dims": tuple(kept.index(axis) for axis in given[f"{name}_contracting_dims"])}
    yield reshape(graph, term(graph, "dot", *children, to=node.shape, **given), node.shape.dims)  # type: ignore[misc]


def dot_with_ones_is_reduce(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(x, 1) over all dimensions of the ones = reduce(x, 0), add, for integers of the type of the result."""
    ones, source = node.children[1], graph.shape(node.children[0])
    whole = graph.shape(ones).rank == len(node.attribute("rhs_contracting_dims")) and not node.attribute("lhs_batch_dims")
    if whole and graph.splats.get(ones) == 1 and is_whole(node.shape.dtype) and source.dtype == node.shape.dtype:
        axes = tuple(sorted(node.attribute("lhs_contracting_dims")))
        zero = splat(0, Shape(node.shape.dtype))
        yield term(graph, "reduce", node.children[0], zero, to=node.shape, dimensions=axes, kind="add")


RULES: tuple[Rewrite, ...] = (
    rule(dot_of_row_blocks, "dot", within="concatenate", builds="dot concatenate"),
    rule(dot_of_reversed_rows, "dot", within="reverse", builds="dot reverse"),
    rule(dot_of_both_reversed, "dot", types="integers", within="reverse", builds="dot"),
    rule(dot_of_repeated_rows, "dot", within="broadcast", builds="dot broadcast"),
    rule(dot_of_unit_depth, "dot", types="integers", builds="multiply broadcast transpose reshape convert"),
    rule(dot_of_negate, "dot", types="integers", within="negate", builds="dot negate"),
    rule(dot_of_multiple, "dot", types="integers", within="multiply", builds="dot multiply:constant"),
    rule(sum_of_dots, "sum", types="integers", within="dot", builds="dot sum"),
    rule(dot_in_one_depth, "dot", builds="dot reshape"),
    rule(dot_in_one_free_dimension, "dot", builds="dot reshape"),
    rule(dot_without_batch_of_one, "dot", builds="dot reshape"),
    rule(dot_with_ones_is_reduce, "dot", types="integers", builds="reduce", replaces="dot"),
)
