"""A module on its own -> what one clock cycle does to it: one update function per register, output and memory, over free inputs and registers.

This is how a module without a command port is lifted (a processing element, say), and how one step of a controller is reasoned about.
"""

from __future__ import annotations

from dataclasses import dataclass

from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.function import Argument, Role, Store, UpdateFunction
from lift.unroll.machine import Cycle, Machine, term_of
from lift.unroll.memory import Write
from lift.unroll.paths import statement_terms
from lift.unroll.terms import TRUE, Term

INSTRUCTION = "step"
_ORDER: dict[Role, int] = {"input": 0, "state": 1, "memory": 2}


@dataclass(frozen=True, slots=True)
class Step:
    """The update functions of one cycle: `registers` at the next clock edge, `outputs` before it (a combinational function has no state
    variable; its target is the port), `memories` (merged banks as in `lift.unroll.memory`) with a store per write port."""

    registers: dict[str, UpdateFunction]
    outputs: dict[str, UpdateFunction]
    memories: dict[str, UpdateFunction]


def step(netlist: Netlist) -> Step:
    """One cycle of `netlist` from any state under any inputs; undefined values are further free symbols.  Deep expressions need
    `machine.with_deep_recursion`."""
    return _Builder(netlist).step()


class _Builder:
    def __init__(self, netlist: Netlist) -> None:
        self.netlist, self.machine = netlist, Machine(netlist)
        self.words = {p.name: Argument(p.name, p.width, p.words, "memory") for p in self.machine.places.values()}

    def step(self) -> Step:
        cycle = self._cycle()
        after = cycle.after()
        registers = {name: self._value(name, term_of(after.registers[name])) for name in self.netlist.registers}
        outputs = {name: self._value(name, cycle.output(name)) for name in self.netlist.outputs}
        memories = {name: self._memory(name, tuple(w for w in after.log if w.memory == name)) for name in self.words}
        return Step(registers, outputs, memories)

    def _cycle(self) -> Cycle:
        state = self.machine.state({name: terms.sym(name, r.width) for name, r in self.netlist.registers.items()})
        return self.machine.cycle(state, {name: terms.sym(name, width) for name, width in self.netlist.inputs.items()}, {})

    def _value(self, target: str, result: Term) -> UpdateFunction:
        return UpdateFunction(self.netlist.top, INSTRUCTION, target, self._arguments(result), (), result, (), 1, self._location(target))

    def _memory(self, target: str, writes: tuple[Write, ...]) -> UpdateFunction:
        stores = tuple(Store(w.memory, w.address, w.data, w.mask, None if w.condition is TRUE else w.condition) for w in writes)
        roots = [term for store in stores for term in statement_terms(store)]
        return UpdateFunction(self.netlist.top, INSTRUCTION, target, self._arguments(*roots, memory=target), stores, None, (), 1)

    def _arguments(self, *roots: Term, memory: str | None = None) -> tuple[Argument, ...]:
        """What the terms name, inputs first."""
        found = {} if memory is None else {memory: self.words[memory]}
        for term in terms.walk(*roots):
            name = str(term.attr)
            if term.op == "load":
                found[name] = self.words[name]
            elif term.op == "sym":
                role: Role = "state" if name in self.netlist.registers else "input"
                found[name] = Argument(name, term.width, None, role, self._location(name))
        return tuple(sorted(found.values(), key=lambda a: (_ORDER[a.role], a.name)))

    def _location(self, name: str) -> str:
        return str(self.netlist.locations.get(name, ""))
