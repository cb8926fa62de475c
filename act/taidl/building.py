"""What an `Accelerator` can do when it is described in Python: the published methods.  builder.py shows how."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from act.oracle import Machine
    from act.taidl.builder import InstructionBuilder
    from act.taidl.model import Accelerator

LEGACY = "ACT_LEGACY"
"""The environment variable that stands for `legacy=True` in scripts that cannot say it."""


class Building:
    """Adds to the dictionaries of a model; instructions are put in by `build`."""

    __slots__ = ()

    def add_data_model(self, name: str, access: Sequence[int | str], unit: Sequence[int | str], element: str) -> None:
        """A buffer of `element` with dimensions `access` that addresses count and `unit` that one address holds."""
        from act.taidl.builder import host_memory
        from act.taidl.model import Buffer

        model = cast("Accelerator", self)
        host_memory(model)
        if not model.buffers.get(name, Buffer(name, element, (), ())).hbm:
            model.buffers[name] = Buffer(name, element, tuple(map(int, access)), tuple(map(int, unit)))

    def add_state(self, name: str, element: str, initial: int | None = 0) -> None:
        """A configuration register, `@s.name`."""
        from act.taidl.model import State

        model = cast("Accelerator", self)
        model.states[name] = State(name, "config", element, None, initial)

    def add_instruction(
        self, name: str, alpha: Sequence[str], beta: Sequence[str], cost: str | int = "0", update: Sequence[str] = (), constraints: Sequence[str] = ()
    ) -> InstructionBuilder:
        """`alpha` attributes choose the computation, `beta` attributes are addresses; `cost` in cycles, `update` of registers."""
        from act.taidl.builder import InstructionBuilder, caller, host_memory

        model = cast("Accelerator", self)
        host_memory(model)
        builder = InstructionBuilder(model, re.sub(r"\W+", "_", name), tuple(alpha), tuple(beta))
        builder.places["instruction"] = caller()
        builder.cost = None if str(cost).strip() == "0" else builder.expression(cost)
        builder.add_constraints(list(constraints))
        for text in update:
            builder.add_update(text)
        model.builders.append(builder)
        return builder

    def build(self, legacy: bool | None = None) -> Accelerator:
        """The model, verified; `TaidlErrors` with all that is wrong, each with the attribute values for which it would hold.

        `legacy` restricts ill-typed instructions to these values; by default it is what the environment variable ACT_LEGACY says.
        """
        from act.taidl.legacy import built

        return built(cast("Accelerator", self), os.environ.get(LEGACY, "0") not in ("", "0") if legacy is None else legacy)

    def generate_oracle(self, legacy: bool | None = None) -> Machine:
        """A machine that executes this instruction set."""
        from act.oracle import Machine

        return Machine(self.build(legacy))

    def generate_backend(self, folder: str | Path | None = None, legacy: bool | None = None) -> Path:
        """Writes the compiler backend, to backends/<name> by default, and returns its folder."""
        from act.generator.analyse import analyse
        from act.generator.write import write_backend
        from act.taidl.print import print_text

        accelerator = self.build(legacy)
        target = Path(folder or Path("backends") / accelerator.name)
        write_backend(target, accelerator, print_text(accelerator), analyse(accelerator))
        return target
