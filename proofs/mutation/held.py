"""A design -> registers that still equal what they were loaded with, while what uses them is not idle: a request is held until it is answered.

A register that takes `source` where `loads`, and else stays, equals `source` as it is now while a control register is not at rest, if no cycle
within that time changes what `source` is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import z3

from lift.crosscheck.bits import Bits, const
from lift.crosscheck.decide import decide
from lift.crosscheck.meaning import Meaning, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist, Node
from lift.netlist.simulate import order
from proofs.mutation.control import Invariant, after_reset, control_registers, registers_of

RLIMIT = 2_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """`register` is `source`, over the registers of the state, where `control` is not `idle`."""

    register: str
    control: str
    idle: int
    source: Bits = field(compare=False, repr=False)

    def over(self, state: Mapping[str, Bits]) -> Bits:
        control = state[self.control]
        source = z3.substitute(self.source, *((variable(n, v.size()), v) for n, v in state.items()))
        return z3.Implies(control != const(self.idle, control.size()), state[self.register] == source)


def held(netlist: Netlist, contract: Contract, known: list[Invariant]) -> list[Held]:
    """Registers and the control that decides when they are loaded."""
    reset, meaning = after_reset(netlist, contract), Meaning(netlist)
    state = {n: variable(n, r.width) for n, r in netlist.registers.items()}
    control = {n for n in control_registers(netlist, contract) if n in reset}
    given = [each.over(state) for each in known]
    found = []
    for name, register in netlist.registers.items():
        for loads, source in _loaded(register.next, name):
            if any(node.op in ("input", "memread", "undef") for node in order([source])):
                continue
            for guard in sorted(registers_of(loads) & control):
                if _stays(netlist, meaning, loads, source, guard, reset[guard], given):
                    found.append(Held(name, guard, reset[guard], meaning.value(source).bits))
    return found


def _loaded(value: Node, name: str) -> Iterator[tuple[Node, Node]]:
    """The condition under which a register takes something else than a constant, and what, where there is one such place."""
    while value.op == "mux":
        condition, then, other = value.args
        if _keeps(other, name) and then.op != "const":
            yield condition, then
            return
        value = other if then.op == "const" else then if other.op == "const" else Node("const", 1, (), 0)


def _keeps(value: Node, name: str) -> bool:
    return value.op == "reg" and value.attr == name


def _stays(netlist: Netlist, meaning: Meaning, loads: Node, source: Node, guard: str, idle: int, given: list[Bits]) -> bool:
    """Is the source, after each cycle after which the guard is not idle, what it was; and was the guard not idle before, or is the source loaded?"""
    control = netlist.registers[guard]
    after = meaning.value(control.next)
    then = {n: meaning.value(netlist.registers[n].next) for n in sorted(registers_of(source))}
    if after.unknown is not None or any(value.unknown is not None for value in then.values()):
        return False
    busy = after.bits != const(idle, control.width)

    def holds(claim: Bits) -> bool:
        return decide(z3.Implies(busy, claim), given, RLIMIT)[0] == "agreed"

    if not holds(z3.Or(meaning.value(loads).bits == 1, variable(guard, control.width) != const(idle, control.width))):
        return False
    now = meaning.value(source).bits
    moved = [(variable(n, v.bits.size()), v.bits) for n, v in then.items() if not holds(v.bits == variable(n, v.bits.size()))]
    return not moved or holds(z3.substitute(now, *moved) == now)
