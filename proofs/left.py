"""Two machines that differ only in what is left in registers that do not count -> whether anything ever depends on it.

The relation: all registers are equal, but for the parts of some, which are equal where they count.  It is enough that every cycle keeps it, under an
invariant, and that memories and outputs are the same.  The second machine may be of another design: then both do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import z3

from lift.crosscheck.bits import Bits, address_bits, extract
from lift.crosscheck.meaning import Meaning, Value
from lift.ir.subterms import free
from lift.netlist.model import Netlist, Node

State = Callable[[str], Bits]
"""A register's value by its name."""


@dataclass(frozen=True, slots=True)
class Part:
    """Bits of a register, and when they count."""

    low: int
    width: int
    counts: z3.BoolRef


Settled = Callable[[State], dict[str, list[Part]]]
Split = Callable[[str], list[Bits]]


class Cycle(Protocol):
    """One cycle of a design: registers before and after; `given` are those that are no free variables."""

    design: Netlist
    meaning: Meaning
    given: dict[str, Any]

    def now(self, name: str) -> Bits: ...

    def after(self, name: str) -> Bits: ...


class Left:
    """`settled` gives, for a state, the registers that do not always count, and when their parts do; `split` the bits on which
    that depends, for what is claimed of a name.  Before the cycle the machines are in the relation, or (`equal`) in the same state."""

    def __init__(self, one: Cycle, settled: Settled, split: Split, other: Netlist | None = None, equal: bool = False) -> None:
        self.one, self.split, self.design = one, split, one.design if other is None else other
        self.parts, self.parts_after = settled(one.now), settled(one.after)
        mine = {} if equal else {name: Value(self._other(name, parts)) for name, parts in self.parts.items()}
        self.other = Meaning(self.design, {**{n: Value(b) for n, b in one.given.items()}, **mine})

    def _other(self, name: str, parts: list[Part]) -> Bits:
        here, there = self.one.now(name), z3.BitVec(f"{name} of the other", self.one.design.registers[name].width)
        bits = [z3.If(p.counts, extract(here, p.low, p.width), extract(there, p.low, p.width)) for p in reversed(parts)]
        return z3.Concat(*bits) if len(bits) > 1 else bits[0]

    def registers(self) -> Iterator[tuple[str, z3.BoolRef]]:
        """What has to be equal after the cycle, by name."""
        for name, register in self.one.design.registers.items():
            one, two = self._both(register.next, self.design.registers[name].next)
            if name not in self.parts_after:
                yield name, one == two
            for part in self.parts_after.get(name, []):
                yield name, z3.Implies(part.counts, extract(one, part.low, part.width) == extract(two, part.low, part.width))

    def memories(self) -> Iterator[tuple[str, z3.BoolRef]]:
        """The same words are written."""
        for name, memory in self.one.design.memories.items():
            index = z3.BitVec(f"{name}[any]", address_bits(memory.depth))
            yield name, self.one.meaning.word_after(memory, index).bits == self.other.word_after(self.design.memories[name], index).bits

    def outputs(self, only_if: Mapping[str, str]) -> Iterator[tuple[str, z3.BoolRef]]:
        """The same, where `only_if` (an output by the one that says that it counts) holds."""
        outputs = self.one.design.outputs
        for name, node in outputs.items():
            one, two = self._both(node, self.design.outputs[name])
            valid = only_if.get(name)
            yield name, one == two if valid is None else z3.Implies(self.one.meaning.value(outputs[valid]).bits == 1, one == two)

    def _both(self, one: Node, two: Node) -> tuple[Bits, Bits]:
        return self.one.meaning.value(one).bits, self.other.value(two).bits

    def cases(self, name: str, claim: z3.BoolRef) -> Iterator[list[z3.BoolRef]]:
        """The values of the few bits on which it depends what counts: with them in place both sides are, nearly always, the same term."""
        seen = {str(v) for v in free([z3.simplify(claim)])}
        chosen = [bits for bits in self.split(name) if str(bits) in seen]
        for values in product(*(range(1 << bits.size()) for bits in chosen)):
            yield [bits == value for bits, value in zip(chosen, values, strict=True)]


__all__ = ["Cycle", "Left", "Part", "Settled", "Split", "State"]
