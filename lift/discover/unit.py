"""What the search for the architectural state finds: the executions of a unit's instructions, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from lift.discover.contract import Contract
from lift.discover.opcodes import Opcode
from lift.unroll.machine import Machine
from lift.unroll.paths import Facts, Path
from lift.unroll.terms import Term

WAITS = "it does not come back to rest"
Same = dict[str, str]


@dataclass(frozen=True, slots=True)
class Execution:
    """Every path of one instruction, or the reason why there are none.  `reads`: registers that its execution looked at; `assumed`: those
    that were architectural at the time; `same`: those that were taken to equal another one; `excluded`: conditions under
    which it could not be executed, and why; `moved`: registers that a path has shown to be architectural, which were not taken to be, and `alike` those of them
    that moved from one value to one value; `split`: a path has shown that it is decided by its subcode.  Of either nothing else is kept.  `stuck`: of paths
    that do not come back to rest, what is taken to hold there and what registers have that rest would give another value.  `steps`: what it has cost."""

    opcode: Opcode
    paths: tuple[Path, ...] = ()
    reads: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()
    same: Same = field(default_factory=dict)
    opaque: str | None = None
    excluded: tuple[tuple[Facts, str], ...] = ()
    moved: frozenset[str] = frozenset()
    alike: tuple[tuple[str, ...], ...] = ()
    split: bool = False
    stuck: tuple[Term, ...] = ()
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit with its idle state, its architectural registers and the executions of its instructions.  `same` maps registers to the one that
    they equal whenever the unit is at rest (the two pointers of an empty queue); `steps`: what all executions have cost."""

    machine: Machine
    contract: Contract
    idle: dict[str, Term]
    architectural: frozenset[str]
    executions: dict[str, Execution]
    rounds: int
    same: Same = field(default_factory=dict)
    steps: int = 0
