"""A TAIDL machine whose every step is compared with the update functions that its description was assembled from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from act.oracle import Machine
from act.oracle.machine import Register
from act.oracle.slices import places
from act.taidl import Accelerator
from act.taidl.encode import encode, expand
from lift.assemble.layout import layout
from lift.discover.state import find
from lift.functions import update_functions
from lift.lifting import lift_functions
from lift.options import Options
from lift.pipeline import assemble, read_netlist, understand
from lift.progress import Progress
from lift.unroll import machine as unrolling
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode, extract
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.terms import Term

Buffers = dict[str, NDArray]
Registers = dict[str, Register]
Words = Mapping[str, int]


def lifted(folder: Path, top: str, **given: object) -> tuple[Lift, Accelerator, dict[str, str]]:
    """The lift of a design, the accelerator made of it, and what is opaque."""
    options = Options((folder,), top, Path("unused.taidl"), top.lower(), prove=False, **given)  # type: ignore[arg-type]

    def work() -> tuple[Lift, Accelerator, dict[str, str]]:
        netlist = read_netlist(options)
        contract, decoded = understand(netlist, options)
        functions = extract(find(unrolling.Machine(netlist), contract, decoded))
        assembly = assemble(functions, lift_functions(update_functions(functions), options, Progress()), options, Progress())
        return functions, assembly.accelerator, assembly.opaque

    return unrolling.with_deep_recursion(work)


@dataclass(slots=True)
class State:
    buffers: Buffers
    registers: Registers


class Reference:
    """The update functions of a lift on the state of a TAIDL machine; `layout` says where each state variable is."""

    def __init__(self, lift: Lift) -> None:
        self.lift, self.layout = lift, layout(lift)

    def after(self, before: State, words: Words) -> State:
        """The state after one command: reads see the state before it."""
        result = State({n: b.copy() for n, b in before.buffers.items()}, {n: list(r) if isinstance(r, list) else r for n, r in before.registers.items()})
        for target, function in self.mode(before, words).functions.items():
            if function.result is not None:
                result.registers[self.layout.registers.names[target][0]] = self._value(function.result, before, words, {})
            for store, indices in self._stores(function.body, before, words, {}):
                self._store(result, before, words, store, indices)
        return result

    def mode(self, state: State, words: Words) -> Mode:
        """The only mode whose facts and domain hold."""
        code = next(n for n, e in self.lift.unit.executions.items() if all(words[w] >> low & (1 << n) - 1 == v for w, low, n, v in e.opcode.fixed))
        value = lambda t: self._value(t, state, words, {})  # noqa: E731
        (mode,) = [m for m in self.lift.modes[code] if all(value(p) == h for p, h in m.facts)]
        assert all(value(d) for d in mode.domain), f"{code}: outside of the domain"
        return mode

    def _stores(self, body: tuple[Statement, ...], state: State, words: Words, indices: dict[Term, int]) -> Iterator[tuple[Store, dict[Term, int]]]:
        for statement in body:
            if isinstance(statement, Loop):
                for k in range(self._value(statement.count, state, words, indices)):
                    yield from self._stores(statement.body, state, words, {**indices, statement.index: k})
            else:
                yield statement, indices

    def _store(self, result: State, before: State, words: Words, store: Store, indices: dict[Term, int]) -> None:
        if store.condition is not None and not self._value(store.condition, before, words, indices):
            return
        address, data = (self._value(t, before, words, indices) for t in (store.address, store.data))
        if store.mask is not None:
            mask, old = self._value(store.mask, before, words, indices), self._word(result, store.memory, address)
            data = data & mask | old & ~mask
        if store.memory in self.layout.storage:
            self._put(result, store.memory, address, data)
        else:
            held = result.registers[self.layout.registers.names[store.memory][0]]
            assert isinstance(held, list)
            held[address] = data

    def _value(self, term: Term, state: State, words: Words, indices: dict[Term, int]) -> int:
        def symbol(t: Term) -> int:
            if t in indices:
                return indices[t]
            if t.attr in words:
                return words[str(t.attr)]
            return state.registers[self.layout.registers.names[str(t.attr)][0]]  # type: ignore[return-value]

        return terms.evaluate(term, symbol, lambda name, address: self._word(state, name, address))

    def _word(self, state: State, name: str, address: int) -> int:
        storage = self.layout.storage.get(name)
        if storage is None:
            held = state.registers[self.layout.registers.names[name][0]]
            return held[address]  # type: ignore[index,return-value]
        if storage.host and address >= state.buffers[storage.buffer].size:
            return 0
        lanes = np.atleast_1d(state.buffers[storage.buffer][self._place(name, address)])
        return sum((int(lane) & (1 << storage.bits) - 1) << storage.bits * k for k, lane in enumerate(lanes))

    def _put(self, state: State, name: str, address: int, data: int) -> None:
        storage = self.layout.storage[name]
        buffer = state.buffers[storage.buffer]
        count = 1 if storage.plane is not None or not storage.unit else storage.unit[0]
        lanes = [data >> storage.bits * k & (1 << storage.bits) - 1 for k in range(count)]
        if storage.element.startswith("s"):
            lanes = [terms.signed(lane, storage.bits) for lane in lanes]
        buffer[self._place(name, address)] = lanes if count > 1 or (storage.unit and storage.plane is None) else lanes[0]

    def _place(self, name: str, address: int) -> tuple[int, ...]:
        """A word of a memory, a member of an array in its plane."""
        storage = self.layout.storage[name]
        if storage.plane is None:
            return (address,)
        plane = int(storage.plane.value)
        return (plane, *(int(p) for p in np.unravel_index(address, storage.unit)))


class CheckedMachine(Machine):
    """Every step is compared with the update functions, on all elements and registers but those that are clobbered."""

    def __init__(self, accelerator: Accelerator, reference: Reference, memory: Mapping[str, NDArray], seed: int = 0) -> None:
        super().__init__(accelerator, memory, seed)
        self.reference = reference

    def step(self, name: str, attributes: Mapping[str, int]) -> None:
        expected = State({n: b.copy() for n, b in self.buffers.items()}, {n: list(r) if isinstance(r, list) else r for n, r in self.registers.items()})
        super().step(name, attributes)
        for part, given in expand(self.accelerator, name, attributes):
            expected = self.reference.after(expected, encode(self.accelerator, part, given))
        self._clobber(name, expected)
        for buffer, contents in self.buffers.items():
            wrong = np.argwhere(contents != expected.buffers[buffer])
            assert not wrong.size, f"{name}{dict(attributes)}: {buffer}{wrong[0].tolist()} and {len(wrong) - 1} more"
        assert self.registers == expected.registers, f"{name}{dict(attributes)}"

    def _clobber(self, name: str, expected: State) -> None:
        operation = self._operations[name]
        for piece in operation.clobbers:
            buffer = self.accelerator.buffers[piece.buffer]
            found = places(piece, buffer.access + buffer.unit, {}, frozenset())
            assert found is not None
            expected.buffers[piece.buffer].reshape(-1)[found.flat] = self.buffers[piece.buffer].reshape(-1)[found.flat]
