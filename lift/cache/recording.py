"""Which parts of a design an execution looks at: the parts whose hashes say whether another design would have been executed alike.

Recorded are the registers that might have moved in some cycle, the sources (registers, inputs, memories) whose dependents were looked up to know that,
the memories that were written, and the outputs that were looked at.  What was never looked at may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from lift.cache.digest import Nodes, digest
from lift.netlist.model import Netlist, Node
from lift.unroll.machine import Cycle, Machine, State
from lift.unroll.structure import MEMORY_SOURCE, support
from lift.unroll.terms import Term

Named = tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class Record:
    """Names of what was looked at."""

    moving: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)  # memories, banks merged
    wires: set[str] = field(default_factory=set)

    def names(self) -> Named:
        return tuple(tuple(sorted(each)) for each in (self.moving, self.sources, self.written, self.wires))


class _Watched(dict[str, Node]):
    """Named values of a design; notes which are looked at."""

    record: Record | None = None

    def __getitem__(self, name: str) -> Node:
        if self.record is not None:
            self.record.wires.add(name)
        return super().__getitem__(name)


class RecordingMachine(Machine):
    """A machine that notes what executions look at, while there is a record."""

    def __init__(self, netlist: Netlist) -> None:
        self._watched = _Watched(netlist.outputs), _Watched(netlist.wires)
        super().__init__(replace(netlist, outputs=self._watched[0], wires=self._watched[1]))
        self._record: Record | None = None

    def note(self, record: Record | None) -> None:
        """From here on what is looked at goes to `record`."""
        self._record = record
        for group in self._watched:
            group.record = record

    def cycle(self, state: State, inputs: dict[str, Term], facts: dict[Term, Term], lazy: bool = False, control: frozenset[str] = frozenset()) -> Cycle:
        if self._record is not None:
            self._record.moving |= state.active
            self._look_up({name for name, term in inputs.items() if state.inputs.get(name) is not term}, self._record)
        return super().cycle(state, inputs, facts, lazy, control)

    def _look_up(self, fresh: set[str], record: Record) -> None:
        """Registers may move that depend on inputs which are not what they were."""
        for name in fresh - record.sources:
            record.sources.add(name)
            record.moving.update(self.structure.dependents.get(name, ()))

    def dependents(self, registers: Iterable[str], memories: Iterable[str] = ()) -> frozenset[str]:
        registers, memories = list(registers), list(memories)
        if self._record is not None:
            self._record.sources |= {*registers, *(MEMORY_SOURCE + n for n, p in self.places.items() if p.name in memories)}
            self._record.written |= set(memories)
        return super().dependents(registers, memories)


class Parts:
    """Hashes of the parts of one design that records name.  `constant`: the registers that have a constant value at rest."""

    def __init__(self, machine: Machine, constant: frozenset[str]) -> None:
        self.machine, self.constant = machine, constant
        # Assertions of the design are asked in every cycle.
        self.asserted = support(*(a.holds for a in machine.netlist.assertions)) & machine.netlist.registers.keys()
        self.nodes = Nodes()

    def all(self, names: Named) -> str | None:
        """The hash of all that is named; None when the design has no such part."""
        moving, sources, written, wires = names
        netlist = self.machine.netlist
        values = {**netlist.wires, **netlist.outputs}
        if not all(name in netlist.registers for name in moving) or not all(name in values for name in wires):
            return None
        registers = tuple(self._register(name) for name in moving)
        followers = tuple(tuple(sorted(self.machine.structure.dependents.get(name, ()))) for name in sources)
        given = self.nodes.described(netlist.assertions)
        return digest(registers, followers, self._memories(frozenset(written)), self.nodes.all(values[name] for name in wires), given)

    def _register(self, name: str) -> tuple[object, ...]:
        """Its next value, the roles that the execution gives it, and who takes its value."""
        register, structure = self.machine.netlist.registers[name], self.machine.structure
        moving = (structure.counters, structure.sums, structure.toggles, structure.latches, structure.shifts, structure.deciding)
        roles = (structure.control, structure.machines, *moving, self.constant)
        return self.nodes.described(register), tuple(name in role for role in roles), structure.next_in_line.get(name, ())

    def _memories(self, written: frozenset[str]) -> tuple[object, ...]:
        """Whether a memory is written is asked of every one in every cycle; where and what, of those that are."""
        result: list[object] = []
        for name, memory in self.machine.netlist.memories.items():
            place = self.machine.places[name]
            result.append(self.nodes.described((place, replace(memory, writes=()))))
            for port in memory.writes:
                looked_at = (port.enable, port.address, port.data, port.mask) if place.name in written else (port.enable,)
                result.append(self.nodes.all(looked_at))
        return tuple(result)
