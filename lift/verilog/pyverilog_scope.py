"""Names of Verilog to what they stand for, and literals to values (IEEE 1364-2005, 3.5 and 12.7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lift.netlist.model import Node


@dataclass(frozen=True, slots=True)
class Signal:
    """A net or variable `name` (local name) of [left:right] bits; `dimensions` are those of an array, outermost first."""

    name: str
    left: int
    right: int
    signed: bool
    dimensions: tuple[tuple[int, int], ...] = ()

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


@dataclass(frozen=True, slots=True)
class Literal:
    """A number: z digits have value and x mask set."""

    width: int
    signed: bool
    value: int
    xmask: int


_BITS = {"b": 1, "o": 3, "h": 4}


def literal(text: str) -> Literal:
    """A number as written."""
    text = text.replace("_", "").lower()
    if "'" not in text:
        return Literal(32, True, int(text) & 0xFFFFFFFF, 0)
    size, _, rest = text.partition("'")
    signed = rest.startswith("s")
    base, digits = rest[signed], rest[signed + 1 :]
    width = int(size) if size else 32
    value, mask = _decimal(digits) if base == "d" else _digits(digits, _BITS[base], width)
    ones = (1 << width) - 1
    return Literal(width, signed, value & ones, mask & ones)


def _decimal(digits: str) -> tuple[int, int]:
    if digits[0] in "xz?":
        return (0, -1) if digits[0] == "x" else (-1, -1)
    return int(digits), 0


def _digits(digits: str, bits: int, width: int) -> tuple[int, int]:
    if digits[0] in "xz?":
        digits = digits[0] * (width // bits + 1) + digits  # the first digit is repeated
    value, mask, ones = 0, 0, (1 << bits) - 1
    for digit in digits:
        value = value << bits | (0 if digit == "x" else ones if digit in "z?" else int(digit, 16))
        mask = mask << bits | (ones if digit in "xz?" else 0)
    return value, mask
