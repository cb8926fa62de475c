"""Transposes of computed values go behind the arithmetic on them, so that what is computed is computed in its own order and turned once.

Convolutions give their features last, and take their input in the order in which it is computed.

Before --> after:  `clamp(l, add(transpose(x), broadcast(b), dimensions={1}), h)` --> `transpose(clamp(l, add(x, broadcast(b), dimensions={3}), h))`
"""

from __future__ import annotations

from collections.abc import Sequence

from act.backend.analysis import integral, type_of
from act.backend.reductions import Rewriting
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.opcodes import ELEMENTWISE
from act.records import replace

PRODUCTS = frozenset(["dot", "convolution"])


def transposes_after_arithmetic(computation: Computation) -> Computation:
    """Every elementwise operator on a transposed product, and on what is known to be as easily read in the other order."""
    state, products = Rewriting(), set[str]()
    for each in computation:
        found = _changed(state, products, each) if each.opcode != "tuple" and integral(type_of(each).dtype) else None
        state.values[each.name] = each if found is None else found
        if each.opcode in PRODUCTS or (each.opcode in ELEMENTWISE and not products.isdisjoint(each.operands)):
            products.add(each.name)
        if each.opcode == "transpose" and each.operands[0] in products:
            products.add(each.name)
    return replace(computation, instructions=tuple(state.values.values()))


def _changed(state: Rewriting, products: set[str], each: Instruction) -> Instruction | None:
    match each.opcode:
        case "convolution":
            return _features_last(state, products, each)
        case "transpose" if each.operands[0] in products:
            return _composed(state, each)
        case opcode if opcode in ELEMENTWISE:
            return _behind(state, products, each)
    return None


def _features_last(state: Rewriting, products: set[str], each: Instruction) -> Instruction | None:
    given, shape, (source, weights) = dict(each.attributes), type_of(each), each.operands
    if source in products and state.values[source].opcode == "transpose":
        order, (source,) = state.values[source].attributes["dimensions"], state.values[source].operands
        given["lhs_dims"] = tuple(order[axis] for axis in given["lhs_dims"])
    usual = (0, shape.rank - 1, *range(1, shape.rank - 1))
    if given["out_dims"] == usual:
        return replace(each, operands=(source, weights), attributes=given)
    dimensions = tuple(usual[given["out_dims"].index(axis)] for axis in range(shape.rank))
    given["out_dims"] = usual
    dims = tuple(shape.dims[dimensions.index(axis)] for axis in range(shape.rank))
    inner = state.add(each, "unturned", Shape(shape.dtype, dims), "convolution", (source, weights), **given)
    products.update((inner, each.name))
    return Instruction(each.name, shape, "transpose", (inner,), {"dimensions": dimensions}, each.line)


def _composed(state: Rewriting, each: Instruction) -> Instruction | None:
    """One transpose for two; where they undo each other, what was turned."""
    inner, order = state.values[each.operands[0]], each.attributes["dimensions"]
    if inner.opcode != "transpose":
        return None
    both = tuple(inner.attributes["dimensions"][axis] for axis in order)
    if both == tuple(range(len(both))):
        return Instruction(each.name, type_of(each), "reshape", inner.operands, {}, each.line)
    return replace(each, operands=inner.operands, attributes={"dimensions": both})


def _behind(state: Rewriting, products: set[str], each: Instruction) -> Instruction | None:
    shape = type_of(each)
    turned = [state.values[name] for name in each.operands if name in products and state.values[name].opcode == "transpose"]
    if not turned:
        return None
    order = turned[0].attributes["dimensions"]
    if not all(_can_turn(state, products, name, order) for name in each.operands):
        return None
    dims = tuple(shape.dims[order.index(axis)] for axis in range(shape.rank))
    operands = tuple(_turned(state, each, name, order) for name in each.operands)
    inner = state.add(each, "unturned", Shape(shape.dtype, dims), each.opcode, operands, **each.attributes)
    products.add(inner)
    return Instruction(each.name, shape, "transpose", (inner,), {"dimensions": order}, each.line)


def _can_turn(state: Rewriting, products: set[str], name: str, order: Sequence[int]) -> bool:
    value = state.values[name]
    if value.opcode == "transpose" and name in products:
        return value.attributes["dimensions"] == order
    return not type_of(value).dims or name not in products


def _turned(state: Rewriting, each: Instruction, name: str, order: Sequence[int]) -> str:
    """The value whose transpose by `order` is `name`."""
    value, shape = state.values[name], type_of(state.values[name])
    if not shape.dims:
        return name
    if value.opcode == "transpose" and value.attributes["dimensions"] == order:
        return value.operands[0]
    dims = tuple(shape.dims[order.index(axis)] for axis in range(shape.rank))
    if value.opcode == "broadcast":
        return _spread(state, value, dims, tuple(order[axis] for axis in value.attributes["dimensions"]))
    inverse = tuple(order.index(axis) for axis in range(shape.rank))
    return state.add(each, "turned", Shape(shape.dtype, dims), "transpose", (name,), dimensions=inverse)


def _spread(state: Rewriting, value: Instruction, dims: tuple[int, ...], dimensions: tuple[int, ...]) -> str:
    """A broadcast along other dimensions, whose order in the operand is that in the result."""
    (source,), sorted_dimensions = value.operands, tuple(sorted(dimensions))
    if sorted_dimensions != dimensions:
        kind = type_of(state.values[source])
        places = tuple(dimensions.index(axis) for axis in sorted_dimensions)
        source = state.add(value, "source", Shape(kind.dtype, tuple(kind.dims[place] for place in places)), "transpose", (source,), dimensions=places)
    return state.add(value, "spread", Shape(type_of(value).dtype, dims), "broadcast", (source,), dimensions=sorted_dimensions)
