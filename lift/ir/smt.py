"""A lifted function -> Z3 bit-vectors: the second definition of the operations in `operations`.

Arrays are Z3 arrays from 64-bit indices to words.  A loop with a constant trip count of at most 32 is unrolled; anything else raises NotTranslatable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import INDEX_WIDTH, PURE, constant_value, describe, width_of

MAX_TRIPS = 32
Z3 = Any  # a bit-vector or an array; Z3's own annotations are unions that no operator accepts


class NotTranslatable(Exception):
    """The function has no finite translation (a loop with a symbolic or a large trip count)."""


_ONE, _ZERO = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)  # made once: most of the time goes into making terms


def _bit(condition: Z3) -> Z3:
    return z3.If(condition, _ONE, _ZERO)


def _resize(a: Z3, bits: int) -> Z3:
    return z3.ZeroExt(bits - a.size(), a) if bits >= a.size() else z3.Extract(bits - 1, 0, a)


_COMPARE: tuple[Callable[[Z3, Z3], Z3], ...] = (
    lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b,
    z3.ULT, z3.ULE, z3.UGT, z3.UGE,
)  # fmt: skip

# name -> function of (attribute, result width, operands)
TRANSLATE: dict[str, Callable[[int, int, Sequence[Z3]], Z3]] = {
    "arith.constant": lambda k, w, v: z3.BitVecVal(k, w),
    "arith.addi": lambda k, w, v: v[0] + v[1],
    "arith.subi": lambda k, w, v: v[0] - v[1],
    "arith.muli": lambda k, w, v: v[0] * v[1],
    "arith.divui": lambda k, w, v: z3.UDiv(v[0], v[1]),
    "arith.divsi": lambda k, w, v: v[0] / v[1],
    "arith.remui": lambda k, w, v: z3.URem(v[0], v[1]),
    "arith.remsi": lambda k, w, v: z3.SRem(v[0], v[1]),
    "arith.andi": lambda k, w, v: v[0] & v[1],
    "arith.ori": lambda k, w, v: v[0] | v[1],
    "arith.xori": lambda k, w, v: v[0] ^ v[1],
    "arith.shli": lambda k, w, v: v[0] << v[1],
    "arith.shrui": lambda k, w, v: z3.LShR(v[0], v[1]),
    "arith.shrsi": lambda k, w, v: v[0] >> v[1],
    "arith.cmpi": lambda k, w, v: _bit(_COMPARE[k](v[0], v[1])),
    "arith.select": lambda k, w, v: z3.If(v[0] == _ONE, v[1], v[2]),
    "arith.extui": lambda k, w, v: z3.ZeroExt(w - v[0].size(), v[0]),
    "arith.extsi": lambda k, w, v: z3.SignExt(w - v[0].size(), v[0]),
    "arith.trunci": lambda k, w, v: z3.Extract(w - 1, 0, v[0]),
    "arith.index_castui": lambda k, w, v: _resize(v[0], w),
}


def fresh(value: SSAValue, name: str) -> Z3:
    """A free variable of the sort of `value`."""
    if isinstance(value.type, MemRefType):
        return z3.Array(name, z3.BitVecSort(INDEX_WIDTH), z3.BitVecSort(width_of(value.type.element_type)))
    return z3.BitVec(name, width_of(value.type))


def translate(function: func.FuncOp, arguments: Sequence[Z3]) -> tuple[tuple[Z3, ...], tuple[Z3, ...]]:
    """(results, arguments at return) of `function` on Z3 values: scalars are bit-vectors, arrays Z3 arrays.  A destination must be given its
    source's array.  Raises NotTranslatable."""
    block = function.body.block
    environment: dict[SSAValue, Z3] = dict(zip(block.args, arguments, strict=True))
    results = _run(block, environment)
    return results, tuple(environment[a] for a in block.args)


def _run(block: Block, environment: dict[SSAValue, Z3]) -> tuple[Z3, ...]:
    for op in block.ops:
        values = [environment[v] for v in op.operands]
        if op.name in PURE:
            name, attribute, bits = describe(op)
            environment[op.results[0]] = TRANSLATE[name](attribute, bits, values)  # type: ignore[arg-type]
        elif op.name in ("scf.yield", "func.return"):
            return tuple(values)
        else:
            environment.update(zip(op.results, _structured(op, values, environment), strict=True))
    raise AssertionError("a block without a terminator")


def _structured(op: Operation, values: list[Z3], environment: dict[SSAValue, Z3]) -> tuple[Z3, ...]:
    match op.name:
        case "memref.load":
            return (z3.Select(*values),)
        case "memref.store":
            environment[op.operands[1]] = z3.Store(values[1], values[2], values[0])
            return ()
        case "scf.if":
            return _branch(op, values[0], environment)
        case "scf.for":
            return _unroll(op, values[3:], environment)
    raise AssertionError(f"no translation of operation {op.name}")


def _branch(op: Operation, condition: Z3, environment: dict[SSAValue, Z3]) -> tuple[Z3, ...]:
    """Both sides, then every array and result is chosen by the condition."""
    sides = []
    for region in op.regions:
        inner = dict(environment)
        sides.append((_run(region.block, inner) if region.blocks else (), inner))
    (then, after_then), (other, after_other) = sides
    for value, before in list(environment.items()):
        a, b = after_then[value], after_other[value]
        if a is not before or b is not before:
            environment[value] = z3.If(condition == _ONE, a, b)
    return tuple(z3.If(condition == _ONE, a, b) for a, b in zip(then, other, strict=True))


def _unroll(op: Operation, carried: list[Z3], environment: dict[SSAValue, Z3]) -> tuple[Z3, ...]:
    low, high, step = (constant_value(v) for v in op.operands[:3])
    if low is None or high is None or step is None:
        raise NotTranslatable("a loop with a symbolic trip count")
    if len(range(low, high, step)) > MAX_TRIPS:
        raise NotTranslatable(f"a loop of {len(range(low, high, step))} iterations")
    body = op.regions[0].block
    for index in range(low, high, step):
        environment.update(zip(body.args, (z3.BitVecVal(index, INDEX_WIDTH), *carried), strict=True))
        carried = list(_run(body, environment))
    return tuple(carried)
