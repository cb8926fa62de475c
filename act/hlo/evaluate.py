"""What an HLO module computes, in numpy: the reference that compiled programs are compared with.

Bit-exact for integers of every width, for data movement and for the float operations that IEEE 754 fixes; sums of floats are in no
particular order, and elementwise.py says how far other functions are from the true value.  A computation is turned once into a list of
functions, so that running it again costs only the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from act.hlo import elementwise, movement, products
from act.hlo.arrays import Array, as_array, bitcast, convert, numpy_dtype, reduce_precision
from act.hlo.model import Computation, Instruction, Module, Shape
from act.hlo.opcodes import BINARY, CALLS, SAME, UNARY

Tensor = Any  # an array, or a tuple of tensors
Function = Callable[..., Tensor]


def evaluate(module: Module, arguments: Sequence[Any]) -> Tensor:
    """The entry's value for one array per parameter, in order; ValueError when their number, shapes or ranges do not fit."""
    parameters = module.main.parameters
    if len(parameters) != len(arguments):
        raise ValueError(f"expected {len(parameters)} arguments, found {len(arguments)}")
    arrays = [as_array(value, each.shape) for value, each in zip(arguments, parameters, strict=True) if isinstance(each.shape, Shape)]
    return kernel(module.main, module.computations)(*arrays)


def kernel(computation: Computation, computations: Mapping[str, Computation] | None = None) -> Function:
    """A function of the parameters, as arrays of `arrays.numpy_dtype`; all dimensions and attributes must be integers."""
    slots = {instruction.name: index for index, instruction in enumerate(computation)}
    shapes = {instruction.name: instruction.shape for instruction in computation}
    numbers = {instruction.name: instruction.attributes["number"] for instruction in computation.parameters}
    inputs = [(slots[name], number) for name, number in numbers.items()]
    constants, steps = [], []
    for each in computation:
        if each.name in numbers:
            continue
        function = _function(each, [shapes[operand] for operand in each.operands], computations or {})
        if each.operands:
            steps.append((slots[each.name], function, tuple(slots[operand] for operand in each.operands)))
        else:
            constants.append((slots[each.name], function()))
    root, size = slots[computation.root], len(slots)

    def run(*arguments: Tensor) -> Tensor:
        values: list[Tensor] = [None] * size
        for slot, value in constants:
            values[slot] = value
        for slot, number in inputs:
            values[slot] = arguments[number]
        for slot, function, operands in steps:
            values[slot] = function(*[values[operand] for operand in operands])
        return values[root]

    return run


def _function(each: Instruction, operands: list[Any], computations: Mapping[str, Computation]) -> Function:
    opcode, shape, given = each.opcode, each.shape, each.attributes
    if opcode in CALLS:
        inner = kernel(computations[given["to_apply"]], computations)
        return inner if operands else lambda: inner()
    if opcode == "tuple":
        return lambda *parts: parts
    if opcode == "get-tuple-element":
        return lambda parts: parts[given["index"]]
    if opcode in SAME:
        return lambda value: value
    assert isinstance(shape, Shape)
    if opcode in UNARY:
        return elementwise.unary(opcode, operands[0].dtype)
    if opcode in BINARY:
        return elementwise.binary(opcode, shape.dtype)
    return _structural(each, shape, operands)


def _structural(each: Instruction, shape: Shape, operands: list[Shape]) -> Function:
    given = each.attributes
    match each.opcode:
        case "constant":
            return lambda: constant(given["value"], shape)
        case "iota":
            return lambda: movement.iota(shape, given["dimension"])
        case "convert":
            return lambda array: convert(array, operands[0].dtype, shape.dtype)
        case "bitcast-convert":
            return lambda array: bitcast(array, operands[0].dtype, shape.dtype, shape.dims)
        case "reduce-precision":
            return lambda array: reduce_precision(array, given["exponent_bits"], given["mantissa_bits"])
        case "reshape":
            return lambda array: array.reshape(shape.dims)
        case "broadcast":
            return movement.broadcast(shape.dims, given["dimensions"])
        case "transpose":
            return lambda array: array.transpose(given["dimensions"])
        case "reverse":
            return movement.reverse(shape.rank, given["dimensions"])
        case "slice":
            return movement.slice_function(given)
        case "pad":
            return movement.pad(shape, given)
        case "concatenate":
            return lambda *arrays: np.concatenate(arrays, axis=given["dimension"])
        case "dot":
            return products.dot(each, *operands)
        case "convolution":
            return products.convolution(each, *operands)
        case "reduce":
            return products.reduce(each, operands[0])
        case "reduce-window":
            return products.reduce_window(each, operands[0])
        case "dynamic-slice":
            return movement.dynamic_slice(shape)
        case "dynamic-update-slice":
            return movement.dynamic_update_slice
        case "compare":
            return elementwise.compare(given["direction"], operands[0].dtype, "order" in given)
        case "select":
            return lambda condition, then, otherwise: np.where(condition, then, otherwise)
        case "clamp":
            return lambda low, value, high: np.minimum(np.maximum(low, value), high)
    raise NotImplementedError(each.opcode)


def constant(value: Any, shape: Shape) -> Array:
    """The array of a constant's nested tuples."""
    if not shape.dims:
        return np.asarray(value, dtype=numpy_dtype(shape.dtype))
    array = np.asarray(value, dtype=numpy_dtype(shape.dtype))
    return convert(array.reshape(shape.dims), "f32", "bf16") if shape.dtype == "bf16" else array.reshape(shape.dims)
