"""One mode of one instruction, twice on random concrete values: its update functions evaluated, and the netlist simulated clock by clock.

The state to begin with is made without the lifter's notion of rest: held registers random, everything else left to settle in the simulator.
Fields and registers are random within the facts, the domain and the assumptions of the mode, by a solver that accepts one random chunk after
the other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import z3

from lift.discover.contract import CommandPort, MemoryPort
from lift.netlist.simulate import Simulator
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.solver import Translator
from lift.unroll.terms import Term

IDLE_CYCLES = 40
MAX_CYCLES = 4000


@dataclass
class Before:
    """The concrete state before the instruction; host memory is a function of the address, with what was written since on top."""

    registers: dict[str, int]
    memories: dict[str, list[int]]
    fields: dict[str, int]
    seed: int
    host: dict[int, int] = field(default_factory=dict)

    def host_byte(self, address: int) -> int:
        return self.host.get(address, (address * 2654435761 + self.seed) >> 7 & 0xFF)


# random values within a mode


def sample(lift: Lift, mode: Mode, rng: random.Random) -> Before | None:
    """A random state and command in the mode; None when what was drawn violates its assumptions."""
    conditions = [p if h else terms.negate(p) for p, h in mode.facts] + list(mode.domain)
    netlist = lift.unit.machine.netlist
    drawn = _draw(conditions, rng)
    registers: dict[str, int] = {}
    for name, register in netlist.registers.items():
        idle = lift.unit.idle[name]
        free = not idle.is_const or name in lift.unit.architectural
        registers[name] = rng.getrandbits(register.width) if free else int(idle.attr or 0)
    for array in lift.arrays.values():
        for index, member in enumerate(array.members):
            registers[member] = drawn.get((array.name, index), registers[member])
    for name in lift.registers:
        registers[name] = drawn.get((name, None), registers[name])
    memories = {m.name: [rng.getrandbits(m.width) for _ in range(m.depth)] for m in netlist.memories.values()}
    fields = {word: drawn.get((word, None), rng.getrandbits(64)) for word in command(lift).words}
    before = Before(registers, memories, fields, rng.getrandbits(32))
    return before if assumed(lift, mode, before) else None


def _draw(conditions: list[Term], rng: random.Random) -> dict[tuple[str, int | None], int]:
    """Random values of the symbols and constant-address loads in the conditions, such that the conditions hold."""
    translate, solver = Translator(), z3.SolverFor("QF_UFBV")
    solver.add(*(translate.holds(c) for c in conditions))
    assert solver.check() == z3.sat
    leaves = {t for c in conditions for t in terms.walk(c) if t.op == "sym" or (t.op == "load" and t.args[0].is_const)}
    chunks = [(t, low) for t in leaves for low in range(0, t.width, 4)]
    rng.shuffle(chunks)
    for term, low in sorted(chunks, key=lambda c: rng.random()):
        high = min(low + 4, term.width) - 1
        part: Any = z3.Extract(high, low, translate.value(term)) == rng.getrandbits(high - low + 1)
        if solver.check(part) == z3.sat:
            solver.add(part)
    assert solver.check() == z3.sat
    model = solver.model()
    return {(str(t.attr), int(t.args[0].attr or 0) if t.args else None): model.eval(translate.value(t), model_completion=True).as_long() for t in leaves}  # type: ignore[union-attr]


def assumed(lift: Lift, mode: Mode, before: Before) -> bool:
    """Do the assumptions hold for all iterations?"""
    value = evaluator(lift, before)
    loops = [loop for f in mode.functions.values() for s in f.body for loop in _loops(s)]
    counts = {str(loop.index.attr): value(loop.count, {}) for loop in loops}
    for condition in mode.assumptions:
        indices = sorted({t for t in terms.walk(condition) if t.op == "sym" and str(t.attr).rstrip("'") in counts}, key=lambda t: t.serial)
        for values in product(*(range(counts[str(t.attr).rstrip("'")]) for t in indices)):
            if not value(condition, dict(zip(indices, values, strict=True))):
                return False
    return True


def _loops(statement: Statement) -> Iterator[Loop]:
    if isinstance(statement, Loop):
        yield statement
        for inner in statement.body:
            yield from _loops(inner)


# what the update functions say


def command(lift: Lift) -> CommandPort:
    found = lift.unit.contract.command
    assert found is not None
    return found


def evaluator(lift: Lift, before: Before) -> Callable[[Term, dict[Term, int]], int]:
    """The value of a term before the instruction, for given loop indices."""
    array_of = {a.name: a for a in lift.arrays.values()}
    banks = {p.name: {q.bank: name for name, q in lift.unit.machine.places.items() if q.name == p.name} for p in lift.unit.machine.places.values()}
    depth = {p.name: p.depth for p in lift.unit.machine.places.values()}

    def symbol(term: Term) -> int:
        name = str(term.attr)
        return before.fields[name] if name in before.fields else before.registers[name]

    def memory(name: str, address: int) -> int:
        if name in array_of:
            return before.registers[array_of[name].members[address]]
        if name in banks:
            return before.memories[banks[name][address // depth[name]]][address % depth[name]]
        return before.host_byte(address)

    def value(term: Term, indices: dict[Term, int]) -> int:
        return terms.evaluate(term, lambda t: indices[t] if t in indices else symbol(t), memory)

    return value


@dataclass
class After:
    registers: dict[str, int]
    memories: dict[str, list[int]]
    host: dict[int, int]


def predicted(lift: Lift, mode: Mode, before: Before) -> After:
    """The state after the instruction by the update functions."""
    value = evaluator(lift, before)
    after = After(dict(before.registers), {n: list(w) for n, w in before.memories.items()}, {})
    for target, function in mode.functions.items():
        if function.result is not None:
            after.registers[target] = value(function.result, {})
        for statement in function.body:
            _execute(lift, statement, value, {}, before, after)
    return after


def _execute(lift: Lift, statement: Statement, value: Callable[[Term, dict[Term, int]], int], indices: dict[Term, int], before: Before, after: After) -> None:
    if isinstance(statement, Loop):
        for i in range(value(statement.count, indices)):
            for inner in statement.body:
                _execute(lift, inner, value, {**indices, statement.index: i}, before, after)
    elif statement.condition is None or value(statement.condition, indices):
        data = value(statement.data, indices)
        mask = -1 if statement.mask is None else value(statement.mask, indices)
        _store(lift, statement, value(statement.address, indices), data, mask, before, after)


def _store(lift: Lift, statement: Store, address: int, data: int, mask: int, before: Before, after: After) -> None:
    array = lift.arrays.get(statement.memory)
    place = next(((n, p) for n, p in lift.unit.machine.places.items() if p.name == statement.memory and p.bank == address // p.depth), None)
    if array is not None:
        name = array.members[address]
        after.registers[name] = after.registers[name] & ~mask | data & mask
    elif place is not None:
        words, row = after.memories[place[0]], address % place[1].depth
        words[row] = words[row] & ~mask | data & mask
    else:
        after.host[address] = after.host.get(address, before.host_byte(address)) & ~mask | data & mask


# what the netlist does


def simulated(lift: Lift, mode: Mode, before: Before) -> After:
    """The state after the instruction by simulation, with the memory port served by its contract: at once, answered in the next cycle."""
    simulator = Simulator(lift.unit.machine.netlist)
    simulator.registers.update(before.registers)
    simulator.memories = {n: list(w) for n, w in before.memories.items()}
    port, outside = command(lift), _Outside(lift, before)
    for _ in range(IDLE_CYCLES):
        outside.step(simulator, {})
    payload = lift.unit.executions[mode.instruction].opcode.payload
    value = evaluator(lift, before)
    outside.step(simulator, {port.valid: 1, **{p: value(payload[word], {}) for word, p in port.words.items()}})
    for _ in range(MAX_CYCLES):
        if outside.step(simulator, {})[str(port.ready)]:
            break
    else:
        raise AssertionError("the simulation did not come to an end")
    for _ in range(IDLE_CYCLES):
        outside.step(simulator, {})
    return After(simulator.registers, simulator.memories, outside.written)


class _Outside:
    """Reset inactive, the host's memory behind the memory port."""

    def __init__(self, lift: Lift, before: Before) -> None:
        self.contract, self.before = lift.unit.contract, before
        self.written: dict[int, int] = {}
        self._answer: dict[str, int] = {}

    def step(self, simulator: Simulator, inputs: dict[str, int]) -> dict[str, int]:
        contract, port = self.contract, self.contract.memory
        given = {contract.reset: 1 - contract.reset_active} if contract.reset else {}
        ready = {port.request_ready: 1} if port and port.request_ready else {}
        outputs = simulator.step({**given, **ready, **self._answer, **inputs})  # type: ignore[dict-item]
        self._answer = {}
        if port and outputs[port.request_valid]:
            self._serve(port, outputs)
        return outputs

    def _serve(self, port: MemoryPort, outputs: dict[str, int]) -> None:
        addresses = [(outputs[port.address] + k) % (1 << port.address_bits) for k in range(port.data_bytes)]
        if port.write and outputs[port.write]:
            for k, address in enumerate(addresses):
                if port.write_mask is None or outputs[port.write_mask] >> k & 1:
                    self.written[address] = outputs[str(port.write_data)] >> 8 * k & 0xFF
            return
        data = sum(self.written.get(a, self.before.host_byte(a)) << 8 * k for k, a in enumerate(addresses))
        self._answer = {str(port.response_valid): 1, str(port.response_data): data}


def differences(lift: Lift, expected: After, found: After, before: Before) -> list[str]:
    """Where two states differ, in everything that the lift makes a claim about."""
    names = [*lift.registers, *(m for a in lift.arrays.values() for m in a.members)]
    wrong = [f"{n}: lifted {expected.registers[n]:#x}, simulated {found.registers[n]:#x}" for n in names if expected.registers[n] != found.registers[n]]
    for name, words in expected.memories.items():
        wrong += [f"{name}[{i}]: lifted {a:#x}, simulated {b:#x}" for i, (a, b) in enumerate(zip(words, found.memories[name], strict=True)) if a != b]
    for address in sorted(expected.host.keys() | found.host.keys()):
        a, b = (h.get(address, before.host_byte(address)) for h in (expected.host, found.host))
        wrong += [f"host[{address:#x}]: lifted {a:#x}, simulated {b:#x}"] if a != b else []
    return wrong
