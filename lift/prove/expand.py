"""A loop of constant trip count -> the value of its first result, its iterations written out one after another.

Only what the index makes constant is folded, and the identities that a loop needs at its first positions (x >> 0, x + 0, x * 0, x * 1), so that a loop
made from a chain of operations expands to the same operations.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from lift.ir.evaluate import apply
from lift.ir.operations import COMMUTATIVE, INDEX_WIDTH, PURE, constant_value, describe, result, width, width_of
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
    *steps, end = body.ops
    plan = [(result(op), tuple(op.operands), _read(op)) for op in steps]
    carried: list[Value] = list(loop.iter_args)
    for index in range(low, high, step):
        inner: dict[SSAValue, Value] = dict(zip(body.args, (number(index, INDEX_WIDTH), *carried), strict=True))
        for value, operands, kind in plan:
            inner[value] = _operation(kind, tuple(inner.get(v, v) for v in operands))
        carried = [inner.get(v, v) for v in end.operands]
    return carried[0]


def _read(op: Operation) -> tuple[str, int, int]:
    """(name, attribute, width)."""
    assert op.name in PURE or op.name == "memref.load", f"{op.name} in a reduction loop"
    return describe(op) if op.name in PURE else (op.name, 0, width_of(result(op).type))


def _operation(kind: tuple[str, int, int], operands: tuple[Value, ...]) -> Value:
    name, attribute, bits = kind
    if name == "memref.load":
        return Expr(name, attribute, bits, operands)
    known = [_known(v) for v in operands]
    if operands and None not in known:
        return number(apply(name, attribute, bits, [_bits(v) for v in operands], known), bits)  # type: ignore[arg-type]
    if name in _ZERO_IS_IDENTITY and known[1] == 0:
        return operands[0]
    if name in COMMUTATIVE and name in _ZERO_IS_IDENTITY and known[0] == 0:
        return operands[1]
    if name == "arith.muli" and (0 in known or 1 in known):
        return number(0, bits) if 0 in known else operands[1 - known.index(1)]
    return Expr(name, attribute, bits, operands)


def _known(value: Value) -> int | None:
    if isinstance(value, Expr):
        return value.attribute if value.name == "arith.constant" else None
    return constant_value(value)


def _bits(value: Value) -> int:
    return value.width if isinstance(value, Expr) else width(value)
