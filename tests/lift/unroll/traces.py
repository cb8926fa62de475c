"""Pulled functions against what a module does: values recorded clock by clock from random states under random inputs, by simulation or otherwise."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator
from lift.unroll import terms
from lift.unroll.function import Store, UpdateFunction
from lift.unroll.past import quiet_reset
from lift.unroll.series import Group, groups
from lift.unroll.terms import Term

Values = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Trace:
    """Per cycle the inputs, what they make of the outputs and other variables, and the registers and memories before the clock edge; of
    those one more, after the last."""

    inputs: list[Values]
    outputs: list[Values]
    registers: list[Values]
    memories: list[Mapping[str, list[int]]]


def draw(rng: random.Random, width: int) -> int:
    """Corner values are frequent."""
    return rng.choice([0, 1, (1 << width) - 1, 1 << (width - 1)]) & ((1 << width) - 1) if rng.random() < 0.2 else rng.getrandbits(width)


def random_inputs(netlist: Netlist, rng: random.Random) -> dict[str, int]:
    """Not in reset."""
    return {name: draw(rng, width) for name, width in netlist.inputs.items()} | quiet_reset(netlist)


def simulated(netlist: Netlist, rng: random.Random, cycles: int, wires: frozenset[str] = frozenset()) -> Trace:
    """From a random state."""
    simulator, trace = Simulator(netlist), Trace([], [], [], [])
    simulator.registers = {r.name: draw(rng, r.width) for r in netlist.registers.values()}
    simulator.memories = {m.name: [draw(rng, m.width) for _ in range(m.depth)] for m in netlist.memories.values()}
    for _ in range(cycles):
        inputs = random_inputs(netlist, rng)
        others = {name: simulator.value(netlist.wires[name], inputs) for name in wires}
        _record(trace, simulator)
        trace.inputs.append(inputs)
        trace.outputs.append(simulator.step(inputs) | others)
    _record(trace, simulator)
    return trace


def _record(trace: Trace, simulator: Simulator) -> None:
    trace.registers.append(dict(simulator.registers))
    trace.memories.append({name: list(words) for name, words in simulator.memories.items()})


@dataclass(frozen=True, slots=True)
class Moment:
    """A trace seen from cycle `now`; `arrays` are names that stand for several."""

    trace: Trace
    now: int
    arrays: Mapping[str, Group] = field(default_factory=dict)

    def value(self, root: Term) -> int:
        return terms.evaluate(root, self._symbol, self._word)

    def _symbol(self, term: Term) -> int:
        return self._past(str(term.attr), 0) if not str(term.attr).startswith("undefined:") else 0

    def _word(self, name: str, address: int) -> int:
        if name in self.arrays:
            members = self.arrays[name].members
            return self._past(members[address % len(members)], address // len(members))
        words = self.trace.memories[self.now].get(name)
        return self._past(name, address) if words is None else words[address] if address < len(words) else 0

    def _past(self, name: str, age: int) -> int:
        assert age <= self.now, "before the trace"
        inputs, registers = self.trace.inputs[self.now - age], self.trace.registers[self.now - age]
        return registers[name] if name in registers else inputs[name]

    def satisfies(self, function: UpdateFunction) -> bool:
        return all(self.value(a) for a in function.assumptions)

    def agrees(self, function: UpdateFunction) -> bool:
        """Is what the function says what happened?"""
        if function.result is not None:
            return self.value(function.result) == self._happened(function.target)
        group = self.arrays.get(function.target)
        if group is not None:
            return self._stored(function, [-1] * len(group.members)) == [self._happened(member) for member in group.members]
        return self._stored(function, list(self.trace.memories[self.now][function.target])) == self.trace.memories[self.now + 1][function.target]

    def _happened(self, target: str) -> int:
        after = self.trace.registers[self.now + 1]
        return after[target] if target in after else self.trace.outputs[self.now][target]

    def _stored(self, function: UpdateFunction, words: list[int]) -> list[int]:
        for store in function.body:
            assert isinstance(store, Store)
            if store.condition is None or self.value(store.condition):
                mask = -1 if store.mask is None else self.value(store.mask)
                address = self.value(store.address)
                words[address] = words[address] & ~mask | self.value(store.data) & mask
        return words


def moments(trace: Trace, function: UpdateFunction, arrays: Mapping[str, Group] | None = None) -> Iterator[Moment]:
    """The cycles in which all that the function reads was recorded, and its assumptions hold."""
    every = (Moment(trace, now, arrays or {}) for now in range(function.cycles, len(trace.inputs)))
    return (m for m in every if m.satisfies(function))


def check_by_simulation(netlist: Netlist, functions: Mapping[str, UpdateFunction], runs: int = 20, seed: int = 1) -> dict[str, tuple[int, int]]:
    """Target -> (cycles compared, cycles in which the function is wrong).  Functions may be `gathered`."""
    arrays = groups(netlist)
    rng = random.Random(seed)
    found: dict[str, tuple[int, int]] = dict.fromkeys(functions, (0, 0))
    wires = frozenset(t for t in functions if t in netlist.wires and t not in netlist.outputs and t not in netlist.registers)
    for _ in range(runs):
        trace = simulated(netlist, rng, max(f.cycles for f in functions.values()) + 6, wires)
        for target, function in functions.items():
            verdicts = [m.agrees(function) for m in moments(trace, function, arrays)]
            compared, wrong = found[target]
            found[target] = compared + len(verdicts), wrong + verdicts.count(False)
    return found
