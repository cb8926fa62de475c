"""A lifted function on integers: the bit-exact interpreter of the operations in `operations`.

Values are unsigned integers below 2**width; an array is a list of words or a dictionary from address to word (absent words are 0), changed in place by stores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import PURE, describe, width_of

Memory = list[int] | dict[int, int]
Value = int | Memory


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _divide_signed(a: int, b: int, bits: int) -> int:
    x, y = _signed(a, bits), _signed(b, bits)
    if not y:
        return 1 if x < 0 else -1
    return abs(x) // abs(y) if (x < 0) == (y < 0) else -(abs(x) // abs(y))


def _remainder_signed(a: int, b: int, bits: int) -> int:
    x, y = _signed(a, bits), _signed(b, bits)
    return x - y * _divide_signed(a, b, bits) if y else x


def _compare(predicate: int, a: int, b: int, bits: int) -> bool:
    if 2 <= predicate <= 5:
        a, b = _signed(a, bits), _signed(b, bits)
    match predicate:
        case 0: return a == b
        case 1: return a != b
        case 2 | 6: return a < b
        case 3 | 7: return a <= b
        case 4 | 8: return a > b
        case _: return a >= b


# name -> function of (attribute, result width, operand widths, operand values); the result is taken modulo 2**width
EVALUATE: dict[str, Callable[[int, int, Sequence[int], Sequence[int]], int]] = {
    "arith.constant": lambda k, w, ws, v: k,
    "arith.addi": lambda k, w, ws, v: v[0] + v[1],
    "arith.subi": lambda k, w, ws, v: v[0] - v[1],
    "arith.muli": lambda k, w, ws, v: v[0] * v[1],
    "arith.divui": lambda k, w, ws, v: v[0] // v[1] if v[1] else -1,
    "arith.divsi": lambda k, w, ws, v: _divide_signed(v[0], v[1], w),
    "arith.remui": lambda k, w, ws, v: v[0] % v[1] if v[1] else v[0],
    "arith.remsi": lambda k, w, ws, v: _remainder_signed(v[0], v[1], w),
    "arith.andi": lambda k, w, ws, v: v[0] & v[1],
    "arith.ori": lambda k, w, ws, v: v[0] | v[1],
    "arith.xori": lambda k, w, ws, v: v[0] ^ v[1],
    "arith.shli": lambda k, w, ws, v: v[0] << v[1] if v[1] < w else 0,
    "arith.shrui": lambda k, w, ws, v: v[0] >> v[1] if v[1] < w else 0,
    "arith.shrsi": lambda k, w, ws, v: _signed(v[0], w) >> min(v[1], w - 1),
    "arith.cmpi": lambda k, w, ws, v: int(_compare(k, v[0], v[1], ws[0])),
    "arith.select": lambda k, w, ws, v: v[1] if v[0] else v[2],
    "arith.extui": lambda k, w, ws, v: v[0],
    "arith.extsi": lambda k, w, ws, v: _signed(v[0], ws[0]),
    "arith.trunci": lambda k, w, ws, v: v[0],
    "arith.index_castui": lambda k, w, ws, v: v[0],
}


def apply(name: str, attribute: int, bits: int, widths: Sequence[int], values: Sequence[int]) -> int:
    """One pure operation on values."""
    return EVALUATE[name](attribute, bits, widths, values) & ((1 << bits) - 1)


def evaluate(function: func.FuncOp, arguments: Sequence[Value]) -> tuple[int, ...]:
    """The results of `function`; arrays among `arguments` are read and changed in place.  A destination must hold its source's words at entry."""
    block = function.body.block
    environment: dict[SSAValue, Value] = dict(zip(block.args, arguments, strict=True))
    return _run(block, environment)


def _run(block: Block, environment: dict[SSAValue, Value]) -> tuple[int, ...]:
    """Executes a block; the operands of its terminator."""
    for op in block.ops:
        values = [environment[v] for v in op.operands]
        if op.name in PURE:
            name, attribute, bits = describe(op)
            widths = [width_of(v.type) for v in op.operands]
            environment[op.results[0]] = apply(name, attribute, bits, widths, values)  # type: ignore[arg-type]
        elif op.name in ("scf.yield", "func.return"):
            return tuple(values)  # type: ignore[arg-type]
        else:
            environment.update(zip(op.results, _structured(op, values, environment), strict=True))
    raise AssertionError("a block without a terminator")


def _structured(op: Operation, values: list[Value], environment: dict[SSAValue, Value]) -> tuple[int, ...]:
    match op.name, values:
        case "memref.load", [memory, int(index)]:
            return (memory.get(index, 0) if isinstance(memory, dict) else memory[index],)  # type: ignore[index]
        case "memref.store", [int(value), memory, int(index)]:
            memory[index] = value  # type: ignore[index]
            return ()
        case "scf.if", [condition]:
            region = op.regions[0 if condition else 1]
            return _run(region.block, environment) if region.blocks else ()
        case "scf.for", [int(low), int(high), int(step), *carried]:
            body = op.regions[0].block
            for index in range(low, high, step):
                environment.update(zip(body.args, (index, *carried), strict=True))
                carried = list(_run(body, environment))
            return tuple(carried)  # type: ignore[arg-type]
    raise AssertionError(f"no definition of operation {op.name}")
