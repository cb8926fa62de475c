"""Reductions: of what was moved, put together or repeated, one after another, and as elementwise operators.

A reduction of kind f over dimensions d starts from the value i: f(i, x0, x1, ...).  Sums of floats are never put in another order; maxima of
floats neither, because of NaN and the two zeros.

Before --> after:  `reduce(transpose(x))` --> `reduce(x)`,  `reduce(reduce(x, 0), i)` --> `reduce(x, i)`
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import integer_range, wrap
from act.hlo.model import Shape
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Child, Proposals, is_whole, keeps_values, reshape, scalar, shape_of, splat, term, transpose

rule = rewriter("reduce")
IDEMPOTENT = ("maximum", "minimum", "and", "or")
MOST_UNROLLED = 4
"""Elements along a dimension whose reduction is written as elementwise operators."""


def neutral(kind: str, dtype: str) -> int | bool | None:
    """The value that changes nothing, for integers and predicates; None where there is none."""
    if not is_whole(dtype):
        return {"and": True, "or": False, "xor": False}.get(kind) if dtype == "pred" else None
    low, high = integer_range(dtype)
    return {"add": 0, "multiply": 1, "maximum": low, "minimum": high, "and": wrap(dtype, -1), "or": 0, "xor": 0}[kind]


def is_neutral(graph: ClassGraph, number: int, kind: str) -> bool:
    value = neutral(kind, graph.shape(number).dtype)
    return value is not None and graph.splats.get(number) == value


def _ordered(graph: ClassGraph, node: ENode) -> bool:
    """Whether the elements may be taken in any order: integers and predicates."""
    return neutral(node.attribute("kind"), node.shape.dtype) is not None


def reduced(graph: ClassGraph, child: Child, initial: Child, dimensions: tuple[int, ...], kind: str) -> ENode:
    return term(graph, "reduce", child, initial, to=shape_of(graph, child), dimensions=dimensions, kind=kind)


def combined(graph: ClassGraph, kind: str, first: Child, *others: Child) -> Child:
    """f(x, y, ...); a sum of integers is one node."""
    if kind == "add" and is_whole(shape_of(graph, first).dtype):
        return term(graph, "sum", first, *others) if others else first
    result = first
    for each in others:
        result = term(graph, kind, result, each)
    return result


def _spread(graph: ClassGraph, initial: int, shape: Shape) -> Child:
    return term(graph, "broadcast", initial, to=shape, dimensions=()) if shape.dims else initial


def _started(graph: ClassGraph, node: ENode, value: Child) -> Child:
    """f(i, value), or the value where i changes nothing."""
    kind, initial = node.attribute("kind"), node.children[1]
    return value if is_neutral(graph, initial, kind) else combined(graph, kind, value, _spread(graph, initial, node.shape))


def reduce_of_nothing(graph: ClassGraph, node: ENode) -> Proposals:
    """A reduction over no dimension, or over dimensions of size 1, is f(i, x), or x where i changes nothing, for integers."""
    dims = graph.shape(node.children[0]).dims
    if _ordered(graph, node) and all(dims[axis] == 1 for axis in node.attribute("dimensions")):
        yield _started(graph, node, reshape(graph, node.children[0], node.shape.dims))


def reduce_of_no_elements(graph: ClassGraph, node: ENode) -> Proposals:
    """A reduction over a dimension of size 0 is i everywhere."""
    dims = graph.shape(node.children[0]).dims
    if any(dims[axis] == 0 for axis in node.attribute("dimensions")):
        yield _spread(graph, node.children[1], node.shape)


def reduce_of_reduce(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(reduce(x, i, d), j, e) = reduce(x, j, both) when the kinds are the same and i changes nothing."""
    kind, outer = node.attribute("kind"), node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "reduce"):
        if inner.attribute("kind") == kind and is_neutral(graph, inner.children[1], kind):
            gone = inner.attribute("dimensions")
            kept = [axis for axis in range(graph.shape(inner.children[0]).rank) if axis not in gone]
            both = tuple(sorted((*gone, *(kept[axis] for axis in outer))))
            yield reduced(graph, inner.children[0], node.children[1], both, kind)


