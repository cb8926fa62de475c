"""What values an instruction needs in the registers of the machine."""

from __future__ import annotations

from collections.abc import Iterable

from act.backend.equations import Match
from act.hlo.dtypes import integer_range
from act.records import dataclass
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator
from act.taidl.moving import moving

Register = tuple[str, int | None]
"""Name and, for one of several, its number."""

Requirement = tuple[Register, int]


def first_values(accelerator: Accelerator) -> dict[Register, int | None]:
    """What each register holds when a program starts.  Configuration that instructions set may be anything then, as other programs may have run
    before.  Staged values are the first ones: which buffer of two is in use is the same to a program, and addresses are prepared anew."""
    unknown = moving(accelerator, "config")
    return {
        (name, index): None if name in unknown else each.initial
        for name, each in accelerator.states.items()
        for index in ([None] if each.count is None else range(each.count))
    }


ANY = 0x2545F4914F6CDD1D
"""Stands for a value that is not known where the places of elements are worked out: one on which they depend would not be what was planned."""


class Unsatisfiable(Exception):
    """No value of a register meets all that is asked of it."""


@dataclass(frozen=True, slots=True)
class Registers:
    accelerator: Accelerator

    def requirements(self, found: Match, named: Iterable[tuple[str, int]]) -> tuple[Requirement, ...]:
        """The values of registers that a match needs: those it states, and `named` values of those it uses by a name."""
        alpha, values = dict(found.alpha), {}
        for name, value in named:
            if values.setdefault(name, value) != value:
                raise Unsatisfiable
        needed: dict[Register, int] = {}
        for use in found.selector.uses:
            register = (use.state, None if use.index is None else evaluate(use.index, alpha))
            value = values.get(use.name) if use.equals is None else evaluate(use.equals, alpha)
            if value is None:
                continue
            low, high = integer_range(self.accelerator.states[use.state].element)
            if not low <= value <= high or needed.setdefault(register, value) != value:
                raise Unsatisfiable
        return tuple(sorted(needed.items(), key=str))
