"""Slices go towards the inputs, where they are only other addresses.  True for every element type.

Before --> after:  `slice(add(x, y))` --> `add(slice(x), slice(y))`,  `slice(concatenate(x, y))` --> `slice(x)`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.hlo.model import Shape
from act.hlo.opcodes import ELEMENTWISE
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Child, Proposals, reshape, shape_of, term

rule = rewriter("structural")

Range = tuple[int, int, int]  # start, limit, stride
APART = ELEMENTWISE | {"sum"}
"""What slices are taken through."""


def _ranges(node: ENode) -> list[Range]:
    return list(zip(node.attribute("start"), node.attribute("limit"), node.attribute("stride"), strict=True))


def _sliced(graph: ClassGraph, child: Child, ranges: list[Range]) -> Child:
    """The slice, or the child itself where that is everything.  A limit is the last element taken, plus one."""
    sizes = shape_of(graph, child).dims
    tight = [(start, start + (_count((start, limit, step)) - 1) * step + 1 if limit > start else start, step) for start, limit, step in ranges]
    if all((start, limit, step) == (0, size, 1) for (start, limit, step), size in zip(tight, sizes, strict=True)):
        return child
    start, limit, stride = (tuple(part) for part in zip(*tight, strict=True)) if tight else ((), (), ())
    return term(graph, "slice", child, start=start, limit=limit, stride=stride)


def _count(part: Range) -> int:
    start, limit, stride = part
    return -((start - limit) // stride)


def slice_without_effect(graph: ClassGraph, node: ENode) -> Proposals:
    """slice(x) = x when it takes everything; limits that lie between two elements become the last element plus one."""
    sliced = _sliced(graph, node.children[0], _ranges(node))
    if sliced != node:
        yield sliced


def slice_of_slice(graph: ClassGraph, node: ENode) -> Proposals:
    """Element i of the outer slice is element start + i * stride of the inner one, in each dimension."""
    for inner in graph.nodes(node.children[0], "slice"):
        if 0 not in node.shape.dims:
            yield _sliced(graph, inner.children[0], list(map(_composed, _ranges(node), _ranges(inner))))


def _composed(outer: Range, inner: Range) -> Range:
    start, stride = inner[0] + outer[0] * inner[2], inner[2] * outer[2]
    return start, start + (_count(outer) - 1) * stride + 1, stride


def slice_of_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """The slice of the one operand that has all the elements taken."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "concatenate"):
        axis, position = inner.attribute("dimension"), 0
        start, _, stride = ranges[axis]
        last = start + (_count(ranges[axis]) - 1) * stride
        for child in inner.children:
            size = graph.shape(child).dims[axis]
            if 0 not in node.shape.dims and position <= start and last < position + size:
                moved = (start - position, last - position + 1, stride)
                yield _sliced(graph, child, [moved if dimension == axis else part for dimension, part in enumerate(ranges)])
            position += size


def slice_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """The slice of the padded tensor, when only its own elements are taken and nothing is between them."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "pad"):
        sizes, low = graph.shape(inner.children[0]).dims, inner.attribute("low")
        if any(inner.attribute("interior")) or 0 in node.shape.dims:
            continue
        moved = [
            (start - edge, start - edge + (_count((start, limit, step)) - 1) * step + 1, step) for (start, limit, step), edge in zip(ranges, low, strict=True)
        ]
        if all(start >= 0 and limit <= size for (start, limit, _), size in zip(moved, sizes, strict=True)):
            yield _sliced(graph, inner.children[0], moved)


def slice_of_broadcast(graph: ClassGraph, node: ENode) -> Proposals:
    """broadcast(slice(x)): the dimensions that x has are sliced, the others only get smaller."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "broadcast"):
        dimensions, sizes = inner.attribute("dimensions"), graph.shape(inner.children[0]).dims
        if all(inner.shape.dims[axis] == size for axis, size in zip(dimensions, sizes, strict=True)):
            part = _sliced(graph, inner.children[0], [ranges[axis] for axis in dimensions])
            yield term(graph, "broadcast", part, to=node.shape, dimensions=dimensions)


