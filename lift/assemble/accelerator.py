"""A lifted unit -> the accelerator: instructions of all modes, merged where they are one, composites, buffers, registers, notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from act.taidl import Accelerator, Composite, Field, Instruction, Int, Note, State, names
from lift.assemble.composite import Stage, composites
from lift.assemble.family import NoTemplate
from lift.assemble.instruction import Draft, data_templates, instruction
from lift.assemble.layout import Layout, layout
from lift.assemble.merge import merge_fields, merge_registers
from lift.assemble.modes import cases
from lift.assemble.naming import AtomNames, field_names
from lift.assemble.read_ir import read
from lift.discover.environment import SCHEDULE
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import UpdateFunction
from lift.unroll.terms import Term
from xdsl.dialects.builtin import ModuleOp

SENTINEL_BITS = 16

Lifted = Mapping[tuple[str, int, str], tuple[UpdateFunction, ModuleOp]]


@dataclass(frozen=True, slots=True)
class Assembly:
    """The accelerator, and for each instruction or mode that could not be said, why."""

    accelerator: Accelerator
    opaque: dict[str, str]


def assemble(lift: Lift, lifted: Lifted, name: str, header: str = "", progress: Callable[[str], None] = lambda _: None) -> Assembly:
    """The specification of a unit from its lifted functions."""
    return _Assembler(lift, lifted, name, header, progress).run()


class _Assembler:
    def __init__(self, lift: Lift, lifted: Lifted, name: str, header: str, progress: Callable[[str], None]) -> None:
        self.lift, self.lifted, self.name, self.header, self.progress = lift, lifted, name, header, progress
        self.layout: Layout = layout(lift)
        self.atoms = AtomNames(lift)
        self.opaque: dict[str, str] = dict(lift.opaque)
        self.stages: list[Stage] = []
        self.twins: dict[str, list[Draft]] = {}

    def run(self) -> Assembly:
        groups = {code: self._modes(code, modes) for code, modes in self.lift.modes.items()}
        found = [each for group in groups.values() for each in self._merged(group)]
        found = _named(found, self._suffix)
        made = self._composites(found)
        states = self._states(found, made)
        parts = {p.instruction for c in made for p in c.parts}
        instructions = {i.name: replace(i, part_only=i.name in parts, after=self._after(i, found)) for i in found}
        opaque = {n: Instruction(n, (), (), encode=self._opcode(n), opaque=True) for n in self.lift.opaque}
        accelerator = Accelerator(
            self.name, self.layout.words, self.layout.buffers, states, {**instructions, **opaque}, {c.operation.name: c for c in made}, self._notes(found), self.header
        )
        return Assembly(accelerator, self.opaque)

    # instructions

    def _modes(self, code: str, modes: tuple[Mode, ...]) -> list[Stage]:
        self.progress(code)
        fixed = {(w, low, n): v for w, low, n, v in self.lift.unit.executions[code].opcode.fixed}
        labels = field_names(self.lift, code)
        result: list[Stage] = []
        for mode in modes:
            readings = {target: read(self.lifted[code, mode.number, target][1]) for target in mode.functions}
            known = [*_conditions(mode)]
            for number, case in enumerate(cases(readings, self.layout.is_data, known, _sentinel)):
                draft = Draft(self.lift, self.layout, mode, case, fixed, labels)
                result += self._instruction(draft, f"{code}@{mode.number}.{number}")
        return result

    def _instruction(self, draft: Draft, label: str) -> list[Stage]:
        try:
            found = instruction(draft, label)
        except NoTemplate as reason:
            self.opaque[label] = str(reason)
            return []
        return [Stage(draft, found)] if found is not None else []

    def _merged(self, stages: list[Stage]) -> list[Instruction]:
        """Instructions of one opcode without duplicates; `self.stages` keeps for each the first stage that it comes from."""
        toggles = self._toggles()
        kept = _without_duplicates([s.instruction for s in stages])
        merged = merge_fields(merge_registers(kept, toggles))
        for each in merged:
            source = next(s for s in stages if s.instruction.name == each.name)
            self.stages.append(Stage(source.draft, each))
            twins = [s for s in stages if s is not source and merge_registers([source.instruction, s.instruction], toggles) == [each]]
            self.twins[each.name] = [source.draft, *(s.draft for s in twins)]
        return merged

    def _toggles(self) -> set[str]:
        return {s for r, (s, count) in self.layout.registers.names.items() if count is None and r in self.lift.unit.machine.structure.toggles}

    def _suffix(self, each: Instruction) -> tuple[str, list[str]]:
        """The buffer that an instruction writes, and the names of the conditions that hold in its mode."""
        draft = next(s.draft for s in self.stages if s.instruction.name == each.name)
        written = [t for t in data_templates(draft) if t not in self.lift.arrays]
        buffer = self.layout.storage[written[0]].buffer if written else ""
        toggles = self.lift.unit.machine.structure.toggles
        facts = [(a, h) for a, h in (*draft.mode.facts, *draft.case.choice) if not (a.op == "sym" and a.attr in toggles)]
        return buffer, [n for a, h in facts if h and (n := self.atoms.of(a)) is not None]

    # composites

    def _composites(self, found: list[Instruction]) -> list[Composite]:
        stages = [(s.instruction.name, i) for s, i in zip(self.stages, found, strict=True)]
        return [c for first in stages for second in stages if first is not second for c in self._pair(first, second)]

    def _pair(self, first: tuple[str, Instruction], second: tuple[str, Instruction]) -> list[Composite]:
        """The composites of two instructions, for every value of the ping-pong bits, merged."""
        name = f"{first[1].name}_{second[1].name}"
        found: list[Composite] = []
        try:
            for a in self.twins[first[0]]:
                for b in self.twins[second[0]]:
                    if _same_toggles(a, b):
                        found += composites(Stage(a, first[1]), Stage(b, second[1]), name)
        except NoTemplate as reason:
            self.opaque[f"{first[1].name} ; {second[1].name}"] = str(reason)
            return []
        parts = {c.operation.name: c.parts for c in found}
        merged = merge_registers([c.operation for c in found], self._toggles())
        return [Composite(operation, parts[operation.name]) for operation in merged]

    # the rest

    def _states(self, found: list[Instruction], made: list[Composite]) -> dict[str, State]:
        """Registers that an extent or a body needs take part in computations: they are configuration."""
        operations = [*found, *(c.operation for c in made)]
        needed = {n for o in operations for s in (*(r.slice for r in o.reads), *(w.slice for w in o.writes)) for i in s.indices for n in names(i.extent)}
        used = {u.state for o in operations for u in o.uses if u.name in needed}
        return {n: replace(s, kind="config") if n in used else s for n, s in self.layout.states.items()}

    def _after(self, each: Instruction, found: list[Instruction]) -> tuple[str, ...]:
        """Instructions that stage a register which this one needs: without one of them before, it has nothing to work on.

        A ping-pong bit is not staged: whoever toggles it needs its own value from before."""
        staged = {u.state for u in each.uses if self.layout.states[u.state].kind == "staged"} - {s.state for s in each.sets} - self._toggles()
        return tuple(i.name for i in found if i is not each and staged and staged <= {s.state for s in i.sets})

    def _opcode(self, code: str) -> tuple[Field, ...]:
        fixed = self.lift.unit.executions[code].opcode.fixed
        return tuple(Field(w, low + n - 1, low, Int(v)) for w, low, n, v in fixed)

    def _notes(self, found: list[Instruction]) -> tuple[Note, ...]:
        notes: list[Note] = []
        if found:
            notes.append(Note("assume", found[0].name, f"{SCHEDULE} (for every instruction)"))
        for each in found:
            if each.writes and each.reads:
                notes.append(Note("assume", each.name, "every access lies within its buffer: no address wraps"))
        return tuple(notes)


def _conditions(mode: Mode) -> list[Term]:
    return [*(p if h else terms.negate(p) for p, h in mode.facts), *mode.domain]


def _sentinel(atom: Term) -> bool | None:
    """All ones in a wide field stands for "none": the instruction is specified for real operands."""
    wide = atom.op == "eq" and atom.args[1].is_const and atom.args[1].width >= SENTINEL_BITS
    return False if wide and atom.args[1].attr == (1 << atom.args[1].width) - 1 else None


def _same_toggles(first: Draft, second: Draft) -> bool:
    toggles = first.lift.unit.machine.structure.toggles
    chosen = [{(a, h) for a, h in d.mode.facts if a.op == "sym" and a.attr in toggles} for d in (first, second)]
    return chosen[0] == chosen[1]


def _without_duplicates(instructions: list[Instruction]) -> list[Instruction]:
    """Modes that say the same but for a condition on one register or field are one, without the condition."""
    result: list[Instruction] = []
    for each in instructions:
        twin = next((n for n, other in enumerate(result) if _alike(other, each)), None)
        if twin is None:
            result.append(each)
        else:
            other = result[twin]
            uses = tuple(u for u in other.uses if u in each.uses)
            result[twin] = replace(other, uses=uses, when=tuple(w for w in other.when if w in each.when))
    return result


def _alike(a: Instruction, b: Instruction) -> bool:
    strip = {"name": "", "uses": (), "when": (), "source": (), "cost": None}
    same = replace(a, **strip) == replace(b, **strip)
    different = {u for u in a.uses if u not in b.uses} | {u for u in b.uses if u not in a.uses}
    return same and all(u.equals is not None for u in different) and len(different) <= 2


def _named(found: list[Instruction], suffix: Callable[[Instruction], tuple[str, list[str]]]) -> list[Instruction]:
    """Opcode, then the written buffer where modes differ in it, then what else tells modes apart."""
    info = {i.name: suffix(i) for i in found}
    groups: dict[str, list[Instruction]] = {}
    for each in found:
        groups.setdefault(each.name.split("@")[0], []).append(each)
    result: dict[str, str] = {}
    for stem, members in groups.items():
        several = len({info[m.name][0] for m in members}) > 1
        labels = {m.name: [stem, *([info[m.name][0]] if several and info[m.name][0] else [])] for m in members}
        for m in members:
            rivals = [info[r.name][1] for r in members if labels[r.name][:2] == labels[m.name][:2] and r is not m]
            extra = [n for n in info[m.name][1] if any(n not in r for r in rivals)]
            result[m.name] = "_".join([*labels[m.name], *dict.fromkeys(extra)])
    taken: dict[str, int] = {}
    final = []
    for each in found:
        name = result[each.name]
        taken[name] = taken.get(name, 0) + 1
        final.append(replace(each, name=name if taken[name] == 1 else f"{name}_{taken[name]}"))
    return final


__all__ = ["Assembly", "assemble"]
