"""Names of Verilog to what they stand for (IEEE 1364-2005, 12.7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lift.netlist.model import Node


@dataclass(frozen=True, slots=True)
class Signal:
    """A net or variable `name` (local name) of [left:right] bits; `dimensions` are those of an array, outermost first.  `open` ones are
    ports that may still be declared as a net or variable."""

    name: str
    left: int
    right: int
    signed: bool
    dimensions: tuple[tuple[int, int], ...] = ()
    is_net: bool = False
    open: bool = False

    @property
    def width(self) -> int:
        return abs(self.left - self.right) + 1


@dataclass(frozen=True, slots=True)
class Constant:
    """A parameter or the index of a generate loop; `node` is constant."""

    node: Node
    signed: bool


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function or task: its definition in the syntax tree, and the scope in which it stands."""

    definition: Any
    scope: Scope


@dataclass(frozen=True, slots=True)
class GenerateVariable:
    """A genvar outside its loop: it has no value."""


Meaning = Signal | Constant | FunctionName | GenerateVariable


@dataclass(slots=True)
class Scope:
    """A module, generate block, named block or function; `prefix` begins the local names of what it declares."""

    prefix: str = ""
    parent: Scope | None = None
    names: dict[str, Meaning] = field(default_factory=dict)
    local: bool = False  # in a named block or function: the netlist does not show its variables
    constructs: int = 0  # generate constructs so far, for the names of those that have none

    def find(self, name: str) -> Meaning | None:
        """What `name` means here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def inner(self, name: str, local: bool = False) -> Scope:
        """A scope named `name` inside this one."""
        return Scope(f"{self.prefix}{name}.", self, local=self.local or local)
