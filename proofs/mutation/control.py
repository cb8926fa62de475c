"""A design -> what can be said of its control: values of registers of few bits, and what reset makes of registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import z3

from lift.crosscheck.bits import Bits, const, extract
from lift.crosscheck.meaning import Meaning, Value
from lift.discover.contract import Contract
from lift.netlist.model import Netlist, Node
from lift.netlist.simulate import order

WHOLE, WIDEST = 2, 4
"""Registers of so many bits are looked at whole; up to so many, bit by bit."""


class Invariant(Protocol):
    """What holds of every reachable state."""

    def over(self, state: Mapping[str, Bits]) -> Bits: ...


@dataclass(frozen=True, slots=True)
class Literal:
    """Bits [low, low + width) of `register` are `value`."""

    register: str
    low: int
    width: int
    value: int

    def over(self, state: Mapping[str, Bits]) -> Bits:
        return extract(state[self.register], self.low, self.width) == const(self.value, self.width)


@dataclass(frozen=True, slots=True)
class Bound:
    """`register` is at most `most`."""

    register: str
    most: int

    def over(self, state: Mapping[str, Bits]) -> Bits:
        held = state[self.register]
        return z3.ULE(held, const(self.most, held.size()))


def literals(netlist: Netlist, contract: Contract) -> list[Literal]:
    """What can be said of each control register."""
    found = []
    for name in control_registers(netlist, contract):
        width = netlist.registers[name].width
        size = width if width <= WHOLE else 1
        found += [Literal(name, low, size, value) for low in range(0, width, size) for value in range(1 << size)]
    return found


def control_registers(netlist: Netlist, contract: Contract) -> list[str]:
    """Those of few bits that reset gives a constant, and those of one bit."""
    known = after_reset(netlist, contract)
    return [n for n, r in netlist.registers.items() if r.width == 1 or (r.width <= WIDEST and n in known)]


def after_reset(netlist: Netlist, contract: Contract) -> dict[str, int]:
    """Registers that reset gives a constant, and that constant."""
    if contract.reset is None:
        return {}
    in_reset = Meaning(netlist, {contract.reset: Value(const(contract.reset_active, 1))})
    values = {n: z3.simplify(in_reset.value(r.next).bits) for n, r in netlist.registers.items()}
    return {n: v.as_long() for n, v in values.items() if z3.is_bv_value(v)}


def registers_of(*roots: Node) -> set[str]:
    """Those that are read in one cycle."""
    return {str(node.attr) for node in order(roots) if node.op == "reg"}
