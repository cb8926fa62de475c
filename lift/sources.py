"""Terms and messages -> the lines of the RTL that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.terms import Term

NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\[\d+\])*(?:\.[A-Za-z_$][\w$]*(?:\[\d+\])*)*")


def lines_of(lift: Lift, roots: Iterable[Term]) -> tuple[str, ...]:
    """`name (file:line:column)` of each register, memory and input that the terms depend on, in the order of the text."""
    names = dict.fromkeys(str(t.attr) for t in terms.walk(*roots) if t.op in ("sym", "load"))
    return _located(lift, names)


def lines_named(lift: Lift, message: str) -> tuple[str, ...]:
    """The same for the names that occur in a message."""
    return _located(lift, dict.fromkeys(NAME.findall(message)))


def _located(lift: Lift, names: Iterable[str]) -> tuple[str, ...]:
    found = ((name, _place(lift, name)) for name in names)
    return tuple(f"{name} ({place})" for name, place in found if place)


def _place(lift: Lift, name: str) -> str:
    """Of a state variable, or of what a command word or a memory of several banks is in the design."""
    netlist, command = lift.unit.machine.netlist, lift.unit.contract.command
    if name in lift.arrays:
        name = lift.arrays[name].members[0]
    elif command is not None and name in command.words:
        name = command.words[name]
    elif name not in netlist.locations:
        name = next((member for member, place in lift.unit.machine.places.items() if place.name == name), name)
    return str(netlist.locations.get(name, ""))