def slice_of_transpose(graph: ClassGraph, node: ENode) -> Proposals:
    """slice(transpose(x, p)) = transpose(slice(x), p); dimension p[i] of x gets the range of dimension i."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "transpose"):
        order = inner.attribute("dimensions")
        part = _sliced(graph, inner.children[0], [ranges[order.index(axis)] for axis in range(len(order))])
        yield term(graph, "transpose", part, dimensions=order)


def slice_of_reverse(graph: ClassGraph, node: ENode) -> Proposals:
    """reverse(slice(x)): element i of a reversed dimension of size n is element n - 1 - i."""
    for inner in graph.nodes(node.children[0], "reverse"):
        flipped = inner.attribute("dimensions")
        if 0 in node.shape.dims:
            continue
        ranges = [_mirrored(part, inner.shape.dims[axis]) if axis in flipped else part for axis, part in enumerate(_ranges(node))]
        yield term(graph, "reverse", _sliced(graph, inner.children[0], ranges), dimensions=flipped)


def _mirrored(part: Range, size: int) -> Range:
    start, _, stride = part
    last = start + (_count(part) - 1) * stride
    return size - 1 - last, size - start, stride


def movement_of_elementwise(graph: ClassGraph, node: ENode) -> Proposals:
    """move(f(x, y)) = f(move(x), move(y)) for slice, transpose, reshape, reverse and broadcast; scalar bounds and predicates stay."""
    for inner in graph.classes[node.children[0]]:
        if inner.opcode not in APART or node.children[0] in inner.children:
            continue
        children = [child if _stays(graph, inner, place) else _moved(graph, node, child) for place, child in enumerate(inner.children)]
        to = Shape(inner.shape.dtype, node.shape.dims) if inner.opcode == "convert" else None
        yield term(graph, inner.opcode, *children, to=to, **dict(inner.attributes))


def _stays(graph: ClassGraph, inner: ENode, place: int) -> bool:
    """Bounds of a clamp and the predicate of a select may be scalars among tensors."""
    optional = (inner.opcode == "clamp" and place != 1) or (inner.opcode == "select" and place == 0)
    return optional and not graph.shape(inner.children[place]).dims


def _moved(graph: ClassGraph, node: ENode, child: Child) -> Child:
    to = Shape(shape_of(graph, child).dtype, node.shape.dims)
    return ENode(node.opcode, node.attributes, to, (child,))


def slice_across_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """A slice that takes from several parts, with stride 1 along the dimension, is the concatenation of slices of these parts."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "concatenate"):
        axis, position, parts = inner.attribute("dimension"), 0, []
        start, limit, stride = ranges[axis]
        for child in inner.children if stride == 1 else ():
            size = graph.shape(child).dims[axis]
            low, high = max(start, position), min(limit, position + size)
            if low < high:
                here = (low - position, high - position, 1)
                parts.append(_sliced(graph, child, [here if dimension == axis else part for dimension, part in enumerate(ranges)]))
            position += size
        if len(parts) > 1:
            yield term(graph, "concatenate", *parts, dimension=axis)


def slice_of_padding(graph: ClassGraph, node: ENode) -> Proposals:
    """A slice that takes only what was added at one edge is a broadcast of the value."""
    for inner in graph.nodes(node.children[0], "pad"):
        sizes = graph.shape(inner.children[0]).dims
        for (start, limit, _), low, spread, size in zip(_ranges(node), inner.attribute("low"), inner.attribute("interior"), sizes, strict=True):
            end = low + size + max(size - 1, 0) * spread
            if limit <= low or start >= end:
                yield term(graph, "broadcast", inner.children[1], to=node.shape, dimensions=())
                return


