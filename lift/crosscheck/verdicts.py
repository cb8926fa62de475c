"""What a comparison found, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["agreed", "tested", "different", "not comparable"]
STATUSES: tuple[Status, ...] = ("agreed", "tested", "different", "not comparable")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a counterexample: an RTL name, its value and width, where it is declared."""

    name: str
    value: int
    width: int
    location: str = ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """`given` are inputs and state; `ours` and `theirs` the results of the two readings, `by` who theirs is."""

    given: tuple[Row, ...]
    ours: Row
    theirs: Row
    by: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """About `target` (a register, an output, `instance.port`, a memory or a state variable) of `subject` (a definition, an instruction).

    agreed: proved equal.  tested: equal on `trials` random values.  different: `counterexample` or `reason` shows it.  not comparable: for `reason`.
    """

    subject: str
    target: str
    status: Status
    reason: str = ""
    trials: int = 0
    counterexample: Counterexample | None = None
    location: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """`definitions`: one verdict for each register, output and memory of each definition.  `invariant`: one for each register, memory and quiet
    output of the unit at rest.  `replays`: one for each state variable of each instruction.  `notes`: assumptions under which some of them hold."""

    definitions: tuple[Verdict, ...] = ()
    invariant: tuple[Verdict, ...] = ()
    replays: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()

    def __add__(self, other: Report) -> Report:
        return Report(self.definitions + other.definitions, self.invariant + other.invariant, self.replays + other.replays, self.notes + other.notes)

    @property
    def all(self) -> tuple[Verdict, ...]:
        return self.definitions + self.invariant + self.replays

    @property
    def different(self) -> tuple[Verdict, ...]:
        return tuple(v for v in self.all if v.status == "different")

    def counts(self) -> dict[str, int]:
        """As --json says them."""
        return {s.replace(" ", "_"): sum(v.status == s for v in self.all) for s in STATUSES}
