"""The result of unrolling: one update function per (instruction, state variable), as data.

A function's body is a list of statements over terms: stores to memories, loops with a symbolic trip count around them, and at most one
result (the final value of a register).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lift.unroll.terms import Term

Role = Literal["field", "state", "array", "memory", "host", "input"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A free symbol (`depth` None) or an array of `depth` words that loads and stores name.

    Roles: `field` a payload word of the command, `state` a register, `array` registers of one kind at several places of the design seen as
    one array, `memory` an on-chip memory, `host` the memory behind the memory port, `input` another input port.
    """

    name: str
    width: int
    depth: int | None
    role: Role
    location: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """When `condition` holds (None: always), bits of `data` under `mask` (None: all) replace those of word `address` of `memory`."""

    memory: str
    address: Term
    data: Term
    mask: Term | None
    condition: Term | None


@dataclass(frozen=True, slots=True)
class Loop:
    """`body` for `index` = 0, 1, ..., `count` - 1 in this order; `index` is a symbol of the same width as `count`."""

    index: Term
    count: Term
    body: tuple[Statement, ...]


Statement = Store | Loop


def stores(statements: Iterable[Statement]) -> list[Store]:
    """Every store of some statements, inside loops too."""
    return [s for x in statements for s in (stores(x.body) if isinstance(x, Loop) else [x])]


@dataclass(frozen=True, slots=True)
class UpdateFunction:
    """What `instruction` of `unit` does to state variable `target`, provided that `assumptions` hold.  `result` is the final value of a
    register, None for a memory; memory updates are `body`."""

    unit: str
    instruction: str
    target: str
    arguments: tuple[Argument, ...]
    body: tuple[Statement, ...] = ()
    result: Term | None = None
    assumptions: tuple[Term, ...] = ()
    cycles: int = 0
    location: str = ""