def reduce_with_value(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(x, i) = f(reduce(x, neutral), i), for integers, where i does change something."""
    kind = node.attribute("kind")
    if _ordered(graph, node) and node.attribute("dimensions") and not is_neutral(graph, node.children[1], kind):
        start = scalar(neutral(kind, node.shape.dtype), node.shape.dtype)
        yield _started(graph, node, reduced(graph, node.children[0], start, node.attribute("dimensions"), kind))


def reduce_of_transpose(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(transpose(x, p), d) = transpose(reduce(x, p[d]), q), where q is the order that p gives to the other dimensions, for integers."""
    dimensions = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "transpose"):
        if _ordered(graph, node):
            order = inner.attribute("dimensions")
            kept = [order[axis] for axis in range(len(order)) if axis not in dimensions]
            total = reduced(graph, inner.children[0], node.children[1], tuple(sorted(order[axis] for axis in dimensions)), node.attribute("kind"))
            yield transpose(graph, total, tuple(sorted(kept).index(axis) for axis in kept))


def reduce_of_reverse(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(reverse(x, e), d): no reversal along d, the others after the reduction, for integers."""
    dimensions = node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "reverse"):
        if _ordered(graph, node):
            kept = [axis for axis in range(inner.shape.rank) if axis not in dimensions]
            places = tuple(kept.index(axis) for axis in sorted(inner.attribute("dimensions")) if axis in kept)
            total = reduced(graph, inner.children[0], node.children[1], dimensions, node.attribute("kind"))
            yield term(graph, "reverse", total, dimensions=places) if places else total


def reduce_of_reshape(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(reshape(x)) = reshape(reduce(x)) when the reshape only adds or takes away dimensions of size 1, for integers."""
    for inner in graph.nodes(node.children[0], "reshape"):
        source, dims = graph.shape(inner.children[0]).dims, inner.shape.dims
        kept, places = ([axis for axis, size in enumerate(each) if size != 1] for each in (dims, source))
        if [dims[axis] for axis in kept] == [source[axis] for axis in places] and _ordered(graph, node):
            axes = tuple(place for axis, place in zip(kept, places, strict=True) if axis in node.attribute("dimensions"))
            if axes:
                total = reduced(graph, inner.children[0], node.children[1], axes, node.attribute("kind"))
                yield reshape(graph, total, node.shape.dims)


def reduce_of_broadcast(graph: ClassGraph, node: ENode) -> Proposals:
    """Reducing what a broadcast repeats n times: n * x for sums, x for maxima, minima, and, or, combined with i, for integers."""
    kind, gone = node.attribute("kind"), node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "broadcast"):
        dimensions, source = inner.attribute("dimensions"), graph.shape(inner.children[0])
        plain = all(inner.shape.dims[axis] == size for axis, size in zip(dimensions, source.dims, strict=True))
        count = math.prod(inner.shape.dims[axis] for axis in gone)
        if not plain or not count or set(gone) & set(dimensions) or not _ordered(graph, node) or kind not in (*IDEMPOTENT, "add"):
            continue
        kept = [axis for axis in range(inner.shape.rank) if axis not in gone]
        value: Child = term(graph, "broadcast", inner.children[0], to=node.shape, dimensions=tuple(kept.index(axis) for axis in dimensions))
        if kind == "add" and count > 1:
            value = term(graph, "multiply", value, splat(wrap(node.shape.dtype, count), node.shape))
        yield _started(graph, node, value)


def reduce_of_pad(graph: ClassGraph, node: ENode) -> Proposals:
    """Along the reduced dimensions padding with a value that changes nothing is left out, when nothing is cut and no other one padded."""
    kind, gone = node.attribute("kind"), node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "pad"):
        edges = list(zip(*(inner.attribute(side) for side in ("low", "high", "interior")), strict=True))
        if all(min(each) >= 0 and (axis in gone or not any(each)) for axis, each in enumerate(edges)) and is_neutral(graph, inner.children[1], kind):
            yield reduced(graph, inner.children[0], node.children[1], gone, kind)


def reduce_of_concatenate(graph: ClassGraph, node: ENode) -> Proposals:
    """Along a reduced dimension: f(reduce(x, i), reduce(y, neutral)), for integers; along another one: concatenate(reduce(x), reduce(y))."""
    kind, gone = node.attribute("kind"), node.attribute("dimensions")
    for inner in graph.nodes(node.children[0], "concatenate"):
        axis = inner.attribute("dimension")
        if axis not in gone:
            parts = [reduced(graph, child, node.children[1], gone, kind) for child in inner.children]
            yield term(graph, "concatenate", *parts, dimension=axis - sum(other < axis for other in gone))
        elif _ordered(graph, node) and len(inner.children) > 1:
            starts = [node.children[1], *[scalar(neutral(kind, node.shape.dtype), node.shape.dtype)] * (len(inner.children) - 1)]
            yield combined(graph, kind, *(reduced(graph, child, start, gone, kind) for child, start in zip(inner.children, starts, strict=True)))


