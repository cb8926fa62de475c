"""Constants of any kind -> `constant` instructions, so that the compiler meets only inputs, plain constants and operators on inputs.

Before --> after:  `i = s32[2,2] iota(), iota_dimension=0` --> `i = s32[2,2] constant({{0, 0}, {1, 1}})`

What is one value everywhere stays as it is: the e-graph folds it, and numpy is not imported for it.
"""

from __future__ import annotations

from typing import Any

from act.backend.analysis import integral, type_of
from act.hlo.model import Computation, Instruction
from act.records import replace

MOVES = frozenset("broadcast reshape transpose reverse slice".split())
SPLATS = MOVES | frozenset("convert negate add subtract multiply maximum minimum clamp and or xor not dot".split())


def fold_constants(computation: Computation) -> Computation:
    """Replaces every instruction that depends on no parameter and has several values."""
    constant: set[str] = set()
    splat: set[str] = set()
    result: list[Instruction] = []
    for each in computation:
        if each.opcode == "constant" or each.opcode == "iota" or (each.operands and constant.issuperset(each.operands)):
            constant.add(each.name)
            if _one_value(each, splat):
                splat.add(each.name)
            elif each.opcode != "constant" and each.opcode != "tuple":
                each = _evaluated(each, result)
        result.append(each)
    return replace(computation, instructions=tuple(result))


def _one_value(each: Instruction, splat: set[str]) -> bool:
    if each.opcode == "constant":
        return not isinstance(each.attributes["value"], tuple)
    known = each.opcode in SPLATS or (each.opcode == "reduce" and each.attributes["kind"] == "add")
    return known and splat.issuperset(each.operands) and (integral(type_of(each).dtype) or each.opcode in MOVES)


def _evaluated(each: Instruction, before: list[Instruction]) -> Instruction:
    from act.hlo.evaluate import kernel

    needed, cone = {*each.operands}, [each]
    for other in reversed(before):
        if other.name in needed:
            needed.update(other.operands)
            cone.append(other)
    value = kernel(Computation("constant", tuple(reversed(cone)), each.name))()
    return Instruction(each.name, type_of(each), "constant", (), {"value": _nested(value.tolist())}, each.line)


def _nested(value: Any) -> Any:
    return tuple(_nested(part) for part in value) if isinstance(value, list) else value
