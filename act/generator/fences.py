"""Instructions that may be issued only for what must come after them: they have no effect on memories."""

from __future__ import annotations

from act.taidl.model import Accelerator, Instruction


def is_fence(operation: Instruction) -> bool:
    """Whether an instruction can be put anywhere for its order alone; it may set registers."""
    return not (operation.reads or operation.writes or operation.clobbers or operation.opaque or operation.part_only)


def may_follow(accelerator: Accelerator, operation: Instruction) -> bool:
    """Whether all that `operation` must come after can be provided before it: `after` is empty or names a fence."""
    instructions = accelerator.instructions
    return not operation.after or any(name in instructions and is_fence(instructions[name]) for name in operation.after)
