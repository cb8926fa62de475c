"""A lifted unit -> the accelerator: instructions of all modes, merged where they are one, composites, buffers, registers, notes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

from act.taidl import Accelerator, Buffer, Composite, Field, Instruction, Int, Note, State, names
from lift.assemble.addressed import addressed
from lift.assemble.aliasing import apart_only
from lift.assemble.composite import composites, filled
from lift.assemble.draft import Draft, Stage, Writing
from lift.assemble.duplicates import without_duplicates, without_spares
from lift.assemble.errors import Impossible, NoTemplate
from lift.assemble.family import Template
from lift.assemble.instruction import instruction
from lift.assemble.labels import Label, label, named, unique
from lift.assemble.layout import Layout, layout
from lift.assemble.leaves import Part
from lift.assemble.macro import macro
from lift.assemble.merge import merge_fields, merge_registers
from lift.assemble.modes import cases
from lift.assemble.naming import AtomNames, field_names, slices_of
from lift.assemble.read_ir import read
from lift.assemble.tokens import counters, with_tokens
from lift.assemble.wellformed import IllFormed, ill_formed
from lift.assemble.within import within_buffers
from lift.assumptions import left_out, of_every_instruction
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import UpdateFunction
from lift.unroll.terms import Term

SENTINEL_BITS = 16

D = TypeVar("D", Buffer, State)
Lifted = Mapping[tuple[str, int, str], tuple[UpdateFunction, ModuleOp]]


@dataclass(frozen=True, slots=True)
class Assembly:
    """The accelerator, and for each instruction or mode that could not be said, why; `about` the terms that have no form, where they are known;
    `tokens` the registers that are tokens: to wait for one is no failure; `only` the conditions under which alone an instruction is said, as its ranges
    lie apart; `data` the registers and arrays of which some value is no expression over the command: they hold data."""

    accelerator: Accelerator
    opaque: dict[str, str]
    about: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    tokens: frozenset[str] = frozenset()
    only: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    data: frozenset[str] = frozenset()


def assemble(lift: Lift, lifted: Lifted, name: str, header: str = "", progress: Callable[[str], None] = lambda _: None) -> Assembly:
    """The specification of a unit from its lifted functions."""
    return _Assembler(lift, lifted, name, header, progress).run()


class _Assembler:
    def __init__(self, lift: Lift, lifted: Lifted, name: str, header: str, progress: Callable[[str], None]) -> None:
        self.lift, self.lifted, self.name, self.header, self.progress = lift, lifted, name, header, progress
        self.layout: Layout = layout(lift)
        self.slices = slices_of(lift)
        self.atoms = AtomNames(lift, self.slices)
        self.opaque: dict[str, str] = dict(lift.opaque)
        self.about: dict[str, tuple[Term, ...]] = {}
        self.stages: list[Stage] = []
        self.twins: dict[str, list[Draft]] = {}
        self.known: dict[Writing, Template] = {}
        self.data: set[str] = set()
        self.wrong: set[str] = set()  # names of operations and declarations that are not well-formed
        self.wrong_codes: set[str] = set()  # of which some instruction is not

    def run(self) -> Assembly:
        groups = {code: self._modes(code, modes) for code, modes in self.lift.modes.items()}
        found = [each for group in groups.values() for each in self._merged(group)]
        found = named(found, self._label)
        assembly = self._whole(found)
        limited = [within_buffers(assembly.accelerator, each) for each in found]
        if limited != found:
            found, assembly = limited, self._whole(limited)
        while wrong := ill_formed(assembly.accelerator, [i.name for i in found]):
            found = self._without(wrong, found, assembly.accelerator.composites)
            assembly = self._whole(found)
        return assembly

    def _without(self, wrong: IllFormed, found: list[Instruction], made: Mapping[str, Composite]) -> list[Instruction]:
        """The instructions but for what is not well-formed, which is opaque from now on."""
        operations = [*found, *(c.operation for c in made.values())]
        reasons = {o.name: reason for o in operations if (reason := wrong.why(o)) is not None}
        self.opaque |= {n: f"what was put together for it is not well-formed: {reason}" for n, reason in reasons.items()}
        self.wrong |= {*reasons, *wrong.declarations}
        self.wrong_codes |= {s.draft.mode.instruction for s, i in zip(self.stages, found, strict=True) if i.name in self.wrong}
        kept = [n for n, i in enumerate(found) if i.name not in self.wrong]
        self.stages = [self.stages[n] for n in kept]
        return [found[n] for n in kept]

    def _whole(self, found: list[Instruction]) -> Assembly:
        """The accelerator with these instructions."""
        made = [c for c in self._composites(found) if c.operation.name not in self.wrong]
        states = self._states(found, made)
        parts = {p.instruction for c in made for p in c.parts}
        instructions = {i.name: replace(i, part_only=i.part_only or i.name in parts, after=self._after(i, found)) for i in found}
        said = {s.draft.mode.instruction for s in self.stages}
        unsaid = [code for code in self.lift.modes if code not in said and (code in self.wrong_codes or any(k.startswith(f"{code}@") for k in self.opaque))]
        opaque = {n: Instruction(n, (), (), encode=self._opcode(n), opaque=True) for n in (*self.lift.opaque, *unsaid)}
        accelerator = Accelerator(
            self.name, self.layout.words, self._declared(self.layout.buffers), self._declared(states), {**instructions, **opaque},
            {c.operation.name: c for c in made}, (), self._header(),
        )  # fmt: skip
        tokens = counters(accelerator)
        registers = self._registers(tokens)
        noted = replace(accelerator, notes=tuple(self._notes(found, registers)))
        only = {i.name: kept for s, i in zip(self.stages, found, strict=True) if (kept := apart_only(s.draft.mode))}
        return Assembly(with_tokens(noted, tokens, self._field_name), self.opaque, self.about, registers, only, frozenset(self.data))

    def _declared(self, each: Mapping[str, D]) -> dict[str, D]:
        return {n: d for n, d in each.items() if n not in self.wrong}

    def _field_name(self, part: Part) -> str | None:
        """What the design calls some bits of the command."""
        named = (n for n, s in self.slices.items() if (s.word, s.low, s.width) == part)
        return next((n.rsplit(".", 1)[-1] for n in sorted(named, key=lambda n: (n.count("."), len(n), n))), None)

    def _registers(self, states: Container[str]) -> frozenset[str]:
        """The registers that are some states."""
        return frozenset(r for r, (s, count) in self.layout.registers.names.items() if count is None and s in states)

    # instructions

    def _modes(self, code: str, modes: tuple[Mode, ...]) -> list[Stage]:
        self.progress(code)
        fixed = {(w, low, n): v for w, low, n, v in self.lift.unit.executions[code].opcode.fixed}
        labels = field_names(self.lift, code, self.slices)
        result: list[Stage] = []
        for mode in modes:
            try:
                readings = {target: read(*self.lifted[code, mode.number, target]) for target in mode.functions}
                for number, case in enumerate(cases(readings, self.layout.is_data, _conditions(mode), _sentinel)):
                    draft = Draft(self.lift, self.layout, mode, case, fixed, labels, self.known)
                    result += self._instruction(draft, f"{code}@{mode.number}.{number}")
            except NoTemplate as reason:
                self._unsaid(f"{code}@{mode.number}", reason)
        return result

    def _instruction(self, draft: Draft, name: str) -> list[Stage]:
        try:
            if draft.mode.loops:
                return [Stage(draft, each) for each in macro(draft, name)]
            found = instruction(draft, name)
        except Impossible:
            return []
        except NoTemplate as reason:
            self._unsaid(name, reason)
            return []
        return [Stage(draft, found)] if found is not None else []

    def _merged(self, stages: list[Stage]) -> list[Instruction]:
        """Instructions of one opcode without duplicates; `self.stages` keeps for each the first stage that it comes from."""
        toggles = self._toggles()
        kept = without_spares(without_duplicates(stages))
        merged = merge_fields(merge_registers([s.instruction for s in kept], toggles))
        for each in merged:
            source = next(s for s in kept if s.instruction.name == each.name)
            self.stages.append(Stage(source.draft, each))
            twins = [s for s in kept if s is not source and merge_registers([source.instruction, s.instruction], toggles) == [each]]
            self.twins[each.name] = [source.draft, *(s.draft for s in twins)]
        return merged

    def _toggles(self) -> set[str]:
        return {s for r, (s, count) in self.layout.registers.names.items() if count is None and r in self.lift.unit.machine.structure.toggles}

    def _label(self, each: Instruction) -> Label:
        draft = next(s.draft for s in self.stages if s.instruction.name == each.name)
        return label(Stage(draft, each), self.atoms)

    # composites

    def _composites(self, found: list[Instruction]) -> list[Composite]:
        stages = [(s.instruction.name, i) for s, i in zip(self.stages, found, strict=True)]
        firsts = [s for s in stages if any(filled(d) for d in self.twins[s[0]])]
        made = [c for first in firsts for second in stages if first is not second for c in self._pair(first, second)]
        made += addressed(found, self.layout.bases)
        names = unique([c.operation.name for c in made])
        return [replace(c, operation=replace(c.operation, name=n)) for c, n in zip(made, names, strict=True)]

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
            self._unsaid(f"{first[1].name} ; {second[1].name}", reason)
            return []
        groups: dict[str, list[Composite]] = {}
        for each in found:
            groups.setdefault(each.operation.name, []).append(each)
        return [c for group in groups.values() for c in self._one(group)]

    def _one(self, group: list[Composite]) -> list[Composite]:
        """Composites with the same parts are merged over the ping-pong bits."""
        if any(c.parts != group[0].parts for c in group):
            return group
        return [Composite(o, group[0].parts) for o in merge_registers([c.operation for c in group], self._toggles())]

    # the rest

    def _states(self, found: list[Instruction], made: list[Composite]) -> dict[str, State]:
        """Registers that an instruction needs or sets, or may where one is opaque; those that an extent or a body needs take part in
        computations: they are configuration."""
        operations = [*found, *(c.operation for c in made)]
        needed = {n for o in operations for s in (*(r.slice for r in o.reads), *(w.slice for w in o.writes)) for i in s.indices for n in names(i.extent)}
        used = {u.state for o in operations for u in o.uses if u.name in needed}
        mentioned = {c.state for o in operations for c in (*o.uses, *o.sets)}
        return {n: replace(s, kind="config") if n in used else s for n, s in self.layout.states.items() if n in mentioned or self.opaque}

    def _after(self, each: Instruction, found: list[Instruction]) -> tuple[str, ...]:
        """Instructions that stage a register which this one needs: without one of them before, it has nothing to work on.

        A ping-pong bit is not staged: whoever toggles it needs its own value from before."""
        staged = {u.state for u in each.uses if self.layout.states[u.state].kind == "staged"} - {s.state for s in each.sets} - self._toggles()
        return tuple(i.name for i in found if i is not each and staged and staged <= {s.state for s in i.sets})

    def _opcode(self, code: str) -> tuple[Field, ...]:
        fixed = self.lift.unit.executions[code].opcode.fixed
        return tuple(Field(w, low + n - 1, low, Int(v)) for w, low, n, v in fixed)

    def _unsaid(self, name: str, reason: NoTemplate) -> None:
        where = f" (in what it does to {reason.target})" if reason.target else ""
        self.opaque[name], self.about[name] = f"{reason}{where}", reason.about
        self.data |= (reason.targets | {reason.target}) & self.layout.registers.names.keys()

    def _header(self) -> str:
        """Where it comes from, and what is assumed of all instructions."""
        return "\n".join([self.header, "Assumed of every instruction:", *(f"  {fact}" for fact in of_every_instruction(self.lift))]).strip()

    def _notes(self, found: list[Instruction], tokens: Container[str]) -> Iterator[Note]:
        """What is assumed of single instructions."""
        drafts = [s.draft for s in self.stages]
        for draft, each in zip(drafts, found, strict=True):
            yield from (Note("assume", each.name, fact) for fact in left_out(self.lift, draft.mode.instruction, tokens))


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


__all__ = ["Assembly", "assemble"]
