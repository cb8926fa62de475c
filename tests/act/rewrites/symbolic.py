"""HLO computations over Z3 terms: integers are bit-vectors, predicates Booleans, tensors numpy arrays of these objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold
from itertools import product
from typing import Any

import numpy as np
import z3

from act.hlo import Computation, Instruction, Shape, movement
from act.hlo.dtypes import is_float, is_signed, width


class NotExpressible(Exception):
    """Floats, and operators that no rule for integers has."""


def equal(left: Computation, right: Computation, rlimit: int = 2_000_000) -> bool | None:
    """Whether two computations of the same parameters are equal for all inputs; None when Z3 gives up within `rlimit`."""
    inputs = [_symbols(each) for each in left.parameters]
    pairs = zip(evaluate(left, inputs).flat, evaluate(right, inputs).flat, strict=True)
    solver = z3.Solver()
    solver.set("rlimit", rlimit)
    solver.add(z3.Or([a != b for a, b in pairs]))
    answer = solver.check()
    return None if answer == z3.unknown else answer == z3.unsat


def _symbols(parameter: Instruction) -> np.ndarray:
    shape, number = parameter.shape, parameter.attributes["number"]
    assert isinstance(shape, Shape)
    array = np.empty(shape.dims, dtype=object)
    for index in np.ndindex(*shape.dims):
        name = f"p{number}_{'_'.join(map(str, index))}"
        array[index] = z3.Bool(name) if shape.dtype == "pred" else z3.BitVec(name, _width(shape.dtype))
    return array


def _width(dtype: str) -> int:
    if is_float(dtype):
        raise NotExpressible(dtype)
    return width(dtype)


def evaluate(kernel: Computation, inputs: Sequence[np.ndarray]) -> np.ndarray:
    values: dict[str, np.ndarray] = {}
    for each in kernel:
        if each.opcode == "parameter":
            values[each.name] = inputs[each.attributes["number"]]
        else:
            sources = [kernel[operand].shape for operand in each.operands]
            values[each.name] = _apply(each, sources, [values[operand] for operand in each.operands])
    return values[kernel.root]


def _apply(each: Instruction, sources: list[Any], operands: list[np.ndarray]) -> np.ndarray:
    shape, given = each.shape, each.attributes
    assert isinstance(shape, Shape)
    match each.opcode:
        case "constant":
            return _constant(given["value"], shape)
        case "broadcast":
            return movement.broadcast(shape.dims, given["dimensions"])(*operands)
        case "transpose":
            return operands[0].transpose(given["dimensions"])
        case "reshape":
            return operands[0].reshape(shape.dims)
        case "reverse":
            return movement.reverse(shape.rank, given["dimensions"])(*operands)
        case "slice":
            return movement.slice_function(given)(*operands)
        case "pad":
            return movement.pad(shape, given)(operands[0], operands[1].item())
        case "concatenate":
            return np.concatenate(operands, axis=given["dimension"])
        case "dot":
            return _dot(each, sources, operands)
        case "reduce" if given["kind"] == "add":
            return _reduce_add(shape, given["dimensions"], *operands)
    return _elementwise(each, sources, operands)


def _constant(value: Any, shape: Shape) -> np.ndarray:
    array = np.empty(shape.dims, dtype=object)
    for index in np.ndindex(*shape.dims):
        item = fold(lambda inner, place: inner[place], index, value)
        array[index] = z3.BoolVal(item) if shape.dtype == "pred" else z3.BitVecVal(item, _width(shape.dtype))
    return array


def _extend(value: Any, source: str, target: str) -> Any:
    if source == "pred":
        return z3.If(value, z3.BitVecVal(1, _width(target)), z3.BitVecVal(0, _width(target)))
    if target == "pred":
        return value != 0
    old, new = _width(source), _width(target)
    if new <= old:
        return z3.Extract(new - 1, 0, value)
    return z3.SignExt(new - old, value) if is_signed(source) else z3.ZeroExt(new - old, value)


def _dot(each: Instruction, sources: list[Shape], operands: list[np.ndarray]) -> np.ndarray:
    shape, given = each.shape, each.attributes
    assert isinstance(shape, Shape)
    a, b = (_each(lambda value, source=source: _extend(value, source.dtype, shape.dtype), operand) for source, operand in zip(sources, operands, strict=True))
    sides = [(given[f"{side}_batch_dims"], given[f"{side}_contracting_dims"]) for side in ("lhs", "rhs")]
    free = [[axis for axis in range(source.rank) if axis not in (*batch, *summed)] for source, (batch, summed) in zip(sources, sides, strict=True)]
    result = np.empty(shape.dims, dtype=object)
    batches = len(sides[0][0])
    extents = [range(sources[0].dims[axis]) for axis in sides[0][1]]
    for index in np.ndindex(*shape.dims):
        rest = index[batches:]
        places = (index[:batches], rest[: len(free[0])]), (index[:batches], rest[len(free[0]) :])
        terms = []
        for summed in product(*extents):
            at = [
                dict(zip((*batch, *contracted, *free[side]), (*places[side][0], *summed, *places[side][1]), strict=True))
                for side, (batch, contracted) in enumerate(sides)
            ]
            terms.append(a[tuple(at[0][axis] for axis in range(a.ndim))] * b[tuple(at[1][axis] for axis in range(b.ndim))])
        result[index] = sum(terms, z3.BitVecVal(0, _width(shape.dtype)))
    return result


def _reduce_add(shape: Shape, axes: tuple[int, ...], operand: np.ndarray, initial: np.ndarray) -> np.ndarray:
    result = np.empty(shape.dims, dtype=object)
    kept = [axis for axis in range(operand.ndim) if axis not in axes]
    moved = operand.transpose(*kept, *axes)
    for index in np.ndindex(*shape.dims):
        result[index] = sum(np.asarray(moved[index], dtype=object).flat, initial.item())
    return result


def _each(function: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    """Elementwise; scalars stretch."""
    spread = np.broadcast_arrays(*arrays)
    result = np.empty(spread[0].shape, dtype=object)
    for index in np.ndindex(*result.shape):
        result[index] = function(*(array[index] for array in spread))
    return result


def _elementwise(each: Instruction, sources: list[Shape], operands: list[np.ndarray]) -> np.ndarray:
    shape = each.shape
    assert isinstance(shape, Shape)
    dtype = sources[-1].dtype
    if is_float(dtype) or is_float(shape.dtype):
        raise NotExpressible(dtype)
    if each.opcode in ("convert", "bitcast-convert"):
        if each.opcode == "bitcast-convert" and width(dtype) != width(shape.dtype):
            raise NotExpressible(each.opcode)
        return _each(lambda value: _extend(value, dtype, shape.dtype), *operands)
    table = _PRED if dtype == "pred" else {**_COMMON, **(_SIGNED if is_signed(dtype) else _UNSIGNED)}
    key = each.attributes.get("direction", each.opcode)
    if key not in table:
        raise NotExpressible(f"{key} on {dtype}")
    return _each(table[key], *operands)


def _limits(less: Callable[[Any, Any], Any]) -> dict[str, Callable[..., Any]]:
    def least(a: Any, b: Any) -> Any:
        return z3.If(less(a, b), a, b)

    def greatest(a: Any, b: Any) -> Any:
        return z3.If(less(a, b), b, a)

    return {
        "minimum": least,
        "maximum": greatest,
        "clamp": lambda low, value, high: least(greatest(low, value), high),
        "LT": less,
        "GT": lambda a, b: less(b, a),
        "LE": lambda a, b: z3.Not(less(b, a)),
        "GE": lambda a, b: z3.Not(less(a, b)),
    }


_COMMON: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "negate": lambda a: -a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "not": lambda a: ~a,
    "shift-left": lambda a, b: a << b,
    "shift-right-logical": z3.LShR,
    "shift-right-arithmetic": lambda a, b: a >> b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "select": z3.If,
}
_SIGNED = _limits(lambda a, b: a < b) | {"abs": lambda a: z3.If(a < 0, -a, a), "divide": lambda a, b: z3.If(b == 0, z3.BitVecVal(-1, a.size()), a / b)}
_SIGNED |= {"remainder": lambda a, b: z3.If(b == 0, a, z3.SRem(a, b)), "sign": lambda a: z3.If(a < 0, z3.BitVecVal(-1, a.size()), z3.If(a == 0, a, 1))}
_UNSIGNED = _limits(z3.ULT) | {"abs": lambda a: a, "divide": lambda a, b: z3.If(b == 0, z3.BitVecVal(-1, a.size()), z3.UDiv(a, b))}
_UNSIGNED |= {"remainder": lambda a, b: z3.If(b == 0, a, z3.URem(a, b)), "sign": lambda a: z3.If(a == 0, a, 1)}
_PRED: dict[str, Callable[..., Any]] = {
    "and": z3.And,
    "or": z3.Or,
    "xor": z3.Xor,
    "not": z3.Not,
    "select": z3.If,
    "maximum": z3.Or,
    "add": z3.Or,
    "minimum": z3.And,
    "multiply": z3.And,
    "EQ": lambda a, b: a == b,
    "NE": z3.Xor,
    "LT": lambda a, b: z3.And(z3.Not(a), b),
    "LE": z3.Implies,
    "GT": lambda a, b: z3.And(a, z3.Not(b)),
    "GE": lambda a, b: z3.Implies(b, a),
}
