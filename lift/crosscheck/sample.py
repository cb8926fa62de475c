"""A mode of an instruction to a random state and command within its facts, domain and assumptions.

A solver accepts one random chunk of the fields and registers after the other, so that every value that the conditions allow may be drawn;
trip counts are kept small where the conditions allow it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

import z3

from lift.crosscheck.bits import Bits, number
from lift.discover.recorders import is_record, owed_name
from lift.netlist.model import Memory
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import Loop, Statement
from lift.unroll.micro import Nest, is_index
from lift.unroll.solver import Translator
from lift.unroll.terms import Term

RLIMIT = 4_000_000
FEW = 12  # iterations
TRIES = 20
CHUNK = 4  # bits


class NoSample(Exception):
    """No state was drawn; the message says why."""


@dataclass
class Before:
    """The concrete state before the instruction.  Host memory is a function of the address, with what was written since on top."""

    registers: dict[str, int]
    memories: dict[str, list[int]]
    fields: dict[str, int]
    seed: int
    host: dict[int, int] = field(default_factory=dict)
    widths: dict[str, int] = field(default_factory=dict)  # of input ports

    def host_byte(self, address: int) -> int:
        return self.host.get(address, (address * 2654435761 + self.seed) >> 7 & 0xFF)

    def outside_word(self, port: str, address: int) -> int:
        """What is answered on an input port for an address: random, and always the same."""
        return random.Random(f"{self.seed} {port} {address}").getrandbits(self.widths[port])


def draw(lift: Lift, mode: Mode, rng: random.Random) -> Before:
    """A random state and command in the mode.  Raises NoSample."""
    for _ in range(TRIES):
        before = sample(lift, mode, rng)
        if before is not None:
            return before
    raise NoSample(f"no state within the assumptions of mode {mode.number} was drawn in {TRIES} tries")


def sample(lift: Lift, mode: Mode, rng: random.Random) -> Before | None:
    """A random state and command in the mode; None when what was drawn violates its assumptions."""
    conditions = [p if h else terms.negate(p) for p, h in mode.facts] + list(mode.domain)
    netlist = lift.unit.machine.netlist
    drawn = _chosen(conditions, [count for _, count in loops(mode)], rng)
    registers = resting(lift, lambda name: rng.getrandbits(netlist.registers[name].width))
    for array in lift.arrays.values():
        for index, member in enumerate(array.members):
            registers[member] = drawn.get((array.name, index), registers[member])
    for name in lift.registers:
        registers[name] = drawn.get((name, None), registers[name])
    registers |= {owed_name(a): drawn.get((owed_name(a), None), 0) for a in lift.unit.contract.answers if a.late}
    registers |= {name: registers[first] for name, first in lift.unit.same.items()}
    memories = {m.name: _contents(m, is_record(netlist, m.name), rng) for m in netlist.memories.values()}
    command = lift.unit.contract.command
    assert command is not None
    fields = {word: drawn.get((word, None), rng.getrandbits(netlist.inputs[port])) for word, port in command.words.items()}
    before = Before(registers, memories, fields, rng.getrandbits(32), {}, dict(netlist.inputs))
    return before if assumed(lift, mode, before) else None


def resting(lift: Lift, value: Callable[[str], int]) -> dict[str, int]:
    """Registers of a machine at rest: `value` of those that rest does not fix."""
    found: dict[str, int] = {}
    for name in lift.unit.machine.netlist.registers:
        idle = lift.unit.idle[name]
        found[name] = value(name) if not idle.is_const or name in lift.unit.architectural else int(idle.attr or 0)
    return found


def any_state(lift: Lift, rng: random.Random) -> Before:
    """Random registers and memories, at rest or not."""
    netlist = lift.unit.machine.netlist
    registers = {r.name: rng.getrandbits(r.width) for r in netlist.registers.values()}
    registers |= {owed_name(a): 0 for a in lift.unit.contract.answers if a.late}
    memories = {m.name: _contents(m, is_record(netlist, m.name), rng) for m in netlist.memories.values()}
    return Before(registers, memories, {}, rng.getrandbits(32), {}, dict(netlist.inputs))


def _contents(memory: Memory, recorder: bool, rng: random.Random) -> list[int]:
    """Random words; a recorder of an output begins empty."""
    return [0] * memory.depth if recorder else [rng.getrandbits(memory.width) for _ in range(memory.depth)]


def _chosen(conditions: list[Term], counts: list[Term], rng: random.Random) -> dict[tuple[str, int | None], int]:
    """Random values of the symbols and constant-address loads in the conditions, such that the conditions hold."""
    translate, solver = Translator(), z3.SolverFor("QF_UFBV")
    solver.set("rlimit", RLIMIT)
    solver.add(*(translate.holds(c) for c in conditions))
    if solver.check() != z3.sat:
        raise NoSample("the conditions of the mode were not shown to be satisfiable")
    for count in counts:
        few: Bits = z3.ULE(translate.value(count), z3.BitVecVal(FEW, count.width)) if count.width > FEW.bit_length() else z3.BoolVal(True)
        if not _has_index(count) and solver.check(few) == z3.sat:
            solver.add(few)
    leaves = {t for c in (*conditions, *counts) for t in terms.walk(c) if (t.op == "sym" and not is_index(t)) or (t.op == "load" and t.args[0].is_const)}
    chunks = [(t, low) for t in sorted(leaves, key=lambda t: t.serial) for low in range(0, t.width, CHUNK)]
    rng.shuffle(chunks)
    for term, low in chunks:
        high = min(low + CHUNK, term.width) - 1
        part: Bits = z3.Extract(high, low, translate.value(term)) == rng.getrandbits(high - low + 1)
        if solver.check(part) == z3.sat:
            solver.add(part)
    if solver.check() != z3.sat:
        raise NoSample("the solver reached its limit")
    model = solver.model()
    return {(str(t.attr), int(t.args[0].attr or 0) if t.args else None): number(model, translate.value(t)) for t in leaves}


def _has_index(term: Term) -> bool:
    return any(is_index(t) for t in terms.walk(term))


def assumed(lift: Lift, mode: Mode, before: Before) -> bool:
    """Do the assumptions hold for all iterations?"""
    value = evaluator(lift, before)
    counts = {str(index.attr): value(count, {}) for index, count in loops(mode) if not _has_index(count)}
    for condition in mode.assumptions:
        indices = sorted({t for t in terms.walk(condition) if t.op == "sym" and str(t.attr).rstrip("'") in counts}, key=lambda t: t.serial)
        for values in product(*(range(counts[str(t.attr).rstrip("'")]) for t in indices)):
            if not value(condition, dict(zip(indices, values, strict=True))):
                return False
    return True


def loops(mode: Mode) -> Nest:
    """The loops of a mode and of all its functions: index and number of iterations."""
    inside = [(loop.index, loop.count) for f in mode.functions.values() for s in f.body for loop in _loops(s)]
    return (*mode.loops, *inside)


def _loops(statement: Statement) -> Iterator[Loop]:
    if isinstance(statement, Loop):
        yield statement
        for inner in statement.body:
            yield from _loops(inner)


def evaluator(lift: Lift, before: Before) -> Callable[[Term, dict[Term, int]], int]:
    """The value of a term before the instruction, for given loop indices."""
    array_of = {a.name: a for a in lift.arrays.values()}
    places = lift.unit.machine.places
    banks = {p.name: {q.bank: name for name, q in places.items() if q.name == p.name} for p in places.values()}
    depth = {p.name: p.depth for p in places.values()}

    def symbol(term: Term) -> int:
        name = str(term.attr)
        return before.fields[name] if name in before.fields else before.registers[name]

    def memory(name: str, address: int) -> int:
        if name in array_of:
            return before.registers[array_of[name].members[address]]
        if name in banks:
            return before.memories[banks[name][address // depth[name]]][address % depth[name]]
        if name in before.widths:
            return before.outside_word(name, address)
        return before.host_byte(address)

    def value(term: Term, indices: dict[Term, int]) -> int:
        return terms.evaluate(term, lambda t: indices[t] if t in indices else symbol(t), memory)

    return value
