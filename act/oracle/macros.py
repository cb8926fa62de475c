"""A macro + the values of its names -> the effect of its steps, one after the other, as of one operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from act.taidl.expr import ExprError, evaluate
from act.taidl.model import Branch, Instruction, Loop, Part, Step

if TYPE_CHECKING:
    from act.oracle.machine import Machine

LIMIT = 1 << 20
"""A macro of more instructions is refused: it would run for minutes."""


def run_macro(machine: Machine, macro: Instruction, values: Mapping[str, int]) -> None:
    """Executes the steps, then sets registers; `MachineError`, with the state unchanged, when one of them is not allowed."""
    from act.oracle.machine import MachineError

    held = machine.saved()
    try:
        for count, (name, attributes) in enumerate(unrolled(macro.steps, values)):
            if count >= LIMIT:
                raise MachineError(f"more than {LIMIT} instructions")
            machine.step(name, attributes)
        machine.set_registers(macro, values)
    except (MachineError, ExprError) as error:
        machine.restore(held)
        raise MachineError(f"{macro.name}: {error}") from None


def unrolled(steps: Sequence[Step], values: Mapping[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
    """The instructions with the values of their attributes, in the order in which they are executed."""
    for step in steps:
        match step:
            case Part(instruction, arguments):
                yield instruction, {name: evaluate(value, values) for name, value in arguments.items()}
            case Loop(index, inner):
                for number in range(evaluate(index.extent, values)):
                    yield from unrolled(inner, {**values, index.name: number})
            case Branch(condition, then, otherwise):
                yield from unrolled(then if evaluate(condition, values) else otherwise, values)
