"""Executions of instructions, kept with what they looked at: after an edit of the RTL only those that look at the edit are done again.

An execution is found in two steps.  Under the hash of the command, the contract and the tool lie lists of names, one for each design on which it was
executed: what was looked at there.  The hash of what these names mean in the present design is the key of the execution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lift.cache.digest import digest, plain, tool
from lift.cache.recording import Named, Parts, Record, RecordingMachine
from lift.cache.store import Store
from lift.cache.terms import Unknown, dump, load
from lift.discover.attempt import choices
from lift.discover.commands import Decoder
from lift.discover.contract import Contract
from lift.discover.state import Execution, Opcode, Unit, _Search
from lift.discover.state import find as find_alone
from lift.netlist.model import Netlist
from lift.unroll.budget import of_instruction
from lift.unroll.machine import Later, Machine, State
from lift.unroll.paths import Path
from lift.unroll.terms import Term

NAMES, EXECUTIONS = "looked-at", "executions"
LISTS = 8  # lists of names that are kept for one instruction


def find(netlist: Netlist, contract: Contract, decoder: Decoder, progress: Callable[[str], None], store: Store | None, sharing: int = 1) -> Found:
    """`lift.discover.state.find` with the executions in `store` reused, and new ones added to it."""
    if store is None:
        return Found(find_alone(Machine(netlist), contract, decoder, progress, sharing=sharing), lambda: None)
    kept: list[_Kept] = []

    class Search(_Remembering):
        def __init__(self, *given: Any) -> None:
            self.store, self.kept = store, kept
            super().__init__(*given)

    unit = find_alone(RecordingMachine(netlist), contract, decoder, progress, Search, sharing)
    return Found(unit, lambda: _write_again(kept, store))


@dataclass(frozen=True, slots=True)
class Found:
    """`keep` writes those executions again some of whose values were computed since: the next run will ask for the same."""

    unit: Unit
    keep: Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Kept:
    """An execution without the values that registers have at rest, and how many of its values nobody had computed when it was written."""

    entry: str
    moved: Execution
    uncomputed: int

    def write_again(self, store: Store) -> None:
        if _uncomputed(self.moved) < self.uncomputed:
            store.put(EXECUTIONS, self.entry, dump(self.moved))


def _write_again(kept: list[_Kept], store: Store) -> None:
    for each in kept:
        each.write_again(store)


def _uncomputed(execution: Execution) -> int:
    return sum(isinstance(v, Later) and isinstance(v.known(), Later) for path in execution.paths for v in path.final.registers.values())


class _Remembering(_Search):
    """The search for the architectural state that looks an execution up before it does it."""

    store: Store
    kept: list[_Kept]
    _parts: Parts | None = None

    def _execute(self, code: Opcode) -> Execution:
        key = self._key(code)
        lists: list[Named] = self.store.load(NAMES, key) or []
        for names in lists:
            found = self._recall(code, self._entry(key, names))
            if found is not None:
                self.budget.spent += found.steps
                return found
        execution, record = self._recorded(code)
        names = (*record.names(), tuple(sorted(execution.reads)))
        entry = self._entry(key, names)
        if entry is not None:
            self._changed(execution)  # what the search will compute
            self._keep(entry, execution)
            self.store.save(NAMES, key, [names, *(n for n in lists if n != names)][:LISTS])
        return execution

    def _keep(self, entry: str, execution: Execution) -> None:
        moved = replace(execution, paths=tuple(self._moved(path) for path in execution.paths))
        self.kept.append(_Kept(entry, moved, _uncomputed(moved)))
        self.store.put(EXECUTIONS, entry, dump(moved))

    def _recorded(self, code: Opcode) -> tuple[Execution, Record]:
        assert isinstance(self.machine, RecordingMachine)
        self._starts()  # what they look at is in their values
        record = Record()
        self.machine.note(record)
        try:
            return super()._execute(code), record
        finally:
            self.machine.note(None)

    def _now(self) -> list[str]:
        return self.resting.toggles(frozenset(self.architectural), self.same)

    def _key(self, code: Opcode) -> str:
        """The command, everything around the design, and what is known not to be executable."""
        before = self.executions.get(code.name)
        around = plain((self.contract, code, self.same, self.inputs, self.machine.netlist.inputs, before.excluded if before else ()))
        limit = of_instruction(self.machine, self.budget).limit
        return digest(tool(), around, tuple(self._now()), plain(self.sought), self.guessing, limit)

    def _entry(self, key: str, names: Named) -> str | None:
        """The key of the execution on this design; None when it has not all that was looked at."""
        if self._parts is None:
            self._parts = Parts(self.machine, self.constant)
        parts = self._parts.all(names[:-1])
        looked_at = sorted({*names[0], *names[-1], *self._parts.asserted})
        if parts is None or not all(name in self.machine.netlist.registers for name in looked_at):
            return None
        values = tuple((plain([start.value(name) for name in looked_at]), plain(self._open(start)), tuple(sorted(start.active))) for start in self._starts())
        roles = tuple((name in self.architectural, name in self.followers) for name in looked_at)
        return digest(key, parts, names, values, roles)

    def _starts(self) -> list[State]:
        """The states in which an execution begins."""
        return [self._at_rest(chosen, frozenset(self.architectural)) for chosen in choices(self._now())]

    def _open(self, start: State) -> dict[str, Term]:
        """Control that has no constant value at rest: what is decided of a symbol is put into it, wherever it is."""
        values = {name: start.value(name) for name in sorted(self.machine.structure.control)}
        return {name: term for name, term in values.items() if not term.is_const}

    def _start_of(self, path: Path) -> State:
        toggles = self._now()
        chosen = tuple((str(p.attr), int(h)) for p, h in path.facts if p.op == "sym" and p.attr in toggles)
        return self._at_rest(chosen, frozenset(self.architectural))

    def _moved(self, path: Path) -> Path:
        """With only those final values that are not what they were at the start."""
        start = self._start_of(path).registers
        return replace(path, final=replace(path.final, registers={n: v for n, v in path.final.registers.items() if v is not start[n]}))

    def _recall(self, code: Opcode, entry: str | None) -> Execution | None:
        packed = None if entry is None else self.store.get(EXECUTIONS, entry)
        if packed is None:
            return None
        kept: Execution = load(packed, str(entry)[:16])
        again = _Again(self, code, frozenset(self.architectural), dict(self.same))
        moved = replace(kept, paths=tuple(_computable(path, again, number) for number, path in enumerate(kept.paths)))
        self.kept.append(_Kept(str(entry), moved, _uncomputed(moved)))
        return replace(kept, opcode=code, paths=tuple(map(self._whole, moved.paths)), assumed=frozenset(self.architectural))

    def _whole(self, path: Path) -> Path:
        return replace(path, final=replace(path.final, registers={**self._start_of(path).registers, **path.final.registers}))


@dataclass(slots=True)
class _Again:
    """The execution itself, done when a value is asked for that was not kept because nobody had looked at it; with the state that was taken to be
    architectural then."""

    search: _Remembering
    code: Opcode
    architectural: frozenset[str]
    same: dict[str, str]
    _done: Execution | None = None

    def final(self, number: int, name: str) -> Term:
        if self._done is None:
            search = self.search
            now = search.architectural, search.same, search.sought, search.guessing
            search.architectural, search.same, search.sought, search.guessing = set(self.architectural), self.same, None, False
            self._done = search._recorded(self.code)[0]
            search.architectural, search.same, search.sought, search.guessing = now
        return self._done.paths[number].final.value(name)


def _computable(path: Path, again: _Again, number: int) -> Path:
    """With values that were never computed as ones to compute."""
    registers = {n: _later(again, number, n) if isinstance(v, Unknown) else v for n, v in path.final.registers.items()}
    return replace(path, final=replace(path.final, registers=registers))


def _later(again: _Again, number: int, name: str) -> Later:
    return Later(lambda: again.final(number, name))
