"""The steps of a macro -> unknown instructions, attributes and names, and macros that contain themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.taidl.expr import lookups, names
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Branch, Expr, Instruction, Loop, Part, Step
from act.taidl.steps import calls
from act.taidl.verify_clauses import Problem


def step_problems(accelerator: Accelerator, macro: Instruction) -> Iterator[Problem]:
    scope = set(macro.attributes) | {use.name for use in macro.uses if use.name}
    for text in _steps(accelerator, macro.steps, scope):
        yield "do", 0, text, None
    if _reaches(accelerator, macro.steps, macro.name, set()):
        yield "do", 0, f"'{macro.name}' contains itself", "a macro is made of other instructions"


def _steps(accelerator: Accelerator, steps: Sequence[Step], scope: set[str]) -> Iterator[str]:
    for step in steps:
        match step:
            case Part():
                yield from _call(accelerator, step, scope)
            case Loop(index, inner):
                yield from _names(index.extent, scope)
                yield from [f"index variable '{index.name}' has a meaning already"] if index.name in scope else []
                yield from _steps(accelerator, inner, scope | {index.name})
            case Branch(condition, then, otherwise):
                yield from _names(condition, scope)
                yield from _steps(accelerator, (*then, *otherwise), scope)


def _call(accelerator: Accelerator, step: Part, scope: set[str]) -> Iterator[str]:
    composite = accelerator.composites.get(step.instruction)
    called = accelerator.instructions.get(step.instruction) or (composite.operation if composite else None)
    if called is None:
        yield f"'{step.instruction}' is no instruction"
        return
    if called.opaque:
        yield f"the semantics of '{called.name}' are not known (opaque)"
    if set(step.arguments) != set(called.attributes):
        yield f"{called.name} has the attributes {', '.join(called.attributes) or 'none'}, found {', '.join(step.arguments) or 'none'}"
    for value in step.arguments.values():
        yield from _names(value, scope)


def _names(expr: Expr, scope: set[str]) -> Iterator[str]:
    yield from (f"'{name}' in {print_expr(expr)} is no attribute, register or index variable" for name in sorted(names(expr) - scope))
    if lookups(expr):
        yield f"{print_expr(expr)} looks into a buffer, which only the coordinates of slices can"


def _reaches(accelerator: Accelerator, steps: Sequence[Step], name: str, seen: set[str]) -> bool:
    for step in calls(steps):
        if step.instruction == name:
            return True
        called = accelerator.instructions.get(step.instruction)
        if called is not None and called.name not in seen:
            seen.add(called.name)
            if _reaches(accelerator, called.steps, name, seen):
                return True
    return False
