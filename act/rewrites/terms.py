"""What rules have in common: building new e-nodes with inferred shapes, and asking what is known of a class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from act.backend.classes import ClassGraph, ENode, Scalar
from act.hlo.dtypes import integer_range, is_integer, wrap
from act.hlo.infer import infer
from act.hlo.model import Shape

Child = int | ENode
Proposals = Iterable[ENode | int]


def shape_of(graph: ClassGraph, child: Child) -> Shape:
    return child.shape if isinstance(child, ENode) else graph.shape(child)


def term(graph: ClassGraph, opcode: str, *children: Child, to: Shape | None = None, **attributes: Any) -> ENode:
    """opcode(children).  `to` is the type of the result where operands do not decide it (broadcast, reshape, convert, dot's element
    type); a rule that builds an ill-typed term fails here."""
    operands = tuple(shape_of(graph, child) for child in children)
    if opcode == "sum" and len(children) > 1:
        return ENode(opcode, (), operands[0], children)
    shape = infer(opcode, operands, attributes, to or operands[0])
    if to is not None and shape.dims != to.dims and opcode not in ("dot", "reduce"):
        raise AssertionError(f"{opcode} gives {shape}, not {to}")
    return ENode(opcode, tuple(sorted(attributes.items())), shape, children)


def scalar(value: Scalar | None, dtype: str) -> ENode:
    assert value is not None
    return ENode("constant", (("value", value),), Shape(dtype))


def splat(value: Scalar, shape: Shape) -> ENode:
    """A tensor with one value everywhere."""
    one = scalar(value, shape.dtype)
    return ENode("broadcast", (("dimensions", ()),), shape, (one,)) if shape.dims else one


def cut(graph: ClassGraph, child: Child, edges: Mapping[int, tuple[int, int]]) -> ENode:
    """Without (first, last) elements at the edges of some dimensions."""
    dims = shape_of(graph, child).dims
    start = tuple(edges.get(axis, (0, 0))[0] for axis in range(len(dims)))
    limit = tuple(size - edges.get(axis, (0, 0))[1] for axis, size in enumerate(dims))
    return term(graph, "slice", child, start=start, limit=limit, stride=(1,) * len(dims))


def total(terms: Sequence[Child], shape: Shape) -> Child:
    """The sum of any number of terms: 0 of none, the term itself of one."""
    if len(terms) < 2:
        return terms[0] if terms else splat(0, shape)
    return ENode("sum", (), shape, tuple(terms))


def reshape(graph: ClassGraph, child: Child, dims: tuple[int, ...]) -> Child:
    shape = shape_of(graph, child)
    return child if shape.dims == dims else term(graph, "reshape", child, to=Shape(shape.dtype, dims))


def transpose(graph: ClassGraph, child: Child, order: tuple[int, ...]) -> Child:
    return child if order == tuple(range(len(order))) else term(graph, "transpose", child, dimensions=order)


def is_whole(dtype: str) -> bool:
    """Integers, for which arithmetic is a ring modulo 2**width; not pred, not floats."""
    return is_integer(dtype)


def is_value(graph: ClassGraph, child: int, value: int) -> bool:
    """Every element is `value`, wrapped to its integer type."""
    found, dtype = graph.splats.get(child), graph.shape(child).dtype
    return found is not None and is_whole(dtype) and found == wrap(dtype, value)


def keeps_values(source: str, target: str) -> bool:
    """`convert` from integer type `source` to `target` changes no value."""
    if not (is_whole(source) and is_whole(target)):
        return False
    (low, high), (least, most) = integer_range(source), integer_range(target)
    return least <= low and high <= most
