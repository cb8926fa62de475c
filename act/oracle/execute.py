"""A program + inputs -> outputs: recognises composites among the commands and executes operation by operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from act.memory import memory_image, outputs
from act.oracle.machine import Machine, MachineError
from act.oracle.prepared import Pattern
from act.program import Command, Program
from act.taidl.encode import Issue, match_composite
from act.taidl.model import Composite


class Executor:
    """Executes streams of real instructions on a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._starts = machine.starts

    def execute(self, issued: Sequence[Issue]) -> None:
        """Executes all of `issued`; `MachineError` names the position of a command that cannot be executed."""
        at = 0
        while at < len(issued):
            try:
                at += self._next(issued, at)
            except MachineError as error:
                raise MachineError(f"command {at + 1}: {error}") from None

    def _next(self, issued: Sequence[Issue], at: int) -> int:
        """Executes the first composite of the file that matches here and is allowed, else the instruction itself."""
        name, attributes = issued[at]
        reasons = []
        for pattern in self._starts.get(name, ()):
            following = issued[at : at + len(pattern.parts)]
            found = _attributes(pattern, following)
            if found is None:
                continue
            reason = self._forbidden(pattern.composite, found, following)
            if reason is None:
                self.machine.step(pattern.composite.operation.name, found)
                return len(pattern.parts)
            reasons.append(reason)
        self._check_alone(name, reasons)
        self.machine.step(name, attributes)
        return 1

    def _forbidden(self, composite: Composite, attributes: dict[str, int], parts: Sequence[Issue]) -> str | None:
        """Why the composite must not be executed now: a `when` of a part, or something of its own."""
        for name, given in parts:
            condition = self.machine.violated(name, given)
            if condition is not None:
                return f"{name}: {condition} does not hold"
        return self.machine.requirement(composite.operation.name, attributes)

    def _check_alone(self, name: str, reasons: list[str]) -> None:
        instruction = self.machine.accelerator.instructions.get(name)
        if instruction is not None and (instruction.opaque or instruction.part_only):
            why = "; ".join(reasons) or "the instructions around it make none of the composites that it begins"
            raise MachineError(f"{name} is only executed as part of a composite: {why}")


def _attributes(pattern: Pattern, following: Sequence[Issue]) -> dict[str, int] | None:
    """Those of the composite of which these are the parts, and whose `when` they do not contradict."""
    if len(following) < len(pattern.parts):
        return None
    found = pattern.bound(following)
    if found is True:
        return match_composite(pattern.composite, following)
    return found if isinstance(found, dict) and pattern.prepared.violated(found) is None else None


def issue_of(command: Command) -> Issue:
    return command.instruction, command.attributes


def run(machine: Machine, program: Program, inputs: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """The outputs `out0`, ... of a program; `UserError` for inputs that do not fit, `MachineError` for commands as in `Executor`."""
    image = memory_image(program, inputs)
    machine.attach(image)
    Executor(machine).execute([issue_of(command) for command in program.commands])
    machine.complete()
    return outputs(program, image)
