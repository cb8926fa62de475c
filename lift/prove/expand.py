"""A loop of constant trip count -> the value of its first result, its iterations written out one after another.

Only what the index makes constant is folded, and the identities that a loop needs at its first position (x >> 0, x + 0), so that a loop made from a
chain of operations expands to the same operations.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from lift.ir.evaluate import apply
from lift.ir.operations import COMMUTATIVE, INDEX_WIDTH, PURE, constant_value, describe, width, width_of
from lift.prove.cone import Expr, Value

_ZERO_IS_IDENTITY = frozenset("arith.addi arith.subi arith.ori arith.xori arith.shli arith.shrui arith.shrsi".split())


def number(value: int, bits: int) -> Expr:
    """A constant."""
    return Expr("arith.constant", value & ((1 << bits) - 1), bits)


def expand(loop: scf.ForOp) -> Value:
    """The first result of `loop`, whose body is pure operations and loads.  The bounds must be constants."""
    low, high, step = (constant_value(v) for v in (loop.lb, loop.ub, loop.step))
    assert low is not None and high is not None and step is not None, "a loop with a symbolic trip count"
    body = loop.body.block
    carried: list[Value] = list(loop.iter_args)
    for index in range(low, high, step):
        inner: dict[SSAValue, Value] = dict(zip(body.args, (number(index, INDEX_WIDTH), *carried), strict=True))
        for op in body.ops:
            operands = tuple(inner.get(v, v) for v in op.operands)
            if op.name == "scf.yield":
                carried = list(operands)
            else:
                inner[op.results[0]] = _operation(op, operands)
    return carried[0]


def _operation(op: Operation, operands: tuple[Value, ...]) -> Value:
    if op.name == "memref.load":
        return Expr("memref.load", 0, width_of(op.results[0].type), operands)
    assert op.name in PURE, f"{op.name} in a reduction loop"
    name, attribute, bits = describe(op)
    known = [_known(v) for v in operands]
    if operands and None not in known:
        return number(apply(name, attribute, bits, [_bits(v) for v in operands], known), bits)  # type: ignore[arg-type]
    if name in _ZERO_IS_IDENTITY and known[1] == 0:
        return operands[0]
    if name in COMMUTATIVE and name in _ZERO_IS_IDENTITY and known[0] == 0:
        return operands[1]
    return Expr(name, attribute, bits, operands)


def _known(value: Value) -> int | None:
    if isinstance(value, Expr):
        return value.attribute if value.name == "arith.constant" else None
    return constant_value(value)


def _bits(value: Value) -> int:
    return value.width if isinstance(value, Expr) else width(value)
