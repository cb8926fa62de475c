"""Constants: two of them are one, constant tensors are moved once and for all, ranges decide limits and comparisons.

Before --> after:  `multiply(multiply(x, 3), 5)` --> `multiply(x, 15)`,  `transpose(constant({{1,2},{3,4}}))` --> `constant({{1,3},{2,4}})`
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import integer_range, is_float, is_signed, width, wrap
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.terms import Proposals, is_whole, splat, term

rule = rewriter("constants")
LARGEST = 4096
"""Elements of the largest constant tensor that is computed by a rule."""

FOLDED: dict[str, Callable[[int, int], int]] = {
    "multiply": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "maximum": max,
    "minimum": min,
}


def _with_constant(graph: ClassGraph, node: ENode) -> Iterator[tuple[int, int]]:
    """The other operand and the constant, in either order."""
    for value, constant in (node.children, node.children[::-1]):
        found = graph.splats.get(constant)
        if found is not None and value not in graph.splats:
            yield value, found


def two_constants(graph: ClassGraph, node: ENode) -> Proposals:
    """f(f(x, c), d) = f(x, f(c, d)) for *, and, or, xor, max and min of integers, modulo 2**width."""
    dtype = node.shape.dtype
    for inner_class, outer in _with_constant(graph, node) if is_whole(dtype) else ():
        for inner in graph.nodes(inner_class, node.opcode):
            for value, constant in _with_constant(graph, inner):
                yield term(graph, node.opcode, value, splat(wrap(dtype, FOLDED[node.opcode](constant, outer)), node.shape))


def two_shifts(graph: ClassGraph, node: ENode) -> Proposals:
    """shift(shift(x, a), b) = shift(x, a + b) in one direction, by constants below the width; bits that leave are 0, or the sign."""
    bits, second = width(node.shape.dtype), graph.splats.get(node.children[1])
    for inner in graph.nodes(node.children[0], node.opcode):
        first = graph.splats.get(inner.children[1])
        if first is None or second is None or not (0 <= first < bits and 0 <= second < bits):
            continue
        amount = first + second
        if node.opcode == "shift-right-arithmetic":
            amount = min(amount, bits - 1)
        if amount >= bits:
            yield splat(0, node.shape)
        elif amount <= integer_range(node.shape.dtype)[1]:
            yield term(graph, node.opcode, inner.children[0], splat(amount, node.shape))


def shift_by_the_width(graph: ClassGraph, node: ENode) -> Proposals:
    """A shift by the width or more, or by a negative number, gives 0."""
    amount = graph.splats.get(node.children[1])
    if amount is not None and not 0 <= amount < width(node.shape.dtype):
        yield splat(0, node.shape)


def shifts_are_mask(graph: ClassGraph, node: ENode) -> Proposals:
    """Shifting right after left, or left after right, without sign, by one constant keeps some of the bits: and(x, mask)."""
    bits, amount = width(node.shape.dtype), graph.splats.get(node.children[1])
    opposite = "shift-left" if node.opcode == "shift-right-logical" else "shift-right-logical"
    for inner in graph.nodes(node.children[0], opposite):
        if amount is not None and inner.children[1] == node.children[1] and 0 <= amount < bits:
            ones = (1 << bits - amount) - 1
            mask = ones if opposite == "shift-left" else ones << amount
            yield term(graph, "and", inner.children[0], splat(wrap(node.shape.dtype, mask), node.shape))


def negate_of_multiple(graph: ClassGraph, node: ENode) -> Proposals:
    """-(x * c) = x * (-c), modulo 2**width."""
    for inner in graph.nodes(node.children[0], "multiply"):
        for value, constant in _with_constant(graph, inner) if is_whole(node.shape.dtype) else ():
            yield term(graph, "multiply", value, splat(wrap(node.shape.dtype, -constant), node.shape))


def unsigned_divide_is_shift(graph: ClassGraph, node: ENode) -> Proposals:
    """x / 2**k = x shifted right by k, for unsigned x."""
    divisor, dtype = graph.splats.get(node.children[1]), node.shape.dtype
    if is_whole(dtype) and not is_signed(dtype) and divisor and divisor & divisor - 1 == 0:
        yield term(graph, "shift-right-logical", node.children[0], splat(divisor.bit_length() - 1, node.shape))


def unsigned_remainder_is_mask(graph: ClassGraph, node: ENode) -> Proposals:
    """x modulo 2**k = x and 2**k - 1, for unsigned x."""
    divisor, dtype = graph.splats.get(node.children[1]), node.shape.dtype
    if is_whole(dtype) and not is_signed(dtype) and divisor and divisor & divisor - 1 == 0:
        yield term(graph, "and", node.children[0], splat(divisor - 1, node.shape))


def equal_to_constant(graph: ClassGraph, node: ENode) -> Proposals:
    """x + c = d is x = d - c, -x = d is x = -d, not(x) = d is x = not(d), for integers; the same for inequality."""
    if node.attribute("direction") not in ("EQ", "NE"):
        return
    for value, wanted in _with_constant(graph, node):
        dtype = graph.shape(value).dtype
        if is_whole(dtype):
            for rest, result in _solved(graph, value, wanted):
                yield term(graph, "compare", rest, splat(wrap(dtype, result), graph.shape(value)), direction=node.attribute("direction"))


def _solved(graph: ClassGraph, value: int, wanted: int) -> Iterator[tuple[int, int]]:
    for inner in graph.classes[value]:
        if inner.opcode == "sum" and len(inner.children) == 2:
            yield from ((other, wanted - constant) for other, constant in _with_constant(graph, inner))
        elif inner.opcode == "negate":
            yield inner.children[0], -wanted
        elif inner.opcode == "not":
            yield inner.children[0], ~wanted


def strict_comparison(graph: ClassGraph, node: ENode) -> Proposals:
    """x >= c is x > c - 1 and x <= c is x < c + 1, for integers, where the type has that constant."""
    direction, bound = node.attribute("direction"), graph.splats.get(node.children[1])
    dtype = graph.shape(node.children[0]).dtype
    if bound is None or not is_whole(dtype) or direction not in ("GE", "LE"):
        return
    least, greatest = integer_range(dtype)
    moved = bound - 1 if direction == "GE" else bound + 1
    if least <= moved <= greatest:
        yield term(graph, "compare", node.children[0], splat(moved, graph.shape(node.children[0])), direction="GT" if direction == "GE" else "LT")


def dot_of_identity(graph: ClassGraph, node: ENode) -> Proposals:
    """dot(x, c * I) = c * x for a diagonal matrix with one number, for integers: rows times columns of one size, without batch."""
    plain = {"lhs_contracting_dims": (1,), "rhs_contracting_dims": (0,), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    if not is_whole(node.shape.dtype) or dict(node.attributes) != plain or node.shape.rank != 2:
        return
    for side, child in enumerate(node.children):
        other, factor = node.children[1 - side], _diagonal(graph, child)
        if factor is not None and graph.shape(other) == node.shape:
            yield other if factor == 1 else term(graph, "multiply", other, splat(wrap(node.shape.dtype, factor), node.shape))


def _diagonal(graph: ClassGraph, number: int) -> int | None:
    """c when the class is the constant c * I, also as the convert of one that loses nothing."""
    for node in graph.classes[number]:
        if node.opcode == "convert" and is_whole(node.shape.dtype):
            found = _diagonal_constant(graph, node.children[0])
            if found is not None and wrap(node.shape.dtype, found) == found:
                return found
    return _diagonal_constant(graph, number)


def _diagonal_constant(graph: ClassGraph, number: int) -> int | None:
    for node in graph.nodes(number, "constant"):
        rows = node.attribute("value")
        if not is_whole(node.shape.dtype) or node.shape.rank != 2 or len(set(node.shape.dims)) != 1 or 0 in node.shape.dims or not isinstance(rows, tuple):
            continue
        factor = rows[0][0]
        if all(value == (factor if i == j else 0) for i, row in enumerate(rows) for j, value in enumerate(row)):
            return factor
    return None


def movement_of_constant_tensor(graph: ClassGraph, node: ENode) -> Proposals:
    """A constant tensor is transposed, reshaped, reversed or sliced here."""
    for inner in graph.nodes(node.children[0], "constant"):
        value = inner.attribute("value")
        if isinstance(value, tuple) and math.prod(inner.shape.dims) <= LARGEST and 0 not in node.shape.dims:
            yield ENode("constant", (("value", _moved(node, inner.shape.dims, value)),), node.shape)


def _moved(node: ENode, dims: tuple[int, ...], value: Any) -> Any:
    places = (_source(node, dims, index) for index in product(*map(range, node.shape.dims)))
    return _nested([_element(value, place) for place in places], node.shape.dims)


def _source(node: ENode, dims: tuple[int, ...], index: tuple[int, ...]) -> tuple[int, ...]:
    """The element of the operand that becomes element `index`."""
    match node.opcode:
        case "transpose":
            order = node.attribute("dimensions")
            return tuple(index[order.index(axis)] for axis in range(len(dims)))
        case "reverse":
            flipped = node.attribute("dimensions")
            return tuple(size - 1 - place if axis in flipped else place for axis, (size, place) in enumerate(zip(dims, index, strict=True)))
        case "slice":
            return tuple(start + place * stride for start, place, stride in zip(node.attribute("start"), index, node.attribute("stride"), strict=True))
    flat = sum(place * math.prod(node.shape.dims[axis + 1 :]) for axis, place in enumerate(index))
    return tuple(flat // math.prod(dims[axis + 1 :]) % size for axis, size in enumerate(dims))


def _element(value: Any, place: Sequence[int]) -> Any:
    for index in place:
        value = value[index]
    return value


def _nested(flat: list[Any], dims: Sequence[int]) -> Any:
    if not dims:
        return flat[0]
    step = len(flat) // dims[0]
    return tuple(_nested(flat[start : start + step], dims[1:]) for start in range(0, len(flat), step))


def arithmetic_of_constant_tensor(graph: ClassGraph, node: ENode) -> Proposals:
    """Conversion to a type that is not wider, negation and complement of a constant tensor of integers are computed here, modulo 2**width."""
    change: Callable[[int], int] = {"convert": lambda a: a, "negate": lambda a: -a, "not": lambda a: ~a}[node.opcode]
    for inner in graph.nodes(node.children[0], "constant"):
        value = inner.attribute("value")
        if width(node.shape.dtype) > width(inner.shape.dtype):
            continue
        if isinstance(value, tuple) and is_whole(inner.shape.dtype) and is_whole(node.shape.dtype) and math.prod(inner.shape.dims) <= LARGEST:
            yield ENode("constant", (("value", _mapped(value, lambda each: wrap(node.shape.dtype, change(each)))),), node.shape)


def _mapped(value: Any, change: Callable[[int], int]) -> Any:
    return tuple(_mapped(part, change) for part in value) if isinstance(value, tuple) else change(value)


def value_without_elements(graph: ClassGraph, node: ENode) -> Proposals:
    """A tensor without elements is a constant, whatever it was made of."""
    if 0 in node.shape.dims and node.children and not is_float(node.shape.dtype):
        yield splat(False if node.shape.dtype == "pred" else 0, node.shape)


RULES: tuple[Rewrite, ...] = (
    *(
        rule(two_constants, opcode, types="integers", within=opcode, builds=f"{opcode}:constant").renamed(f"two_constants_of_{opcode}")
        for opcode in FOLDED
    ),
    *(
        rule(two_shifts, opcode, types="integers", within=opcode, builds=f"{opcode}:constant").renamed(f"two_of_{opcode.replace('-', '_')}")
        for opcode in ("shift-left", "shift-right-logical", "shift-right-arithmetic")
    ),
    rule(shift_by_the_width, "shift-left", "shift-right-logical", types="integers"),
    rule(shifts_are_mask, "shift-left", "shift-right-logical", types="integers", builds="and:constant"),
    rule(negate_of_multiple, "negate", types="integers", within="multiply", builds="multiply:constant"),
    rule(unsigned_divide_is_shift, "divide", types="unsigned", builds="shift-right-logical:constant"),
    rule(unsigned_remainder_is_mask, "remainder", types="unsigned", builds="and:constant"),
    rule(equal_to_constant, "compare", types="integers", builds="compare:constant"),
    rule(strict_comparison, "compare", types="integers", builds="compare:constant"),
    rule(dot_of_identity, "dot", types="integers", within="constant", either="multiply:constant"),
    rule(movement_of_constant_tensor, "transpose", "reshape", "reverse", "slice"),
    rule(arithmetic_of_constant_tensor, "convert", "negate", "not", types="integers"),
    rule(value_without_elements, "slice", "concatenate", "dot", "transpose", "reverse"),
)  # fmt: skip
