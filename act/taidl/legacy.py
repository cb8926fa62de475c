"""Instructions described in Python -> a verified model; those whose types hold for some attribute values only, restricted to these.

Before --> after:  a transposed load of n rows into rows of 64 elements, with `legacy` --> the same, `when n == 64`.
"""

from __future__ import annotations

import re

from act.errors import UserError
from act.records import replace
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Expr, Instruction
from act.taidl.restrict import restrictions, within_buffers
from act.taidl.text import Locations, TaidlErrors
from act.taidl.verify import verify


def built(accelerator: Accelerator, legacy: bool) -> Accelerator:
    """`accelerator` with the instructions of its builders; `TaidlErrors` with all that is wrong."""
    found = replace(accelerator, name=re.sub(r"\W+", "_", accelerator.name).strip("_"), builders=[])
    instructions = {builder.name: builder.build(legacy) for builder in accelerator.builders}
    limited = {name: _when(each, within_buffers(accelerator, each)) for name, each in instructions.items()}
    model = replace(found, instructions={**accelerator.instructions, **limited})
    if legacy:
        model = replace(model, instructions={name: _restricted(model, each) for name, each in model.instructions.items()})
    locations: Locations = {}
    for builder in accelerator.builders:
        locations |= builder.locations()
    errors = verify(model, locations)
    if errors:
        described = replace(model, builders=accelerator.builders)
        raise TaidlErrors([_advised(described, error) for error in errors])
    return model


def _restricted(accelerator: Accelerator, instruction: Instruction) -> Instruction:
    return _when(instruction, restrictions(accelerator, instruction) or ())


def _when(instruction: Instruction, conditions: tuple[Expr, ...]) -> Instruction:
    return replace(instruction, when=(*instruction.when, *conditions))


def _advised(accelerator: Accelerator, error: UserError) -> UserError:
    """With what `legacy` would make of it, where that is something."""
    name = error.problem.partition(":")[0]
    builder = next((each for each in accelerator.builders if each.name == name), None)
    if builder is None:
        return error
    instruction = builder.build(legacy=True)
    conditions = restrictions(accelerator, instruction)
    if conditions is None:
        return error
    reads = "it is read as a scalar" if instruction.body != accelerator.instructions[name].body else ""
    limits = f"it holds for {_all(conditions)} only" if conditions else ""
    if not reads and not limits:
        return error
    return UserError(error.location, error.problem, f"correct it, or give legacy=True: then {' and '.join(filter(None, (reads, limits)))}")


def _all(conditions: tuple[Expr, ...]) -> str:
    return " and ".join(map(print_expr, conditions))
