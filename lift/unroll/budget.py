"""How much work an execution may be: steps are counted, not seconds, so that it is given up at the same place on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lift.unroll import solver
from lift.unroll.limits import CYCLES_A_REGISTER, INSTRUCTION_STEPS, PIECE_STEPS, STEPS_A_REGISTER, UNIT_STEPS
from lift.unroll.machine import Machine
from lift.unroll.paths import TooMuch


@dataclass(slots=True)
class Budget:
    """`limit` steps of `machine`: a step is the value of one signal; the solver's work, a cycle and a piece of path count as several.  What is
    spent counts for the budget that this one is a `part` of as well.  Raises TooMuch when there is none left, each time again."""

    machine: Machine
    limit: int
    what: str
    part: Budget | None = None
    spent: int = 0
    _seen: int = field(init=False)
    _a_cycle: int = field(init=False)

    def __post_init__(self) -> None:
        self._seen = self._done()
        self._a_cycle = 1 + len(self.machine.netlist.registers) // CYCLES_A_REGISTER

    def _done(self) -> int:
        return self.machine.total + solver.effort()

    def cycle(self) -> None:
        self._spend(self._a_cycle)

    def piece(self) -> None:
        self._spend(PIECE_STEPS)

    def _spend(self, more: int) -> None:
        done = self._done()
        self._add(done - self._seen + more)
        self._seen = done

    @property
    def left(self) -> int:
        return max(0, self.limit - self.spent)

    def half(self, what: str) -> Budget:
        """Half of what is left, for one of two that must not starve the other."""
        return Budget(self.machine, self.left // 2, what, self)

    @contextmanager
    def lent(self, part: Budget) -> Iterator[None]:
        """Inside, only `part` spends."""
        try:
            yield
        finally:
            self._seen = part._seen

    def _add(self, steps: int) -> None:
        self.spent += steps
        if self.part is not None:
            self.part._add(steps)
        if self.spent > self.limit:
            raise TooMuch(f"more than {self.limit} steps of {self.what}")


def of_unit(machine: Machine, sharing: int = 1) -> Budget:
    """What all executions of all instructions of a unit may take, which is one of so many that share what one may take."""
    limit = UNIT_STEPS + 2 * STEPS_A_REGISTER * len(machine.netlist.registers)
    return Budget(machine, limit // sharing, "the unit" if sharing == 1 else "the unit's share")


def of_instruction(machine: Machine, unit: Budget | None = None) -> Budget:
    """What one execution of an instruction may take: no more than half of what is left, so that others can be executed after one that takes too much."""
    limit = INSTRUCTION_STEPS + STEPS_A_REGISTER * len(machine.netlist.registers)
    if unit is not None and unit.left < 2 * limit:
        return unit.half("one execution")
    return Budget(machine, limit, "one execution", unit)
