"""A lifted function -> copies of it, each with one operation replaced by a similar one."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from lift.ir.operations import PREDICATES, width, width_of

_OTHER: dict[str, type[Operation]] = {
    "arith.addi": arith.SubiOp, "arith.subi": arith.AddiOp, "arith.muli": arith.AddiOp, "arith.andi": arith.OrIOp, "arith.ori": arith.AndIOp,
    "arith.xori": arith.OrIOp, "arith.shli": arith.ShRUIOp, "arith.shrui": arith.ShLIOp, "arith.shrsi": arith.ShRUIOp, "arith.extsi": arith.ExtUIOp,
    "arith.extui": arith.ExtSIOp,
}  # fmt: skip
_PREDICATE = {"eq": "ne", "ne": "eq", "slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult", "ugt": "uge", "uge": "ugt"}


def places(function: func.FuncOp) -> list[tuple[int, str]]:
    """(number, name) of each operation that has a similar one."""
    names = [op.name for op in function.walk()]
    return [(number, name) for number, name in enumerate(names) if name in _OTHER or name in ("arith.cmpi", "arith.select", "arith.constant")]


def mutant(function: func.FuncOp, number: int) -> tuple[str, func.FuncOp]:
    """(what was changed, copy): another operator, predicate or constant, or a select with its sides swapped, at a place of `places`."""
    copy = function.clone()
    op = list(copy.walk())[number]
    return f"{number}: {op.name} to {_change(op)}", copy


def mutants(function: func.FuncOp) -> Iterator[tuple[str, func.FuncOp]]:
    """One for each place."""
    return (mutant(function, number) for number, _ in places(function))


def _change(op: Operation) -> str:
    match op.name:
        case "arith.constant":
            return _replace(op, arith.ConstantOp.create(result_types=[op.results[0].type], properties={"value": _successor(op)}))
        case "arith.cmpi":
            predicate = PREDICATES.index(_PREDICATE[PREDICATES[op.properties["predicate"].value.data]])  # type: ignore[attr-defined]
            attributes = {"predicate": IntegerAttr(predicate, 64)}
            return _replace(op, arith.CmpiOp.create(operands=op.operands, result_types=[op.results[0].type], properties=attributes))
        case "arith.select":
            condition, then, other = op.operands
            return _replace(op, arith.SelectOp.create(operands=[condition, other, then], result_types=[then.type]))
    return _replace(op, _OTHER[op.name].create(operands=op.operands, result_types=[op.results[0].type]))


def _successor(op: Operation) -> IntegerAttr:
    """The next constant of its type."""
    value, bits = op.properties["value"], width(op.results[0])
    assert isinstance(value, IntegerAttr) and width_of(value.type) == bits
    following = (value.value.data + 1) & ((1 << bits) - 1)
    return IntegerAttr(following - (1 << bits) if bits > 1 and following >> (bits - 1) else following, value.type)


def _replace(op: Operation, by: Operation) -> str:
    op.parent_block().insert_op_before(by, op)  # type: ignore[union-attr]
    op.results[0].replace_all_uses_with(by.results[0])
    op.detach()
    op.erase()
    return by.name