def slice_of_reduce(graph: ClassGraph, node: ENode) -> Proposals:
    """slice(reduce(x, d)) = reduce(slice(x), d): the other dimensions of x are sliced."""
    for inner in graph.nodes(node.children[0], "reduce"):
        gone, sizes = inner.attribute("dimensions"), graph.shape(inner.children[0]).dims
        if not sizes:
            continue
        ranges = iter(zip(node.attribute("start"), node.attribute("limit"), node.attribute("stride"), strict=True))
        parts = [(0, size, 1) if axis in gone else next(ranges) for axis, size in enumerate(sizes)]
        start, limit, stride = (tuple(part) for part in zip(*parts, strict=True))
        part = term(graph, "slice", inner.children[0], start=start, limit=limit, stride=stride)
        yield reduced(graph, part, inner.children[1], gone, inner.attribute("kind"))


def reduce_of_negate(graph: ClassGraph, node: ENode) -> Proposals:
    """The sum of -x is minus the sum of x, when it starts from 0, modulo 2**width."""
    for inner in graph.nodes(node.children[0], "negate"):
        if node.attribute("kind") == "add" and is_neutral(graph, node.children[1], "add"):
            yield term(graph, "negate", reduced(graph, inner.children[0], node.children[1], node.attribute("dimensions"), "add"))


def reduce_of_multiple(graph: ClassGraph, node: ENode) -> Proposals:
    """The sum of c * x is c times the sum of x, for a constant c everywhere and a sum that starts from 0, modulo 2**width."""
    for inner in graph.nodes(node.children[0], "multiply"):
        for constant, value in (inner.children, inner.children[::-1]):
            factor = graph.splats.get(constant)
            if node.attribute("kind") == "add" and factor is not None and value not in graph.splats and is_neutral(graph, node.children[1], "add"):
                total = reduced(graph, value, node.children[1], node.attribute("dimensions"), "add")
                yield term(graph, "multiply", total, splat(factor, node.shape))


def reduce_of_nots(graph: ClassGraph, node: ENode) -> Proposals:
    """f(not(x), ..) = not(g(x, ..)) where f and g are and / or, maximum / minimum, from a value that changes nothing, for integers."""
    kind = node.attribute("kind")
    dual = {"and": "or", "or": "and", "maximum": "minimum", "minimum": "maximum"}.get(kind)
    for inner in graph.nodes(node.children[0], "not"):
        start = neutral(dual, node.shape.dtype) if dual else None
        if dual and start is not None and is_neutral(graph, node.children[1], kind):
            total = reduced(graph, inner.children[0], scalar(start, node.shape.dtype), node.attribute("dimensions"), dual)
            yield term(graph, "not", total)


def reduce_of_converted(graph: ClassGraph, node: ENode) -> Proposals:
    """The greatest (least) of converted integers is the greatest (least) converted, from a value that changes nothing, if no value changes."""
    kind = node.attribute("kind")
    for inner in graph.nodes(node.children[0], "convert"):
        source = graph.shape(inner.children[0]).dtype
        whole = 0 not in graph.shape(inner.children[0]).dims
        if kind in ("maximum", "minimum") and whole and keeps_values(source, node.shape.dtype) and is_neutral(graph, node.children[1], kind):
            total = reduced(graph, inner.children[0], scalar(neutral(kind, source), source), node.attribute("dimensions"), kind)
            yield term(graph, "convert", total, to=node.shape)