def slice_across_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """slice(pad(x, v)) with stride 1 = pad(slice(x), v) with what is left of the edges, when nothing is cut or put between elements."""
    for inner in graph.nodes(node.children[0], "pad"):
        low, high, sizes = inner.attribute("low"), inner.attribute("high"), graph.shape(inner.children[0]).dims
        plain = min((*low, *high), default=0) >= 0 and not any(inner.attribute("interior"))
        if not plain or 0 in node.shape.dims or any(stride != 1 for _, _, stride in _ranges(node)):
            continue
        places = [(start - edge, limit - edge) for (start, limit, _), edge in zip(_ranges(node), low, strict=True)]
        if any(start >= size or limit <= 0 for (start, limit), size in zip(places, sizes, strict=True)):
            continue
        part = _sliced(graph, inner.children[0], [(max(start, 0), min(limit, size), 1) for (start, limit), size in zip(places, sizes, strict=True)])
        edges = [(max(-start, 0), max(limit - size, 0)) for (start, limit), size in zip(places, sizes, strict=True)]
        if any(any(edge) for edge in edges):
            first, last = (tuple(edge[side] for edge in edges) for side in (0, 1))
            yield term(graph, "pad", part, inner.children[1], low=first, high=last, interior=(0,) * len(edges))


def slice_of_reshape(graph: ClassGraph, node: ENode) -> Proposals:
    """slice(reshape(x)) = reshape(slice(x)) when the inner reshape only adds or takes away dimensions of size 1."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "reshape"):
        source = graph.shape(inner.children[0]).dims
        kept = [axis for axis, size in enumerate(inner.shape.dims) if size != 1]
        if [inner.shape.dims[axis] for axis in kept] != [size for size in source if size != 1] or 0 in node.shape.dims:
            continue
        rest = iter(kept)
        part = _sliced(graph, inner.children[0], [(0, 1, 1) if size == 1 else ranges[next(rest)] for size in source])
        yield reshape(graph, part, node.shape.dims)


def slice_of_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """slice(dot(x, y)) = dot(slice(x), slice(y)): batch dimensions are sliced in both, free dimensions in their operand."""
    ranges = _ranges(node)
    for inner in graph.nodes(node.children[0], "dot"):
        batch, position, parts = len(inner.attribute("lhs_batch_dims")), len(inner.attribute("lhs_batch_dims")), []
        for side, child in zip(("lhs", "rhs"), inner.children, strict=True):
            places = [(0, size, 1) for size in graph.shape(child).dims]
            for number, axis in enumerate(inner.attribute(f"{side}_batch_dims")):
                places[axis] = ranges[:batch][number]
            bound = (*inner.attribute(f"{side}_batch_dims"), *inner.attribute(f"{side}_contracting_dims"))
            for axis in (axis for axis in range(len(places)) if axis not in bound):
                places[axis], position = ranges[position], position + 1
            parts.append(_sliced(graph, child, places))
        if parts != list(inner.children):
            yield term(graph, "dot", *parts, to=node.shape, **dict(inner.attributes))


RULES: tuple[Rewrite, ...] = (
    rule(slice_without_effect, "slice", builds="slice"),
    rule(slice_of_slice, "slice", builds="slice"),
    rule(slice_of_concatenate, "slice", within="concatenate", builds="slice"),
    rule(slice_across_concatenate, "slice", within="concatenate", builds="slice concatenate"),
    rule(slice_of_pad, "slice", within="pad", builds="slice"),
    rule(slice_of_padding, "slice", within="pad", builds="broadcast"),
    rule(slice_across_pad, "slice", within="pad", builds="slice pad"),
    rule(slice_of_broadcast, "slice", within="broadcast", builds="slice broadcast"),
    rule(slice_of_transpose, "slice", within="transpose", builds="slice transpose"),
    rule(slice_of_reverse, "slice", within="reverse", builds="slice reverse"),
    rule(slice_of_reshape, "slice", within="reshape", builds="slice reshape"),
    rule(slice_of_dot, "slice", within="dot", builds="slice dot"),
    rule(movement_of_elementwise, "slice", "transpose", "reshape", "reverse", "broadcast", either="slice transpose reshape reverse broadcast"),
)
