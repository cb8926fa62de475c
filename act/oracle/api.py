"""A machine's operations as functions, for programs that are written by hand: `api.load(n=64, addr_in=0, addr_out=0)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from act.oracle.machine import Machine


class Api:
    """Has a function for each instruction and composite, which executes it; attributes by name, or in order: alpha, then beta."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Callable[..., None]:
        operation = self._machine.operation(name)
        if operation is None:
            raise AttributeError(f"'{name}' is no instruction of {self._machine.accelerator.name}")

        def execute(*values: int, **attributes: int) -> None:
            self._machine.step(name, {**dict(zip(operation.attributes, values, strict=False)), **attributes})

        execute.__name__, execute.__doc__ = name, f"{name}({', '.join(operation.attributes)})"
        return execute

    def __dir__(self) -> list[str]:
        return [*self._machine.accelerator.instructions, *self._machine.accelerator.composites]
