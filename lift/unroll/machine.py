"""One clock cycle of a netlist on terms: present state and inputs to next state and memory writes.  Only registers
one of whose sources changed are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from lift.netlist.model import Netlist, Node
from lift.unroll import memory
from lift.unroll.cycle import NONE, Cycle, Known, Plan
from lift.unroll.limits import MAX_REMEMBERED
from lift.unroll.memory import Place
from lift.unroll.recursion import with_deep_recursion
from lift.unroll.structure import MEMORY_SOURCE, Structure, analyse, support
from lift.unroll.terms import Term
from lift.unroll.values import Later, State, Value, term_of

__all__ = ["Cycle", "Later", "Machine", "State", "Value", "term_of", "with_deep_recursion"]

NONE_OF_THEM = frozenset[int]()


def _dependents(sources: Iterable[frozenset[str]]) -> dict[str, frozenset[int]]:
    """Each source and the numbers of what depends on it."""
    found: dict[str, set[int]] = {}
    for number, names in enumerate(sources):
        for name in names:
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


class Machine:
    """A netlist ready for symbolic execution."""

    def __init__(self, netlist: Netlist) -> None:
        self.netlist = netlist
        self.total = 0  # values of nodes that were computed
        self.structure: Structure = analyse(netlist)
        self.places: dict[str, Place] = memory.places(netlist.memories)
        self._plans: dict[str, Plan | None] = {}
        self._remembered = 0
        self._holding: dict[tuple[Node, ...], frozenset[str] | None] = {}
        self._data = frozenset(n for n in netlist.registers if self._is_data(n))
        self.ports = tuple((name, port) for name, memory in netlist.memories.items() for port in memory.writes)
        self._woken_ports = _dependents(support(port.enable) for _, port in self.ports)

    def _is_data(self, name: str) -> bool:
        """Does it merely pass data on: not control, not a predicate, independent of itself and of what a memory read takes to hold?"""
        sources = self.structure.sources[name]
        wide = self.netlist.registers[name].width > 1
        return wide and name not in self.structure.control and name not in sources and not any(s.startswith(MEMORY_SOURCE) for s in sources)

    def plan(self, name: str) -> Plan | None:
        """None for registers that read a memory: what they get depends on the log."""
        if name not in self._plans:
            sources = sorted(self.structure.sources[name])
            registers = tuple(s for s in sources if s in self.netlist.registers)
            inputs = tuple(s for s in sources if s in self.netlist.inputs)
            self._plans[name] = None if any(s.startswith(MEMORY_SOURCE) for s in sources) else Plan(registers, inputs)
        return self._plans[name]

    def remember(self, plan: Plan, key: tuple[Node | Value, ...], known: Known) -> None:
        """`known` for next time; all else is forgotten where too much is remembered."""
        self._remembered += len(key) + known.size
        if self._remembered > MAX_REMEMBERED:
            for each in self._plans.values():
                if each is not None:
                    each.known.clear()
            self._remembered = len(key) + known.size
        plan.known[key] = known

    def dependents(self, registers: Iterable[str], memories: Iterable[str] = ()) -> frozenset[str]:
        """Registers whose next value depends on one of these registers or (merged) memories."""
        sources = [*registers, *(MEMORY_SOURCE + n for n, p in self.places.items() if p.name in memories)]
        return NONE.union(*(self.structure.dependents.get(source, NONE) for source in sources))

    def ports_after(self, sources: Iterable[str], wrote: bool = False) -> frozenset[int]:
        """Numbers of the write ports whose enables depend on one of these registers and inputs, or on what a memory has."""
        woken = self._woken_ports
        return NONE_OF_THEM.union(*[woken[s] for s in sources if s in woken], *([p for s, p in woken.items() if s.startswith(MEMORY_SOURCE)] if wrote else ()))

    def state(self, registers: Mapping[str, Value]) -> State:
        """A state about which nothing else is known."""
        return State(registers, frozenset(registers))

    def changed(self, state: State, values: Mapping[str, Value]) -> State:
        """`state` with other values for some registers."""
        moved = [n for n, t in values.items() if state.registers[n] is not t]
        active = state.active | self.dependents(moved) | frozenset(moved)
        ports = None if state.ports is None else state.ports | self.ports_after(moved)
        return replace(state, registers={**state.registers, **values}, active=active, ports=ports)

    def cycle(self, state: State, inputs: dict[str, Term], facts: dict[Term, Term], lazy: bool = False, control: frozenset[str] = frozenset()) -> Cycle:
        """`lazy`: the next values of registers that merely pass data on are computed when they are looked at.  Registers in `control` are looked at
        wherever something that they depend on has changed."""
        return Cycle(self, state, inputs, facts, self._data if lazy else frozenset(), control)

    def holding(self, conditions: tuple[Node, ...]) -> frozenset[str] | None:
        """What these conditions depend on; None when that is a memory."""
        if conditions not in self._holding:
            sources = support(*conditions)
            self._holding[conditions] = None if any(s.startswith(MEMORY_SOURCE) for s in sources) else sources
        return self._holding[conditions]
