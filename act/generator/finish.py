"""The instruction that says that a program is done: it does nothing but give a register that nobody uses a value that it has not at first."""

from __future__ import annotations

from act.generator.signals import unasked
from act.taidl.model import Accelerator, Instruction
from act.taidl.simplify import constant


def finisher(accelerator: Accelerator) -> Instruction | None:
    """The one instruction of this kind; None where there is none, or several."""
    found = [each for each in accelerator.instructions.values() if _finishes(accelerator, each)]
    return found[0] if len(found) == 1 else None


def _finishes(accelerator: Accelerator, each: Instruction) -> bool:
    effects = (each.reads, each.writes, each.clobbers, each.steps, each.uses, each.when)
    order = (each.after, each.before, each.exclusive)
    if any((*effects, *order, each.opaque, each.part_only)) or not each.sets or not unasked(each):
        return False
    operations = [*accelerator.instructions.values(), *(composite.operation for composite in accelerator.composites.values())]
    used = {use.state for operation in operations for use in operation.uses}
    for effect in each.sets:
        state, value = accelerator.states[effect.state], constant(effect.value)
        if state.count is not None or effect.state in used or value is None or state.initial is None or value == state.initial:
            return False
    return True
