"""A lifted function and an instruction of the specification -> the proof that they do the same to one state variable."""

from __future__ import annotations

from dataclasses import dataclass

import z3
from xdsl.dialects import func

from act.taidl import Write
from proofs import moves, tiles, windows
from proofs.commands import Selected, encoded
from proofs.forms import written_out
from proofs.integers import exact
from proofs.meaning import Meaning, array, meaning, variable
from proofs.solve import NotProved, is_possible, prove, prove_equal
from proofs.specification import BUFFERS, INDEX_BITS, REGISTERS, Command
from proofs.tensors import width_of


@dataclass(frozen=True, slots=True)
class Effect:
    """What `command` does to the state variable `target` in the mode that `chosen` is."""

    command: Command
    chosen: Selected
    target: str
    dim: int

    @property
    def what(self) -> str:
        return f"{self.command.operation.name}, {self.target}, mode {self.chosen.case.number}"

    @property
    def is_lifted(self) -> bool:
        """Whether the mode changes it."""
        return self.target in self.chosen.case.targets

    @property
    def meaning(self) -> Meaning:
        return encoded(self.command, meaning(self.chosen.case.targets[self.target].lifted))

    @property
    def _written_out(self) -> func.FuncOp:
        """The lifted function, the rows of a matrix one by one."""
        return written_out(self.chosen.case.targets[self.target].lifted)

    def prove(self) -> None:
        """NotProved unless both do the same."""
        state = next((n for n, name in REGISTERS.items() if name == self.target), None)
        if state is None:
            self._memory()
        elif self.command.accelerator.states[state].count is None:
            self._register(state)
        else:
            self._bank(state)

    # memories and arrays

    def _memory(self) -> None:
        buffer = next(n for n, names in BUFFERS.items() if self.target in names)
        written = [w for w in self.command.operation.writes if w.slice.buffer == buffer]
        if len(BUFFERS[buffer]) > 1:
            written = [w for w in written if self._is_to_target(w)]
        if len(written) > 1:
            raise NotProved(f"{self.what}: several writes to one buffer")
        if not written:
            self._untouched()
        elif not self.is_lifted:
            raise NotProved(f"{self.what}: it is stated that it is written, and the mode does not")
        elif len(BUFFERS[buffer]) > 1:
            tiles.prove_elements(self._goal(written[0]), self.target)
        else:
            self._written(written[0])

    def _untouched(self) -> None:
        if self.is_lifted:
            tiles.prove_untouched(self.what, self._written_out, self.command, self.chosen.under)

    def _goal(self, write: Write) -> tiles.Goal:
        return tiles.Goal(self.what, self._written_out, self.command, write, self.chosen.under)

    def _is_to_target(self, write: Write) -> bool:
        """Whether it is to this array of several, in every state; to another, if that is proved."""
        index = [exact(i.extent, self.command.names) for i in write.slice.indices]
        place = next(p for p in self.command.places(write.slice, index) if p.name == self.target)
        if is_possible([*self.chosen.under, place.when]):
            prove(f"{self.what}: it is this array that is written", place.when, self.chosen.under)
            return True
        prove(f"{self.what}: it is the other array that is written", z3.Not(place.when), self.chosen.under)
        return False

    def _written(self, write: Write) -> None:
        if not any(op.name == "scf.for" and not op.results for op in self._written_out.walk()):
            tiles.prove_rows(self._goal(write))
        elif windows.has_window(self.command):
            windows.prove_pixels(self.what, self.command, write, self.meaning, self.chosen.under)
        elif self.command.accelerator.buffers[write.slice.buffer].unit:
            moves.prove_words(self.what, self.dim, self.command, write, self.meaning, self.chosen.under)
        else:
            moves.prove_bytes(self.what, self.dim, self.command, write, self.meaning, self.chosen.under)

    # registers

    def _register(self, state: str) -> None:
        width = width_of(self.command.accelerator.states[state].element)
        before = variable(self.target, width)
        ((_, stated),) = self.command.sets().get(state, [(None, before)])
        after = self.meaning.results[0] if self.is_lifted else before
        prove_equal(self.what, stated, after, self.chosen.under)

    def _bank(self, state: str) -> None:
        """Registers with an index, each by itself."""
        held = self.command.accelerator.states[state]
        width = width_of(held.element)
        before = stated = after = array(self.target, width)
        for index, value in self.command.sets().get(state, []):
            assert index is not None
            stated = z3.Store(stated, exact(index, self.command.names).resized(INDEX_BITS), value)
        for store in self.meaning.stores if self.is_lifted else []:
            after = z3.If(store.condition, z3.Store(after, store.address, store.data), after)
        assert held.count is not None
        for number in range(held.count):
            prove_equal(f"{self.what}, number {number}", z3.Select(stated, number), z3.Select(after, number), self.chosen.under)
        assert before.sort() == after.sort()


__all__ = ["Effect"]
