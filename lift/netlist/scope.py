"""One instance of a lowered definition, and what belongs to its variables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from lift.errors import UserError
from lift.netlist.lowering import Driver, Lowered
from lift.netlist.model import Node
from lift.netlist.module import Instance


class Latch(UserError):
    """A combinational process that leaves a variable as it was."""


class Scope:
    """One instance of a lowered definition."""

    def __init__(self, path: str, lowered: Lowered, parent: Scope | None, instance: Instance | None) -> None:
        self.path, self.lowered, self.parent, self.instance = path, lowered, parent, instance
        self.children: dict[str, Scope] = {}
        self.boxes: dict[str, Instance] = {}
        self.memo: dict[Node, Node] = {}
        self.parts: dict[tuple[str, int, int], Node] = {}

    def full(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def overlapping(drivers: list[Driver], low: int, width: int) -> Iterator[Driver]:
    """Those of `drivers` (sorted, disjoint) that drive one of the bits [low + width - 1 : low], the highest first."""
    at = bisect_left(drivers, low + width, key=_low)
    while at and (driver := drivers[at - 1]).low + driver.value.width > low:
        yield driver
        at -= 1


def bits_of(constant: Node) -> int:
    """Its value, 0 where it is undefined."""
    assert isinstance(constant.attr, int)
    return constant.attr & ~constant.xmask


def known(word: Node | None) -> int | None:
    """The value of a constant of which every bit is defined."""
    return None if word is None or word.xmask else bits_of(word)


def _low(driver: Driver) -> int:
    return driver.low


def register_name(scope: Scope, name: str, driver: Driver) -> str:
    """The full name of the register that a clocked driver makes."""
    low, width = driver.low, driver.value.width
    whole = width == scope.lowered.variables[name]
    return scope.full(name) + ("" if whole else f"[{low + width - 1}:{low}]")
