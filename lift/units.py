"""A design that is commanded in several places: the modules below the top that take commands of their own, each lifted by itself.

A unit is lifted against the contracts of its neighbours (`lift.discover.channels`); that commands reach it unchanged is an assumption.  All units together may
take as many steps as one design, in equal parts; a unit that needs more can be lifted alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lift.discover.commands import decoder
from lift.discover.contract import Contract, discover
from lift.discover.spelling import spelling
from lift.netlist.model import Netlist
from lift.netlist.module import Design, Module
from lift.options import Options
from lift.verilog import below

SEVERAL = 2
COMMAND_BITS = 7  # of an opcode and an operand; narrower payloads are tags


@dataclass(frozen=True, slots=True)
class Candidate:
    """A definition that takes commands, by its key in the design."""

    key: str
    netlist: Netlist


def whole(contract: Contract, design: Design | None, candidates: Callable[[], list[Candidate]]) -> bool:
    """Is the top itself what is to be lifted?  Not when it takes no commands, nor when it has no port to memory and several modules below
    it take commands."""
    if contract.command is None:
        return design is None or not candidates()
    complete = contract.memory is not None and contract.memory.response_valid is not None
    return complete or design is None or len(candidates()) < SEVERAL


def candidates(netlist: Netlist) -> list[Candidate]:
    """The nearest definitions below the top that take commands by a handshake and compare them with constants."""
    design = netlist.design
    if design is None:
        return []
    found: list[Candidate] = []
    seen = {design.top}
    waiting = [design.top]
    while waiting:
        for instance in design.modules[waiting.pop(0)].instances:
            key = instance.module
            if key is None or key in seen:
                continue
            seen.add(key)
            unit = _candidate(netlist, key) if _may_be(design.modules[key]) else None
            if unit is not None:
                found.append(unit)
            else:
                waiting.append(key)
    return found


def _may_be(module: Module) -> bool:
    """Does it take something by a handshake that is wide enough for a command?"""
    usual = spelling(module.inputs, module.outputs)
    inputs = {usual[n]: w for n, w in module.inputs.items()}
    for name in inputs:
        prefix = name[: -len("valid")]
        if name.endswith("valid") and prefix + "ready" in {usual[n] for n in module.outputs}:
            width = sum(w for n, w in inputs.items() if n.startswith(prefix) and n != name)
            if width >= COMMAND_BITS:
                return True
    return False


def _candidate(netlist: Netlist, key: str) -> Candidate | None:
    unit = below(netlist, key)
    command = discover(unit).command
    return Candidate(key, unit) if command is not None and decoder(unit, command) is not None else None


def options_of(name: str, options: Options, units: int = 1) -> Options:
    """The options for the unit `name`, one of so many: its files stand beside those of the others, with the unit's name in theirs."""
    return replace(
        options,
        top=name,
        name=f"{options.name}_{name}",
        output=options.output.with_name(f"{options.output.stem}.{name}.taidl"),
        report=None if options.report is None else options.report / name,
        json=None,
        sharing=units,
    )