def narrowed_sum(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(reduce(x, i)), add = reduce(convert(x), convert(i)), to an integer type that is not wider, modulo 2**width."""
    for inner in graph.nodes(node.children[0], "reduce"):
        wide, narrow = inner.shape.dtype, node.shape.dtype
        if inner.attribute("kind") in ("add", "multiply") and is_whole(wide) and is_whole(narrow) and int(narrow[1:]) <= int(wide[1:]):
            children = [term(graph, "convert", child, to=Shape(narrow, graph.shape(child).dims)) for child in inner.children]
            yield reduced(graph, *children, inner.attribute("dimensions"), inner.attribute("kind"))  # type: ignore[misc]


def sum_of_reduces(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(x, 0) + reduce(y, i) = reduce(x + y, i), over the same dimensions of equal shapes, modulo 2**width."""
    for first, second in _pairs(len(node.children)):
        for one in graph.nodes(node.children[first], "reduce"):
            for other in graph.nodes(node.children[second], "reduce"):
                same = one.attributes == other.attributes and graph.shape(one.children[0]) == graph.shape(other.children[0])
                if same and one.attribute("kind") == "add" and is_neutral(graph, one.children[1], "add"):
                    both = term(graph, "sum", one.children[0], other.children[0])
                    total = reduced(graph, both, other.children[1], one.attribute("dimensions"), "add")
                    rest = [child for place, child in enumerate(node.children) if place not in (first, second)]
                    yield term(graph, "sum", total, *rest) if rest else total


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return ((first, second) for first in range(count) for second in range(count) if first != second)


def reduce_of_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """The sum over a free dimension of dot(x, y), from 0, is the product with x summed over that dimension; the same for y; for integers."""
    for inner in graph.nodes(node.children[0], "dot"):
        if node.attribute("kind") != "add" or len(node.attribute("dimensions")) != 1 or not is_neutral(graph, node.children[1], "add"):
            continue
        (axis,), place = node.attribute("dimensions"), len(inner.attribute("lhs_batch_dims"))
        for side, name in enumerate(("lhs", "rhs")):
            given, bound = dict(inner.attributes), (*inner.attribute(f"{name}_batch_dims"), *inner.attribute(f"{name}_contracting_dims"))
            for free in (each for each in range(graph.shape(inner.children[side]).rank) if each not in bound):
                if place == axis and graph.shape(inner.children[side]).dtype == node.shape.dtype:
                    children: list[Child] = list(inner.children)
                    children[side] = reduced(graph, inner.children[side], node.children[1], (free,), "add")
                    for part in ("batch", "contracting"):
                        given[f"{name}_{part}_dims"] = tuple(each - (each > free) for each in given[f"{name}_{part}_dims"])
                    yield term(graph, "dot", *children, to=node.shape, **given)
                place += 1


def reduce_in_two_steps(graph: ClassGraph, node: ENode) -> Proposals:
    """A reduction over several dimensions = one over the first after one over the others from a value that changes nothing, for integers."""
    first, *rest = sorted(node.attribute("dimensions")) or (0,)
    if rest and _ordered(graph, node):
        kind = node.attribute("kind")
        inner = reduced(graph, node.children[0], scalar(neutral(kind, node.shape.dtype), node.shape.dtype), tuple(rest), kind)
        yield reduced(graph, inner, node.children[1], (first,), kind)


RULES: tuple[Rewrite, ...] = (
    rule(reduce_of_nothing, "reduce", types="bits", builds="reshape broadcast", either="sum multiply maximum minimum and or xor"),
    rule(reduce_of_no_elements, "reduce", builds="broadcast"),
    rule(reduce_of_reduce, "reduce", types="bits", builds="reduce"),
    rule(reduce_with_value, "reduce", types="bits", builds="reduce broadcast", either="sum multiply maximum minimum and or xor"),
    rule(reduce_of_transpose, "reduce", types="bits", within="transpose", builds="reduce transpose"),
    rule(reduce_of_reverse, "reduce", types="bits", within="reverse", builds="reduce reverse"),
    rule(reduce_of_reshape, "reduce", types="bits", within="reshape", builds="reduce reshape"),
    rule(reduce_of_broadcast, "reduce", types="bits", within="broadcast", builds="broadcast", either="multiply:constant sum maximum minimum and or"),
    rule(reduce_of_pad, "reduce", types="bits", within="pad", builds="reduce"),
    rule(reduce_of_concatenate, "reduce", within="concatenate", builds="reduce", either="concatenate sum multiply maximum minimum and or xor"),
    rule(slice_of_reduce, "slice", within="reduce", builds="slice reduce"),
    rule(reduce_of_negate, "reduce", types="integers", within="negate", builds="negate reduce"),
    rule(reduce_of_multiple, "reduce", types="integers", within="multiply", builds="multiply:constant reduce"),
    rule(reduce_of_nots, "reduce", types="bits", within="not", builds="not reduce"),
    rule(reduce_of_converted, "reduce", types="integers", within="convert", builds="convert reduce"),
    rule(narrowed_sum, "convert", types="integers", within="reduce", builds="convert reduce"),
    rule(sum_of_reduces, "sum", types="integers", within="reduce", builds="sum reduce"),
    rule(reduce_of_dot, "reduce", types="integers", within="dot", builds="dot reduce"),
    rule(reduce_in_two_steps, "reduce", types="bits", builds="reduce"),
)
