"""How much work an execution may be: steps are counted, not seconds, so that it is given up at the same place on every machine."""

from __future__ import annotations

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
    def exhausted(self) -> bool:
        return self.spent > self.limit

    def _add(self, steps: int) -> None:
        self.spent += steps
        if self.part is not None:
            self.part._add(steps)
        if self.exhausted:
            raise TooMuch(f"more than {self.limit} steps of {self.what}")


def of_unit(machine: Machine) -> Budget:
    """What all executions of all instructions of a unit may take."""
    return Budget(machine, UNIT_STEPS + 2 * STEPS_A_REGISTER * len(machine.netlist.registers), "the unit")


def of_instruction(machine: Machine, unit: Budget | None = None) -> Budget:
    """What one execution of an instruction may take."""
    return Budget(machine, INSTRUCTION_STEPS + STEPS_A_REGISTER * len(machine.netlist.registers), "one execution", unit)
