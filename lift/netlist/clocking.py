"""The clock edges of a design to its one clock input and its reset input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from lift.errors import UserError
from lift.netlist.arrays import walk
from lift.netlist.lowering import Lowered
from lift.netlist.model import Location, Node
from lift.netlist.module import Edge

RESET_NAMES = ("reset", "rst", "rst_n", "reset_n", "rstn", "resetn", "arst", "arst_n", "nreset")
RESET = re.compile(r"(?:.*_)?[aph]?n?(?:reset|rst)_?[nbl]?(?:_?i)?", re.IGNORECASE)
ACTIVE_LOW = re.compile(r"(?:.*_)?(?:n_?(?:reset|rst)|[aph]?(?:reset|rst)_?[nbl])(?:_?i)?|.*_[nb]", re.IGNORECASE)


class HasLowered(Protocol):
    """An instance of a lowered definition."""

    @property
    def lowered(self) -> Lowered: ...


S = TypeVar("S", bound=HasLowered)
Resolve = Callable[[S, Node, int, int], Node]


def find_clock(scopes: Iterable[S], inputs: Iterable[str], resolve: Resolve[S]) -> str | None:
    """The input of the top module that clocks everything, None when nothing is clocked.  `resolve(scope, node, 0, 1)` gives a signal's
    node in the flat design."""
    names, clock = set(inputs), None
    for scope in scopes:
        for edge, location in _edges(scope.lowered):
            signal = resolve(scope, edge.signal, 0, 1)
            if signal.op != "input" or signal.width != 1 or signal.attr not in names:
                raise UserError(str(location), "the clock is not an input of the top module", "clock gating is not supported")
            found = (str(signal.attr), edge.rising)
            if clock is not None and found != clock:
                raise UserError(str(location), f"expected one clock, found {_text(clock)} and {_text(found)}", "use one edge of one clock")
            clock = found
    return clock[0] if clock else None


def check_clock(clock: str, data: Iterable[Node], location: Location) -> None:
    """Raise `UserError` when one of the `data` nodes depends on the clock."""
    if any(n.op == "input" and n.attr == clock for n in walk(*data)):
        raise UserError(str(location), f"the clock '{clock}' is used as data", "use it in sensitivity lists only")


def find_reset(scopes: Iterable[S], inputs: Iterable[str], resolve: Resolve[S]) -> str | None:
    """The asynchronous reset if there is one, else an input with the name of a reset."""
    for scope in scopes:
        for edge in scope.lowered.resets:
            signal = resolve(scope, edge.signal, 0, 1)
            if signal.op == "input":
                return str(signal.attr)
    names = list(inputs)
    return next((n for n in RESET_NAMES if n in names), next((n for n in names if RESET.fullmatch(n)), None))


def level_of(name: str) -> int:
    """At which level a reset of this name resets."""
    return 0 if ACTIVE_LOW.fullmatch(name) else 1


def _edges(lowered: Lowered) -> Iterator[tuple[Edge, Location]]:
    for drivers in lowered.drivers.values():
        yield from ((d.edge, d.location) for d in drivers if d.edge is not None)
    for ports in lowered.memories.values():
        yield from ((edge, port.location) for port, edge in ports)


def _text(edge: tuple[str, bool]) -> str:
    return f"{'posedge' if edge[1] else 'negedge'} {edge[0]}"
