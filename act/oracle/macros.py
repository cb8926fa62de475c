"""A macro + the values of its names -> the effect of its steps, one after the other, as of one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from act.taidl.compiled import compiled
from act.taidl.expr import ExprError
from act.taidl.model import Accelerator, Branch, Instruction, Loop, Part, Step
from act.taidl.steps import calls

if TYPE_CHECKING:
    from act.oracle.machine import Machine

LIMIT = 1 << 20
"""A macro of more instructions is refused: it would run for minutes."""

Values = Mapping[str, int]
Unrolled = Callable[[Values], Iterator[tuple[str, dict[str, int]]]]
"""From the values of names to the instructions with their attributes, in the order in which they are executed."""


class Macro:
    """What is made once: `unrolled`, and the names of the buffers that are `written`."""

    __slots__ = ("unrolled", "written")

    def __init__(self, accelerator: Accelerator, macro: Instruction) -> None:
        self.unrolled = _sequence(macro.steps)
        self.written = frozenset(_written(accelerator, macro.steps))

    def run(self, machine: Machine, macro: Instruction, values: Values) -> None:
        """Executes the steps, then sets registers; `MachineError`, with the state unchanged, when one of them is not allowed."""
        from act.oracle.machine import MachineError

        held = machine.saved(self.written)
        try:
            for count, (name, attributes) in enumerate(self.unrolled(values)):
                if count >= LIMIT:
                    raise MachineError(f"more than {LIMIT} instructions")
                machine.step(name, attributes)
            machine.set_registers(macro, values)
        except (MachineError, ExprError) as error:
            machine.restore(held)
            raise MachineError(f"{macro.name}: {error}") from None


def _written(accelerator: Accelerator, steps: Sequence[Step]) -> Iterator[str]:
    for step in calls(steps):
        called = accelerator.operation(step.instruction)
        yield from (write.slice.buffer for write in called.writes)
        yield from (piece.buffer for piece in called.clobbers)
        yield from _written(accelerator, called.steps)


def _sequence(steps: Sequence[Step]) -> Unrolled:
    functions = [_step(step) for step in steps]

    def unrolled(values: Values) -> Iterator[tuple[str, dict[str, int]]]:
        for function in functions:
            yield from function(values)

    return unrolled


def _step(step: Step) -> Unrolled:
    match step:
        case Part(name, arguments):
            attributes = [(attribute, compiled(value)) for attribute, value in arguments.items()]
            return lambda values: iter([(name, {attribute: function(values) for attribute, function in attributes})])
        case Loop(index, inner):
            extent, body, variable = compiled(index.extent), _sequence(inner), index.name
            return lambda values: (each for number in range(extent(values)) for each in body({**values, variable: number}))
        case Branch(condition, then, otherwise):
            test, first, second = compiled(condition), _sequence(then), _sequence(otherwise)
            return lambda values: (first if test(values) else second)(values)
