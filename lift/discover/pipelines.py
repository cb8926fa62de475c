"""A unit whose iterations overlap in a pipeline → the same unit without the pipeline (`lift.retime`), where each iteration is done in one cycle.

The pipeline is seen by the control in one way only: it waits until nothing is under way.  That is looked at in every cycle that is executed (`check`): with
something under way the unit does what it would do otherwise, or it does nothing and says nothing and will be in the same state in the next cycle.
"""

from __future__ import annotations

from dataclasses import replace

from lift.discover.contract import Contract
from lift.discover.environment import Surroundings
from lift.discover.rest import settle
from lift.discover.unit import WAITS, Unit
from lift.netlist.model import Netlist
from lift.retime.lags import Surface, up_and_down
from lift.retime.retime import Retimed, retimed
from lift.unroll import terms
from lift.unroll.machine import Machine


def without_pipeline(netlist: Netlist, contract: Contract) -> tuple[Netlist, Contract] | None:
    """The unit without its pipeline; None where it has none, or one that is more than a delay."""
    machine = Machine(netlist)
    found = retimed(netlist, _surface(machine, contract))
    if found is None or not _is_empty(machine, contract, found):
        return None
    told = (*contract.quiet, *(c.left for c in found.counts))
    now = replace(contract, removed=found.removed, left=found.left, waiting=found.waiting, counts=found.counts, hazards=found.hazards, quiet=told)
    return found.netlist, now


def counts_what_is_under_way(netlist: Netlist) -> bool:
    """Is there a register that may do so?"""
    return any(up_and_down(n, r.next) for n, r in netlist.registers.items())


def _is_empty(machine: Machine, contract: Contract, found: Retimed) -> bool:
    """Does what says whether something is under way say after reset that nothing is?"""
    idle = settle(machine, Surroundings(machine.netlist, contract, None))
    return all((value := idle[found.source.get(n, n)]).is_const and value.attr == 0 for n in found.waiting)


def better(unit: Unit, other: Unit) -> bool:
    """Are more instructions whole in `unit` than in `other`, or those that are not so under fewer conditions?"""
    return _left(unit) < _left(other)


def incomplete(unit: Unit) -> bool:
    return _left(unit) > (0, 0)


def _left(unit: Unit) -> tuple[int, int]:
    """How many instructions are opaque, and how many conditions are left out of the others, but for those under which they wait for a neighbour."""
    excluded = [reason for e in unit.executions.values() for _, reason in e.excluded if not reason.startswith(WAITS)]
    return sum(e.opaque is not None for e in unit.executions.values()), len(excluded)


def _surface(machine: Machine, contract: Contract) -> Surface:
    """What keeps its value while no command is taken, and which ports speak together."""
    inputs = Surroundings(machine.netlist, contract, None).idle()
    own = {n: terms.sym(n, r.width) for n, r in machine.netlist.registers.items()}
    cycle = machine.cycle(machine.state(own), inputs, {})
    keeping = {n for n, value in own.items() if cycle.next_of(n) is value}
    command, memory = contract.command, contract.memory
    spoken = {p for c in contract.channels for p in (c.valid, c.ready, *c.payload.values()) if p}
    spoken |= {p for p in (memory.response_valid, memory.response_data, memory.request_ready) if p} if memory else set()
    if command is not None:
        spoken |= {command.valid} | (set() if command.held else set(command.words.values()))
    groups = [(command.ready,)] if command and command.ready else []
    groups += [tuple(p for p in (c.valid, *c.payload.values()) if p) for c in contract.channels if c.output]
    groups += [(c.ready,) for c in contract.channels if not c.output and c.ready]
    asked = [p for p in (memory.request_valid, memory.address, memory.write, memory.write_data, memory.write_mask) if p] if memory else []
    groups += [tuple(asked)] if asked else []
    answered = {command.ready} if command and command.ready else set[str]()
    answered |= {p for a in contract.answers if not a.late for p in (a.request.valid, *a.request.payload.values()) if p}
    answered |= set(asked) if memory is not None and memory.response_data else set()
    stable = frozenset(keeping | (machine.netlist.inputs.keys() - spoken))
    return Surface(stable, tuple(groups), frozenset(answered), machine.structure.counters, contract.reset, contract.reset_active)
