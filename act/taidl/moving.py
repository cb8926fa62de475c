"""The registers that a program cannot count on when it starts: those that instructions set, as programs before it may have done."""

from __future__ import annotations

from typing import Literal

from act.taidl.model import Accelerator


def moving(accelerator: Accelerator, kind: Literal["config", "staged"]) -> frozenset[str]:
    """The names of these registers."""
    instructions = (*accelerator.instructions.values(), *(each.operation for each in accelerator.composites.values()))
    return frozenset(effect.state for each in instructions for effect in each.sets if accelerator.states[effect.state].kind == kind)
