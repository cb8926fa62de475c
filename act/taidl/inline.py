"""Calls of other instructions' bodies, in bodies -> these bodies.

Before --> after:  `%y = s8[`n`, 8] call(%x), to_apply=relu, bind={rows=`n`}` --> the lines of the body of `relu`, with `n` for `rows`, of
which the last is called `%y`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from act.errors import UserError
from act.hlo.instantiate import instantiate
from act.hlo.model import Computation
from act.hlo.model import Instruction as Operator
from act.hlo.print import print_body
from act.records import replace
from act.taidl.body import body_of
from act.taidl.expr import names, substitute
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Expr, Instruction, Int
from act.taidl.simplify import constant


def inlined(accelerator: Accelerator) -> Accelerator:
    """`accelerator` with bodies that call no others; `UserError` for calls of what does not exist, calls itself, or is not bound in full."""
    instructions = {name: _without_calls(accelerator, each) for name, each in accelerator.instructions.items()}
    composites = {name: replace(each, operation=_without_calls(accelerator, each.operation)) for name, each in accelerator.composites.items()}
    if instructions == accelerator.instructions and composites == accelerator.composites:
        return accelerator
    return replace(accelerator, instructions=instructions, composites=composites)


def _without_calls(accelerator: Accelerator, instruction: Instruction) -> Instruction:
    if "call(" not in instruction.body:
        return instruction
    body = _expanded(accelerator, instruction, (instruction.name,))
    return replace(instruction, body=print_body(body, print_expr))


def _expanded(accelerator: Accelerator, instruction: Instruction, callers: tuple[str, ...]) -> Computation:
    body = body_of(instruction, instruction.name)
    steps = tuple(step for each in body for step in _steps(accelerator, each, callers))
    return replace(body, instructions=steps)


def _steps(accelerator: Accelerator, each: Operator, callers: tuple[str, ...]) -> Iterator[Operator]:
    if each.opcode != "call":
        yield each
        return
    name, where = each.attributes["to_apply"], f"{callers[0]}: call '%{each.name}'"
    called = accelerator.instructions.get(name)
    if called is None or not called.body:
        raise UserError(None, f"{where}: '{name}' is no instruction with a body")
    if name in callers:
        raise UserError(None, f"{where}: '{name}' calls itself", "bodies have no recursion")
    body = _bound(_expanded(accelerator, called, (*callers, name)), dict(each.attributes.get("bind", ())), where)
    if len(body.parameters) != len(each.operands):
        raise UserError(None, f"{where}: '{name}' takes {len(body.parameters)} operand(s), found {len(each.operands)}")
    yield from _renamed(body, each)


def _bound(body: Computation, bind: Mapping[str, Any], where: str) -> Computation:
    """With the values of its attributes for their names."""
    mapping: dict[str, Expr] = {name: Int(value) if isinstance(value, int) else value for name, value in bind.items()}

    def value(expr: Expr) -> Any:
        missing = sorted(names(expr) - mapping.keys())
        if missing:
            raise UserError(None, f"{where}: '{missing[0]}' is not bound", f"write bind={{{missing[0]}=...}}")
        result = substitute(expr, mapping)
        known = constant(result)
        return result if known is None else known

    return instantiate(body, value)


def _renamed(body: Computation, call: Operator) -> Iterator[Operator]:
    """Named after the call, whose name is that of the result; a result that is an operand is copied."""
    operands = {parameter.name: operand for parameter, operand in zip(body.parameters, call.operands, strict=True)}
    named = {each.name: operands.get(each.name, f"{call.name}.{each.name}") for each in body}
    if body.root not in operands:
        named[body.root] = call.name
    for each in body:
        if each.opcode != "parameter":
            yield replace(each, name=named[each.name], operands=tuple(named[operand] for operand in each.operands), line=call.line)
    if body.root in operands:
        yield Operator(call.name, call.shape, "copy", (operands[body.root],), line=call.line)
