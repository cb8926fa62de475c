"""An accelerator -> what all its machines share: operations without calls, their checks, and the plans made so far."""

from __future__ import annotations

from act.oracle.macros import Macro
from act.oracle.plan import Planner
from act.oracle.prepared import Pattern, Prepared
from act.taidl.inline import inlined
from act.taidl.model import Accelerator, Instruction

MOST = 4
"""Accelerators of which this is kept."""


class Parts:
    """`planners` and `macros` are made when an operation is first executed; `starts` are the composites that begin with an instruction.
    Nothing here depends on the state of a machine."""

    __slots__ = ("accelerator", "macros", "operations", "planners", "prepared", "starts")

    def __init__(self, accelerator: Accelerator) -> None:
        self.accelerator = inlined(accelerator)
        self.operations: dict[str, Instruction] = {**self.accelerator.instructions}
        self.operations |= {name: each.operation for name, each in self.accelerator.composites.items()}
        self.prepared = {name: Prepared(operation) for name, operation in self.operations.items()}
        self.starts: dict[str, list[Pattern]] = {}
        for composite in self.accelerator.composites.values():
            self.starts.setdefault(composite.parts[0].instruction, []).append(Pattern(composite))
        self.planners: dict[str, Planner] = {}
        self.macros: dict[str, Macro] = {}

    def planner(self, name: str) -> Planner:
        found = self.planners.get(name)
        if found is None:
            found = self.planners[name] = Planner(self.accelerator, self.operations[name])
        return found

    def macro(self, name: str) -> Macro:
        found = self.macros.get(name)
        if found is None:
            found = self.macros[name] = Macro(self.accelerator, self.operations[name])
        return found


_known: dict[int, tuple[Accelerator, Parts]] = {}


def parts_of(accelerator: Accelerator) -> Parts:
    """The same for the same object: to compare accelerators takes as long as to look at all of them."""
    found = _known.get(id(accelerator))
    if found is None:
        if len(_known) >= MOST:
            _known.clear()
        found = _known[id(accelerator)] = accelerator, Parts(accelerator)  # the object is kept, so that its number stays its own
    return found[1]
