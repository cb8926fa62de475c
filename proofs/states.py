"""Values of a counterexample -> a state of the whole machine at rest, in which a command can be executed: by RTL names, and word by word.

What a counterexample does not name may be anything: in filling 0, registers are 0 and words random; in each further one, both are random.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import z3

from lift.crosscheck.predicted import After
from lift.crosscheck.sample import Before, resting
from lift.ir.subterms import free, subterms
from lift.unroll.extract import Lift

WORD = re.compile(r"(.*?)(?: in iteration \d+)?\[0x([0-9a-f]+)\]")
Words = dict[int, int]


def drawn(filling: int, name: str, width: int) -> int:
    """What the counterexample does not name: random, and always the same in one filling."""
    return random.Random(f"{filling} {name}").getrandbits(width)


class Start(Before):
    """Host memory has the bytes of the counterexample."""

    def host_byte(self, address: int) -> int:
        return self.host.get(address, drawn(self.seed, f"host {address}", 8))


@dataclass(frozen=True, slots=True)
class State:
    """Before a command.  `words` are those of arrays and memories that the counterexample names, `scalars` its other values."""

    lift: Lift
    scalars: Mapping[str, int]
    words: Mapping[str, Words]
    filling: int = 0

    def word(self, name: str, address: int, width: int) -> int:
        """A word of an array, of a memory or of the host's."""
        return self.words.get(name, {}).get(address, drawn(self.filling, f"{name} {address}", width))

    def scalar(self, name: str, width: int) -> int:
        """A register or a field of the command."""
        return self.scalars[name] if name in self.scalars else drawn(self.filling, name, width) if self.filling else 0

    def start(self) -> Start:
        netlist, unit = self.lift.unit.machine.netlist, self.lift.unit
        registers = resting(self.lift, lambda name: self.scalar(name, netlist.registers[name].width))
        for array in self.lift.arrays.values():
            registers |= {member: self.word(array.name, k, array.width) for k, member in enumerate(array.members)}
        registers |= {name: registers[first] for name, first in unit.same.items()}
        memories = {
            name: [self.word(p.name, p.bank * p.depth + k, p.width) for k in range(netlist.memories[name].depth)] for name, p in unit.machine.places.items()
        }
        host = unit.contract.memory
        held = {} if host is None else {a: self.word(host.name, a, 8) for a in self.words.get(host.name, {})}
        return Start(registers, memories, dict(self.scalars), self.filling, held, dict(netlist.inputs))

    def value(self, expression: z3.ExprRef) -> int:
        """A Z3 value over names of the RTL and of attributes, in this state."""
        names = [t for t in free([expression]) if z3.is_bv(t)]
        found = z3.simplify(z3.substitute(expression, *((t, z3.BitVecVal(self.scalar(t.decl().name(), t.size()), t.size())) for t in names)))
        while loads := [t for t in subterms([found]) if z3.is_select(t) and z3.is_const(t.arg(0)) and z3.is_bv_value(t.arg(1))]:
            found = z3.simplify(z3.substitute(found, *((t, self._loaded(t)) for t in loads)))
        return int(z3.is_true(found)) if z3.is_bool(found) else found.as_long()

    def _loaded(self, load: z3.ExprRef) -> z3.BitVecRef:
        array, address = load.children()
        return z3.BitVecVal(self.word(array.decl().name(), address.as_long(), load.size()), load.size())


def state(lift: Lift, values: Mapping[str, int], filling: int = 0) -> State:
    """The state of a counterexample."""
    scalars, words = dict[str, int](), dict[str, Words]()
    for name, value in values.items():
        if place := WORD.fullmatch(name):
            words.setdefault(place[1], {})[int(place[2], 16)] = value
        else:
            scalars[name] = value
    return State(lift, scalars, words, filling)


def after(lift: Lift, start: Before, found: After, target: str) -> Iterator[tuple[int, int, int]]:
    """(word, before, after) of a state variable; a register is word 0.  Of the host's memory, what was written."""
    array, places = lift.arrays.get(target), {n: p for n, p in lift.unit.machine.places.items() if p.name == target}
    if array is not None:
        yield from ((k, start.registers[m], found.registers[m]) for k, m in enumerate(array.members))
    elif places:
        for name, p in places.items():
            pairs = zip(start.memories[name], found.memories[name], strict=True)
            yield from ((p.bank * p.depth + k, old, new) for k, (old, new) in enumerate(pairs))
    elif target in found.registers:
        yield 0, start.registers[target], found.registers[target]
    else:
        yield from ((a, start.host_byte(a), value) for a, value in found.host.items())


__all__ = ["State", "Words", "after", "state"]
