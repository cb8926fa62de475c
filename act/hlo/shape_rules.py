"""The result shape of each operator on tensors, from operand shapes and attributes (XLA operation semantics).

A rule gets the declared shape too, because some results are not determined by the operands (the dimensions of a broadcast, the element
type of a convert or a dot); `infer` compares the answer with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from act.hlo.dtypes import is_float, is_integer, width
from act.hlo.model import Dimension, Shape, Value
from act.hlo.sizes import Sizes

Attributes = Mapping[str, Value]
Rule = Callable[[tuple[Shape, ...], Attributes, Shape, Sizes], Shape]

FLOAT_ONLY = frozenset("floor ceil round-nearest-even round-nearest-afz exponential log tanh logistic sqrt rsqrt is-finite power".split())
NO_FLOAT = frozenset(("not", "and", "or", "xor"))
INTEGER_ONLY = frozenset(("shift-left", "shift-right-arithmetic", "shift-right-logical"))
NO_PRED = frozenset(("abs", "negate", "sign", "subtract", "divide", "remainder"))


class ShapeError(Exception):
    """What does not fit, without a location."""


def require(condition: bool, problem: str) -> None:
    if not condition:
        raise ShapeError(problem)


def elementwise(opcode: str, operands: tuple[Shape, ...], sizes: Sizes) -> Shape:
    first, dtype = operands[0], operands[0].dtype
    for other in operands[1:]:
        require(other.dtype == dtype and sizes.same(other.dims, first.dims), f"operands differ in shape: {first} and {other}")
    fits = not (
        (opcode in FLOAT_ONLY and not is_float(dtype))
        or (opcode in NO_FLOAT and is_float(dtype))
        or (opcode in INTEGER_ONLY and not is_integer(dtype))
        or (opcode in NO_PRED and dtype == "pred")
    )
    require(fits, f"not defined for element type {dtype}")
    return Shape("pred", first.dims) if opcode == "is-finite" else first


def _compare(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    return Shape("pred", elementwise("compare", operands, sizes).dims)


def _select(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    condition, then, otherwise = operands
    result = elementwise("select", (then, otherwise), sizes)
    require(condition.dtype == "pred", f"the condition must be pred, found {condition}")
    require(not condition.dims or sizes.same(condition.dims, result.dims), f"condition {condition} does not fit {result}")
    return result


def _clamp(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    low, value, high = operands
    for bound in (low, high):
        fits = bound.dtype == value.dtype and (not bound.dims or sizes.same(bound.dims, value.dims))
        require(fits, f"the bound {bound} does not fit {value}")
    require(value.dtype != "pred", "not defined for element type pred")
    return value


def _convert(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    return Shape(declared.dtype, operands[0].dims)


def _bitcast(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    (source,), wide, narrow = operands, width(operands[0].dtype), width(declared.dtype)
    if wide == narrow:
        return Shape(declared.dtype, source.dims)
    ratio = max(wide, narrow) // min(wide, narrow)
    require(ratio * min(wide, narrow) == max(wide, narrow), f"{source.dtype} and {declared.dtype} do not divide each other")
    if wide > narrow:
        return Shape(declared.dtype, (*source.dims, ratio))
    require(bool(source.dims) and sizes.equal(source.dims[-1], ratio), f"the last dimension of {source} must be {ratio}")
    return Shape(declared.dtype, source.dims[:-1])


def _same(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    return operands[0]


def _reshape(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    (source,) = operands
    equal = sizes.equal(sizes.product(source.dims), sizes.product(declared.dims))
    require(equal, f"{source} and {declared} differ in the number of elements")
    return Shape(source.dtype, declared.dims)


def _broadcast(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    """A size-1 dimension may stretch."""
    (source,), dimensions = operands, given["dimensions"]
    require(len(dimensions) == source.rank, f"{source.rank} broadcast dimensions are needed, found {len(dimensions)}")
    axes(dimensions, declared.rank)
    for size, axis in zip(source.dims, dimensions, strict=True):
        fits = sizes.equal(size, 1) or sizes.equal(size, declared.dims[axis])
        require(fits, f"{source} does not fit dimension {axis} of {declared}")
    return Shape(source.dtype, declared.dims)


def axes(dimensions: tuple[int, ...], rank: int) -> None:
    fits = all(isinstance(axis, int) and 0 <= axis < rank for axis in dimensions) and len(set(dimensions)) == len(dimensions)
    require(fits, f"dimensions {list(dimensions)} must be different and below the rank {rank}")


def _transpose(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    (source,), order = operands, given["dimensions"]
    require(len(order) == source.rank, f"{list(order)} is not a permutation of the {source.rank} dimensions")
    axes(order, source.rank)
    return Shape(source.dtype, tuple(source.dims[axis] for axis in order))


def _reverse(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    axes(given["dimensions"], operands[0].rank)
    return operands[0]


def _slice(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    (source,), dims = operands, []
    require(len(given["start"]) == source.rank, f"{source.rank} ranges are needed, found {len(given['start'])}")
    for size, start, limit, stride in zip(source.dims, given["start"], given["limit"], given["stride"], strict=True):
        ordered = sizes.at_most(0, start) and sizes.at_most(start, limit) and sizes.at_most(limit, size) and sizes.at_most(1, stride)
        require(ordered, f"the range [{start}:{limit}:{stride}] is not within 0..{size}")
        extent = sizes.subtract(limit, start)
        dims.append(sizes.divide(sizes.add(extent, sizes.subtract(stride, 1)), stride))
    return Shape(source.dtype, tuple(dims))


def _pad(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    source, value = operands
    require(not value.dims and value.dtype == source.dtype, f"the padding value must be a scalar of {source.dtype}, found {value}")
    require(len(given["low"]) == source.rank, f"{source.rank} paddings are needed, found {len(given['low'])}")
    edges = zip(source.dims, given["low"], given["high"], given["interior"], strict=True)
    return Shape(source.dtype, tuple(_padded(*each, sizes) for each in edges))


def _padded(size: Dimension, low: Dimension, high: Dimension, interior: Dimension, sizes: Sizes) -> Dimension:
    require(sizes.at_most(0, interior), "interior padding must not be negative")
    empty = isinstance(size, int) and size == 0
    gaps = 0 if empty or (isinstance(interior, int) and interior == 0) else sizes.multiply(sizes.subtract(size, 1), interior)
    total = sizes.total((size, gaps, low, high))
    require(sizes.at_most(0, total), f"padding makes a dimension of size {total}")
    return total


def _concatenate(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    require(bool(operands), "at least one operand is needed")
    first, axis = operands[0], given["dimension"]
    axes((axis,), first.rank)
    for other in operands[1:]:
        fits = other.dtype == first.dtype and other.rank == first.rank
        fits = fits and all(sizes.equal(a, b) for i, (a, b) in enumerate(zip(first.dims, other.dims, strict=True)) if i != axis)
        require(fits, f"{first} and {other} differ outside of dimension {axis}")
    total = sizes.total(operand.dims[axis] for operand in operands)
    return Shape(first.dtype, (*first.dims[:axis], total, *first.dims[axis + 1 :]))


def _dot(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    """Dimensions of the result: batch, free of the left, free of the right."""
    left, right = operands
    left_used, right_used = (given[f"{side}_batch_dims"] + given[f"{side}_contracting_dims"] for side in ("lhs", "rhs"))
    axes(left_used, left.rank)
    axes(right_used, right.rank)
    batches = len(given["lhs_batch_dims"])
    require(batches == len(given["rhs_batch_dims"]) and len(left_used) == len(right_used), "the operands differ in their dimension numbers")
    for a, b in zip(left_used, right_used, strict=True):
        require(sizes.equal(left.dims[a], right.dims[b]), f"dimension {a} of {left} and {b} of {right} differ")
    require(is_float(left.dtype) == is_float(right.dtype) == is_float(declared.dtype), "floats and integers are mixed")
    free = [shape.dims[axis] for shape, used in ((left, left_used), (right, right_used)) for axis in range(shape.rank) if axis not in used]
    return Shape(declared.dtype, (*(left.dims[axis] for axis in given["lhs_batch_dims"]), *free))


def _reduce(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    source, initial = operands
    require(not initial.dims and initial.dtype == source.dtype, f"the initial value must be a scalar of {source.dtype}, found {initial}")
    axes(given["dimensions"], source.rank)
    bitwise = given["kind"] in ("and", "or", "xor")
    require(not (bitwise and is_float(source.dtype)), f"{given['kind']} is not defined for element type {source.dtype}")
    return Shape(source.dtype, tuple(size for axis, size in enumerate(source.dims) if axis not in given["dimensions"]))


def _iota(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    axes((given["dimension"],), declared.rank)
    return declared


def _constant(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    return declared


RULES: dict[str, Rule] = {
    "constant": _constant,
    "iota": _iota,
    "compare": _compare,
    "select": _select,
    "clamp": _clamp,
    "convert": _convert,
    "bitcast-convert": _bitcast,
    "copy": _same,
    "reshape": _reshape,
    "broadcast": _broadcast,
    "transpose": _transpose,
    "reverse": _reverse,
    "slice": _slice,
    "pad": _pad,
    "concatenate": _concatenate,
    "dot": _dot,
    "reduce": _reduce,
}
