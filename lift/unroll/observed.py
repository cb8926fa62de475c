"""Which registers and memories are state: those whose contents before an instruction reach the outside, a decision, or other state that does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lift.discover.bursts import burst_ports
from lift.discover.environment import Surroundings
from lift.discover.ports import MEMORY_PORTS
from lift.discover.recorders import record_name
from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.paths import Path, statement_terms
from lift.unroll.structure import MEMORY_SOURCE, support
from lift.unroll.terms import Term

if TYPE_CHECKING:
    from lift.discover.state import Unit
    from lift.unroll.grids import StateArray


def effects(path: Path, memories: set[str]) -> list[Term]:
    """What a path does to `memories` and what it is decided by."""
    kept = (k for s in path.statements for m in memories_of(s) if m in memories and (k := part_of(s, m)) is not None)
    roots = [t for s in kept for t in statement_terms(s)]
    return roots + [p for p, _ in path.facts] + list(path.domain)


def symbols(roots: list[Term]) -> set[str]:
    return {str(t.attr) for t in terms.walk(*roots) if t.op == "sym"}


def read_state(unit: Unit, place: dict[str, tuple[StateArray, int]]) -> tuple[set[str], set[str]]:
    """Registers and memories whose contents before an instruction reach the outside, a decision, or state that does.  The memory of a queue is
    not one: what is read from it was written by the same instruction."""
    registers = unit.machine.netlist.registers
    inside = _reread(unit) - _told(unit)
    paths = [p for e in unit.executions.values() for p in e.paths]
    stored = terms.walk(*(t for p in paths for s in p.statements for t in statement_terms(s)))
    memories = {m for p in paths for s in p.statements for m in memories_of(s)} - inside
    memories |= {str(t.attr) for t in stored if t.op == "load"} & inside
    read, shown = _shown(unit)
    memories |= shown & inside
    while True:
        whole = {m for r in read if r in place for m in place[r][0].members}
        roots = [t for p in paths for t in effects(p, memories)] + [p.final.value(r) for p in paths for r in read | whole]
        found = {s for s in symbols(roots) if s in registers} | whole
        loads = {str(t.attr) for t in terms.walk(*roots) if t.op == "load"} & inside
        if found <= read and loads <= memories:
            return read, memories
        read |= found
        memories |= loads


def _reread(unit: Unit) -> set[str]:
    """The memories that registers or other memories take values from."""
    machine = unit.machine
    sources = {s for used in machine.structure.sources.values() for s in used if s.startswith(MEMORY_SOURCE)}
    stored = [n for m in machine.netlist.memories.values() for w in m.writes for n in (w.enable, w.address, w.data)]
    sources |= {s for s in support(*stored) if s.startswith(MEMORY_SOURCE)}
    return {machine.places[s.removeprefix(MEMORY_SOURCE)].name for s in sources}


def _shown(unit: Unit) -> tuple[set[str], set[str]]:
    """Registers and memories that outputs which belong to no port with a contract show at rest."""
    contract, machine = unit.contract, unit.machine
    ports = {p for c in contract.channels for p in (c.valid, c.ready, *c.payload.values())}
    ports |= {contract.command.ready} if contract.command else set()
    ports |= {getattr(contract.memory, key) for key in MEMORY_PORTS} if contract.memory else set()
    ports |= burst_ports(contract.bursts)
    held = {n: terms.sym(unit.same.get(n, n), t.width) if n in unit.architectural else t for n, t in unit.idle.items()}
    cycle = machine.cycle(machine.state(held), Surroundings(machine.netlist, contract, None).idle(), {})
    found = list(terms.walk(*(cycle.output(name) for name in machine.netlist.outputs if name not in ports)))
    return {str(t.attr) for t in found if t.op == "sym"} & machine.netlist.registers.keys(), {str(t.attr) for t in found if t.op == "load"}


def _told(unit: Unit) -> set[str]:
    """The memories that record what the unit says on its channels."""
    return {record_name(unit.contract, p) for c in unit.contract.channels if c.output and c.valid for p in (c.payload.values() or [c.valid])}


def memories_of(statement: Statement) -> list[str]:
    return [m for s in statement.body for m in memories_of(s)] if isinstance(statement, Loop) else [statement.memory]


def part_of(statement: Statement, memory: str) -> Statement | None:
    """The part of a statement that stores to `memory`."""
    if isinstance(statement, Store):
        return statement if statement.memory == memory else None
    body = tuple(f for s in statement.body if (f := part_of(s, memory)) is not None)
    return Loop(statement.index, statement.count, body) if body else None
