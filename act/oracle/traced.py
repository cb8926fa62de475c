"""Bodies of instructions -> functions of JAX arrays with the same bits as act.hlo gives in numpy.

Integers and predicates are computed, anything may be moved.  What a float operator gives depends on the order of sums and on the library of
functions, so there is none of them here: a body with one is executed in numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from act.hlo.arrays import convert, fills_container, numpy_dtype
from act.hlo.dtypes import is_float, is_signed, width
from act.hlo.evaluate import constant
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.movement import iota
from act.hlo.opcodes import SAME

Function = Callable[..., Any]

_BINARY: dict[str, Function] = {
    "add": jnp.add, "subtract": jnp.subtract, "multiply": jnp.multiply, "maximum": jnp.maximum, "minimum": jnp.minimum,
    "and": jnp.bitwise_and, "or": jnp.bitwise_or, "xor": jnp.bitwise_xor,
}  # fmt: skip
_UNARY: dict[str, Function] = {"negate": jnp.negative, "not": jnp.bitwise_not, "abs": jnp.abs}
_COMPARE: dict[str, Function] = {
    "EQ": jnp.equal, "NE": jnp.not_equal, "LT": jnp.less, "LE": jnp.less_equal, "GT": jnp.greater, "GE": jnp.greater_equal
}  # fmt: skip
_REDUCE: dict[str, Function] = {"add": jnp.add, "maximum": jnp.maximum, "minimum": jnp.minimum, "and": jnp.bitwise_and, "or": jnp.bitwise_or}


def traced(computation: Computation) -> Function | None:
    """The function of the parameters in their order, which gives a tuple; None where an operator is not here."""
    shapes = {each.name: each.shape for each in computation}
    steps = []
    for each in computation:
        if each.opcode != "parameter":
            function = _function(each, [shapes[operand] for operand in each.operands])
            if function is None:
                return None
            steps.append((each.name, function, each.operands))
    numbers = [(each.name, each.attributes["number"]) for each in computation.parameters]

    def run(*arguments: Any) -> Any:
        values = {name: arguments[number] for name, number in numbers}
        for name, function, operands in steps:
            values[name] = function(*[values[operand] for operand in operands])
        return values[computation.root]

    return run


def _function(each: Instruction, operands: list[Any]) -> Function | None:
    shape, opcode, given = each.shape, each.opcode, each.attributes
    if opcode == "tuple":
        return lambda *parts: parts
    if opcode in SAME:
        return lambda value: value
    if not isinstance(shape, Shape) or not all(isinstance(operand, Shape) for operand in operands):
        return None
    moved = _movement(each, shape)
    if moved is not None:
        return moved
    if any(is_float(kind.dtype) for kind in (shape, *operands)):
        return None
    match opcode:
        case "convert":
            return _convert(operands[0].dtype, shape.dtype)
        case "bitcast-convert":
            whole = all(fills_container(kind.dtype) for kind in (shape, operands[0]))
            return (lambda array: jax.lax.bitcast_convert_type(array, numpy_dtype(shape.dtype))) if whole else None
        case "compare":
            return _COMPARE[given["direction"]]
        case "select":
            return jnp.where
        case "clamp":
            return lambda low, value, high: jnp.minimum(jnp.maximum(low, value), high)
        case "dot":
            return _dot(each, shape, operands)
        case "reduce" if given["kind"] in _REDUCE and shape.dtype != "pred":
            return _reduce(given["kind"], given["dimensions"], shape.dtype)
    plain = (_BINARY | _UNARY).get(opcode)
    if plain is None or (shape.dtype == "pred" and opcode not in ("and", "or", "xor", "not")):
        return None
    return lambda *arrays: _wrapped(plain(*arrays), shape.dtype)


def _movement(each: Instruction, shape: Shape) -> Function | None:
    given = each.attributes
    match each.opcode:
        case "constant":
            value = constant(given["value"], shape)
            return lambda: jnp.asarray(value)
        case "iota":
            counts = np.ascontiguousarray(iota(shape, given["dimension"]))
            return lambda: jnp.asarray(counts)
        case "reshape":
            return lambda array: array.reshape(shape.dims)
        case "broadcast":
            return _broadcast(shape.dims, given["dimensions"])
        case "transpose":
            return lambda array: array.transpose(given["dimensions"])
        case "reverse":
            return lambda array: jnp.flip(array, given["dimensions"])
        case "slice":
            return lambda array: jax.lax.slice(array, given["start"], given["limit"], given["stride"])
        case "concatenate":
            return lambda *arrays: jnp.concatenate(arrays, axis=given["dimension"])
        case "pad":
            edges = list(zip(given["low"], given["high"], given["interior"], strict=True))
            return lambda array, value: jax.lax.pad(array, value, edges)
    return None


def _broadcast(dims: tuple[int, ...], dimensions: tuple[int, ...]) -> Function:
    def run(array: Any) -> Any:
        order = sorted(range(len(dimensions)), key=dimensions.__getitem__)
        spread = [1] * len(dims)
        for axis in order:
            spread[dimensions[axis]] = array.shape[axis]
        return jnp.broadcast_to(array.transpose(order).reshape(spread), dims)

    return run


def _wrapped(array: Any, dtype: str) -> Any:
    """Modulo 2**width, for types that do not fill their numpy type."""
    if dtype == "pred" or fills_container(dtype):
        return array
    spare = array.dtype.type(8 * array.dtype.itemsize - width(dtype))
    return (array << spare) >> spare


def _convert(source: str, target: str) -> Function:
    if target == "pred":
        return lambda array: array != 0
    return lambda array: _wrapped(array.astype(numpy_dtype(target)), target)


def _dot(each: Instruction, shape: Shape, operands: list[Shape]) -> Function | None:
    if shape.dtype == "pred" or any(operand.dtype == "pred" for operand in operands):
        return None
    given, first = each.attributes, [_convert(operand.dtype, shape.dtype) for operand in operands]
    numbers = (
        (given["lhs_contracting_dims"], given["rhs_contracting_dims"]),
        (given["lhs_batch_dims"], given["rhs_batch_dims"]),
    )
    return lambda a, b: _wrapped(jax.lax.dot_general(first[0](a), first[1](b), numbers), shape.dtype)


def _reduce(kind: str, axes: tuple[int, ...], dtype: str) -> Function:
    function, bits = _REDUCE[kind], width(dtype)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(dtype) else (0, (1 << bits) - 1)
    neutral = {"add": 0, "or": 0, "maximum": low, "minimum": high, "and": -1 if is_signed(dtype) else high}[kind]
    start = convert(np.asarray(neutral), "s64" if is_signed(dtype) else "u64", dtype)

    def run(array: Any, initial: Any) -> Any:
        if not prod(array.shape):
            return jnp.broadcast_to(initial, [size for axis, size in enumerate(array.shape) if axis not in axes])
        total = jax.lax.reduce(array, jnp.asarray(start, array.dtype), function, axes)
        return _wrapped(function(total, initial), dtype)

    return run
