"""A machine on which no result depends on what the description leaves unspecified, for comparisons with hardware."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from act.oracle.machine import Array, Machine, MachineError, Written
from act.oracle.plan import Planner
from act.taidl.model import Accelerator


class StrictMachine(Machine):
    """Refuses to read an element that was clobbered, or never written; host memories and the buffers in `known` have contents from the start.

    `unspecified` marks such elements, one array of truth values per buffer.
    """

    def __init__(self, accelerator: Accelerator, memory: Mapping[str, Array], seed: int = 0, known: Collection[str] = ()) -> None:
        super().__init__(accelerator, memory, seed)
        self.unspecified: dict[str, NDArray[np.bool_]] = {
            name: np.full(contents.size, name not in known and not accelerator.buffers[name].hbm) for name, contents in self.buffers.items()
        }

    def _effect(self, planner: Planner, values: Mapping[str, int], sets: list[tuple[str, int | None, int]]) -> Written:
        plan = planner.plan(values, self.buffers)
        for lookup in planner.lookups:
            if np.any(self.unspecified[lookup.buffer]):
                raise MachineError(f"{planner.operation.name}: looks into {lookup.buffer}, some elements of which nothing has set")
        for place in plan.reads:
            if np.any(self.unspecified[place.buffer][self._checked(place, values)]):
                raise MachineError(f"{planner.operation.name}: reads elements of {place.buffer} that nothing has set")
        written = super()._effect(planner, values, sets)
        for place in plan.clobbers:
            self.unspecified[place.buffer][self._checked(place, values)] = True
        for buffer, where in written:
            self.unspecified[buffer][where] = False
        return written
