"""Operators that an accelerator lacks, written with others; each rule is only used where the operator is missing.

What could wrap is only rewritten where the known ranges show that it does not, or where both sides wrap alike.

Before --> after:  `maximum(x, y)` --> `sum(y, maximum(sum(x, -y), 0))`,  `reverse(x)` --> `dot(J, x)` with a matrix of ones and zeros
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import integer_range, is_signed, width, wrap
from act.hlo.model import Shape
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.pattern import identity
from act.rewrites.reduce import MOST_UNROLLED, combined
from act.rewrites.terms import Child, Proposals, is_whole, reshape, scalar, splat, term

rule = rewriter("lowering")
LARGEST = 64
"""Rows and columns of the largest matrix that is made to move data by a product."""

PLAIN = {"lhs_contracting_dims": (1,), "rhs_contracting_dims": (0,), "lhs_batch_dims": (), "rhs_batch_dims": ()}

_IDENTITIES = (
    ("negate_by_subtract", "negate", "integers", "negate(x) = subtract(0, x)"),
    ("negate_by_multiply", "negate", "integers", "negate(x) = multiply(x, ONES)"),
    ("negate_by_not", "negate", "integers", "negate(x) = sum(not(x), 1)"),
    ("sum_by_subtract", "negate:sum", "integers", "sum(x, negate(y)) = subtract(x, y)"),
    ("not_by_negate", "not", "integers", "not(x) = sum(negate(x), ONES)"),
    ("not_by_xor", "not", "bits", "not(x) = xor(x, ONES)"),
    ("sign_by_clamp", "sign", "signed", "sign(x) = clamp(-1, x, 1)"),
    ("clamp_by_limits", "clamp", "integers", "clamp(x, y, z) = minimum(maximum(x, y), z)"),
    ("remainder_by_divide", "remainder", "integers", "remainder(x, y) = subtract(x, multiply(divide(x, y), y))"),
    ("select_by_multiply", "select", "integers", "select(p, x, y) = sum(y, multiply(convert(p), subtract(x, y)))"),
    ("select_of_predicates", "select:pred", "pred", "select(p, x, y) = or(and(p, x), and(not(p), y))"),
    ("maximum_by_select", "maximum", "integers", "maximum(x, y) = select(compare.GT(x, y), x, y)"),
    ("minimum_by_select", "minimum", "integers", "minimum(x, y) = select(compare.LT(x, y), x, y)"),
    ("minimum_by_maximum", "minimum", "integers", "minimum(x, y) = not(maximum(not(x), not(y)))"),
    ("maximum_by_minimum", "maximum", "integers", "maximum(x, y) = not(minimum(not(x), not(y)))"),
    ("and_by_minimum", "and:pred", "pred", "and(x, y) = minimum(x, y)"),
    ("or_by_maximum", "or:pred", "pred", "or(x, y) = maximum(x, y)"),
    ("and_by_or", "and", "bits", "and(x, y) = not(or(not(x), not(y)))"),
    ("or_by_and", "or", "bits", "or(x, y) = not(and(not(x), not(y)))"),
    ("xor_by_and_and_or", "xor", "bits", "xor(x, y) = and(or(x, y), not(and(x, y)))"),
    ("xor_by_sum", "xor", "integers", "xor(x, y) = subtract(or(x, y), and(x, y))"),
    ("abs_by_select", "abs", "signed", "abs(x) = select(compare.LT(x, 0), negate(x), x)"),
    ("subtract_by_add", "subtract", "floats", "subtract(x, y) = add(x, negate(y))"),
    ("double_by_sum", "multiply:constant", "integers", "multiply(x, 2) = sum(x, x)"),
    ("triple_by_sum", "multiply:constant", "integers", "multiply(x, 3) = sum(x, x, x)"),
)


def shift_left_by_multiply(graph: ClassGraph, node: ENode) -> Proposals:
    """x shifted left by a constant k = x * 2**k, modulo 2**width."""
    amount = graph.splats.get(node.children[1])
    if amount is not None and 0 <= amount < width(node.shape.dtype):
        yield term(graph, "multiply", node.children[0], splat(wrap(node.shape.dtype, 1 << amount), node.shape))


def multiply_by_shift(graph: ClassGraph, node: ENode) -> Proposals:
    """x * 2**k = x shifted left by k > 0, modulo 2**width."""
    for value, constant in (node.children, node.children[::-1]):
        factor, dtype = graph.splats.get(constant), node.shape.dtype
        unsigned = int(factor) % (1 << width(dtype)) if factor is not None and is_whole(dtype) else 0
        if unsigned > 1 and unsigned & unsigned - 1 == 0 and unsigned.bit_length() - 1 <= integer_range(dtype)[1]:
            yield term(graph, "shift-left", value, splat(unsigned.bit_length() - 1, node.shape))


def _difference(graph: ClassGraph, one: int, other: int, shape: Shape) -> ENode | None:
    """one - other as a sum, where the ranges show that it does not wrap."""
    a, b = graph.ranges.get(one), graph.ranges.get(other)
    if a is None or b is None or not is_whole(shape.dtype) or one in graph.splats or other in graph.splats or one == other:
        return None
    low, high = integer_range(shape.dtype)
    exact = low <= a[0] - b[1] and a[1] - b[0] <= high
    return term(graph, "sum", one, term(graph, "negate", other)) if exact else None


def maximum_by_relu(graph: ClassGraph, node: ENode) -> Proposals:
    """max(x, y) = y + max(x - y, 0), where x - y does not wrap, for integers neither of which is constant."""
    first, second = node.children
    difference = _difference(graph, first, second, node.shape)
    if difference is not None:
        yield term(graph, "sum", second, term(graph, "maximum", difference, splat(0, node.shape)))


def minimum_by_relu(graph: ClassGraph, node: ENode) -> Proposals:
    """min(x, y) = x - max(x - y, 0), where x - y does not wrap, for integers neither of which is constant."""
    first, second = node.children
    difference = _difference(graph, first, second, node.shape)
    if difference is not None:
        yield term(graph, "sum", first, term(graph, "negate", term(graph, "maximum", difference, splat(0, node.shape))))


def abs_by_relu(graph: ClassGraph, node: ENode) -> Proposals:
    """abs(x) = max(x, 0) + max(-x, 0), where x is never the least value, for signed integers."""
    found, dtype = graph.ranges.get(node.children[0]), node.shape.dtype
    if is_whole(dtype) and is_signed(dtype) and found is not None and found[0] > integer_range(dtype)[0]:
        sides = (node.children[0], term(graph, "negate", node.children[0]))
        yield term(graph, "sum", *(term(graph, "maximum", side, splat(0, node.shape)) for side in sides))


def _matrix(rows: list[list[int]], dtype: str) -> ENode:
    value, dims = tuple(map(tuple, rows)), (len(rows), len(rows[0]))
    values = {each for row in value for each in row}
    if len(values) == 1:
        return splat(values.pop(), Shape(dtype, dims))
    return ENode("constant", (("value", value),), Shape(dtype, dims))


def _exchange(size: int, dtype: str) -> ENode:
    """Ones on the other diagonal."""
    return _matrix([[int(row + column == size - 1) for column in range(size)] for row in range(size)], dtype)


def reverse_by_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """reverse(x, rows) = dot(J, x), reverse(x, columns) = dot(x, J), for matrices of integers; a product with one 1 in each sum is exact."""
    if not is_whole(node.shape.dtype) or node.shape.rank != 2 or max(node.shape.dims) > LARGEST or 0 in node.shape.dims or one_bit(node):
        return
    value: Child = node.children[0]
    for axis in node.attribute("dimensions"):
        exchange = _exchange(node.shape.dims[axis], node.shape.dtype)
        value = term(graph, "dot", *((exchange, value) if axis == 0 else (value, exchange)), to=node.shape, **PLAIN)
    yield value


def one_bit(node: ENode) -> bool:
    """A signed type of one bit has no 1."""
    return wrap(node.shape.dtype, 1) != 1


def broadcast_by_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """Repeating a vector as rows is the product of a column of ones with it, as columns that of it with a row of ones, for integers."""
    (source,), dimensions = (graph.shape(child) for child in node.children), node.attribute("dimensions")
    plain = source.rank == 1 and node.shape.rank == 2 and node.shape.dims[dimensions[0]] == source.dims[0]
    if not plain or not is_whole(source.dtype) or node.children[0] in graph.splats or 0 in node.shape.dims or one_bit(node):
        return
    rows, columns = node.shape.dims
    if dimensions == (1,):
        operands: tuple[Child, Child] = (splat(1, Shape(source.dtype, (rows, 1))), reshape(graph, node.children[0], (1, columns)))
    else:
        operands = (reshape(graph, node.children[0], (rows, 1)), splat(1, Shape(source.dtype, (1, columns))))
    yield term(graph, "dot", *operands, to=node.shape, **PLAIN)


def reduce_by_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """reduce(x, i), add = i + dot(x, ones) over the reduced dimensions, for integers, modulo 2**width."""
    dtype, dims, axes = node.shape.dtype, graph.shape(node.children[0]).dims, node.attribute("dimensions")
    if node.attribute("kind") != "add" or not is_whole(dtype) or not axes or one_bit(node):
        return
    ones = splat(1, Shape(dtype, tuple(dims[axis] for axis in axes)))
    given = {"lhs_contracting_dims": axes, "rhs_contracting_dims": tuple(range(len(axes))), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    total = term(graph, "dot", node.children[0], ones, to=node.shape, **given)
    initial = node.children[1]
    if graph.splats.get(initial) == 0:
        yield total
        return
    yield term(graph, "sum", total, term(graph, "broadcast", initial, to=node.shape, dimensions=()) if node.shape.dims else initial)


def reduce_by_operators(graph: ClassGraph, node: ENode) -> Proposals:
    """A reduction over one short dimension is f(f(i, x0), x1).. of its slices, in this order, for every element type."""
    dims, axes = graph.shape(node.children[0]).dims, node.attribute("dimensions")
    if len(axes) != 1 or not 2 <= dims[axes[0]] <= MOST_UNROLLED:
        return
    start = term(graph, "broadcast", node.children[1], to=node.shape, dimensions=()) if node.shape.dims else node.children[1]
    parts: list[Child] = [start]
    for index in range(dims[axes[0]]):
        bounds = [(index, index + 1) if axis == axes[0] else (0, size) for axis, size in enumerate(dims)]
        low, high = (tuple(bound[side] for bound in bounds) for side in (0, 1))
        parts.append(reshape(graph, term(graph, "slice", node.children[0], start=low, limit=high, stride=(1,) * len(dims)), node.shape.dims))
    yield combined(graph, node.attribute("kind"), *parts)


def multiply_of_matrix_by_dot(graph: ClassGraph, node: ENode) -> Proposals:
    """x * broadcast(v) along the columns of a matrix = dot(x, diagonal v) for a constant vector v, for integers."""
    if not is_whole(node.shape.dtype) or node.shape.rank != 2 or node.shape.dims[1] > LARGEST:
        return
    for value, other in (node.children, node.children[::-1]):
        for spread in graph.nodes(other, "broadcast"):
            for constant in graph.nodes(spread.children[0], "constant") if spread.attribute("dimensions") == (1,) else ():
                vector = constant.attribute("value")
                if isinstance(vector, tuple) and len(vector) == node.shape.dims[1]:
                    rows = [[number if row == column else 0 for column in range(len(vector))] for row, number in enumerate(vector)]
                    yield term(graph, "dot", value, _matrix(rows, node.shape.dtype), to=node.shape, **PLAIN)


def convert_of_predicate(graph: ClassGraph, node: ENode) -> Proposals:
    """convert(p) = select(p, 1, 0), for every type that has 1."""
    if graph.shape(node.children[0]).dtype == "pred" and is_whole(node.shape.dtype) and not one_bit(node):
        yield term(graph, "select", node.children[0], splat(1, node.shape), splat(0, node.shape))


def convert_to_predicate(graph: ClassGraph, node: ENode) -> Proposals:
    """convert<pred>(x) is x != 0, for integers."""
    source = graph.shape(node.children[0])
    if node.shape.dtype == "pred" and is_whole(source.dtype):
        zero = splat(0, source) if source.dims else scalar(0, source.dtype)
        yield term(graph, "compare", node.children[0], zero, direction="NE")


RULES: tuple[Rewrite, ...] = (
    *(identity("lowering", name, types, equation, replaces) for name, replaces, types, equation in _IDENTITIES),
    rule(shift_left_by_multiply, "shift-left", types="integers", builds="multiply:constant", replaces="shift-left:constant"),
    rule(multiply_by_shift, "multiply", types="integers", builds="shift-left:constant", replaces="multiply:constant"),
    rule(maximum_by_relu, "maximum", types="integers", builds="sum negate maximum:constant", replaces="maximum"),
    rule(minimum_by_relu, "minimum", types="integers", builds="sum negate maximum:constant", replaces="minimum"),
    rule(abs_by_relu, "abs", types="signed", builds="sum negate maximum:constant", replaces="abs"),
    rule(reverse_by_dot, "reverse", types="integers", builds="dot", replaces="reverse"),
    rule(broadcast_by_dot, "broadcast", types="integers", builds="dot", replaces="broadcast"),
    rule(reduce_by_dot, "reduce", types="integers", builds="dot sum", replaces="reduce"),
    rule(reduce_by_operators, "reduce", builds="slice", either="sum add multiply maximum minimum and or xor", replaces="reduce"),
    rule(multiply_of_matrix_by_dot, "multiply", types="integers", within="constant", builds="dot", replaces="multiply:vector"),
    rule(convert_of_predicate, "convert", types="pred", builds="select", replaces="convert:pred"),
    rule(convert_to_predicate, "convert", types="integers", builds="compare", replaces="convert:pred"),
)
