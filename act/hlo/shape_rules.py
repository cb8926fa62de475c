"""The result shape of each operator on tensors, from operand shapes and attributes (XLA operation semantics).

A rule gets the declared shape too, because some results are not determined by the operands (the dimensions of a broadcast, the element
type of a convert or a dot); `infer` compares the answer with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from act.hlo.dtypes import is_float, is_integer, width
from act.hlo.model import Dimension, Shape, Value
from act.hlo.opcodes import FUNCTIONS, ROUNDING
from act.hlo.sizes import Sizes
from act.hlo.windows import WindowError, places

Attributes = Mapping[str, Value]
Rule = Callable[[tuple[Shape, ...], Attributes, Shape, Sizes], Shape]

FLOAT_ONLY = ROUNDING | FUNCTIONS | {"is-finite", "atan2"}
NO_FLOAT = frozenset(("not", "and", "or", "xor"))
INTEGER_ONLY = frozenset(("shift-left", "shift-right-arithmetic", "shift-right-logical", "popcnt", "count-leading-zeros"))
NO_PRED = frozenset(("abs", "negate", "sign", "subtract", "divide", "remainder", "power"))


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


def _reduce_precision(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    exponent, fraction = given["exponent_bits"], given["mantissa_bits"]
    require(is_float(operands[0].dtype), f"not defined for element type {operands[0].dtype}")
    require(isinstance(exponent, int) and exponent >= 1 and isinstance(fraction, int) and fraction >= 0, f"no format has {exponent} and {fraction} bits")
    return operands[0]


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
        fits = sizes.equal(size, declared.dims[axis]) or sizes.equal(size, 1)
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


def _reduce_window(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    source = operands[0]
    _reduce(operands, {"dimensions": (), "kind": given["kind"]}, declared, sizes)
    require(len(given["size"]) == source.rank, f"the window needs {source.rank} sizes, found {len(given['size'])}")
    return Shape(source.dtype, _places(given, source.dims, sizes))


def _places(given: Attributes, extents: tuple[Dimension, ...], sizes: Sizes) -> tuple[Dimension, ...]:
    try:
        return tuple(places(given, sizes, extents))
    except WindowError as error:
        raise ShapeError(str(error)) from None


def _convolution(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    """Dimensions of the result, by `out_dims`: batch, feature, spatial."""
    left, right = operands
    rank, labels = len(given["size"]) + 2, (given["lhs_dims"], given["rhs_dims"], given["out_dims"])
    require(left.rank == right.rank == rank and all(len(dims) == rank for dims in labels), f"{left}, {right} and the labels differ in rank")
    require(is_float(left.dtype) == is_float(right.dtype) == is_float(declared.dtype), "floats and integers are mixed")
    batch, feature, *space = (left.dims[axis] for axis in given["lhs_dims"])
    inner, outer, *window = (right.dims[axis] for axis in given["rhs_dims"])
    groups, batches = given["feature_group_count"], given["batch_group_count"]
    require(sizes.at_most(1, groups) and sizes.at_most(1, batches), "the counts of groups must be at least 1")
    require(isinstance(groups, int) and isinstance(batches, int) and min(groups, batches) == 1, "only one of the counts of groups can be more than 1")
    require(sizes.same(window, given["size"]), f"the window has sizes {list(given['size'])}, but {right} has {window}")
    require(sizes.equal(feature, sizes.multiply(inner, groups)), f"{feature} features of {left} are not {groups} group(s) of {inner}")
    for size, count, what in ((outer, groups, right), (outer, batches, right), (batch, batches, left)):
        divides = count == 1 or sizes.equal(sizes.multiply(sizes.divide(size, count), count), size)
        require(divides, f"a dimension {size} of {what} is not divisible into {count} groups")
    found = (sizes.divide(batch, batches), outer, *_places(given, tuple(space), sizes))
    return Shape(declared.dtype, tuple(found[given["out_dims"].index(axis)] for axis in range(rank)))


def _dynamic_slice(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    source, *starts = operands
    require(len(given["sizes"]) == source.rank, f"{source.rank} sizes are needed, found {len(given['sizes'])}")
    _starts(starts, source)
    for size, extent in zip(given["sizes"], source.dims, strict=True):
        require(sizes.at_most(0, size) and sizes.at_most(size, extent), f"the size {size} is not within 0..{extent}")
    return Shape(source.dtype, given["sizes"])


def _dynamic_update_slice(operands: tuple[Shape, ...], given: Attributes, declared: Shape, sizes: Sizes) -> Shape:
    require(len(operands) >= 2, "a tensor and its update are needed")
    source, update, *starts = operands
    _starts(starts, source)
    fits = update.dtype == source.dtype and update.rank == source.rank
    require(fits and all(sizes.at_most(a, b) for a, b in zip(update.dims, source.dims, strict=True)), f"the update {update} does not fit {source}")
    return source


def _starts(starts: list[Shape], source: Shape) -> None:
    fits = all(is_integer(start.dtype) and not start.dims and start.dtype == starts[0].dtype for start in starts)
    require(len(starts) == source.rank and fits, f"{source.rank} start(s) are needed, scalars of one integer type, found {', '.join(map(str, starts))}")


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
    "reduce-precision": _reduce_precision,
    "reshape": _reshape,
    "broadcast": _broadcast,
    "transpose": _transpose,
    "reverse": _reverse,
    "slice": _slice,
    "pad": _pad,
    "concatenate": _concatenate,
    "dot": _dot,
    "reduce": _reduce,
    "reduce-window": _reduce_window,
    "convolution": _convolution,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
}
