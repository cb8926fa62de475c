"""Composites: an instruction that fills a state array and the instruction that reads it, as one operation.

The second's templates are read with the first's in place of the array's words, and with the values that the first gives to registers in place of
those registers.  Bounds of one index are made one attribute, so that masks become ranges; the operand that a product starts from is left
out, or kept, as a variant each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from act.taidl import Binary, Composite, Expr, Index, Instruction, Int, Name, Slice, names
from act.taidl import simplify as simplify_expr
from act.taidl import substitute as substituted
from lift.assemble.bounds import initial_bounds, shared_bounds
from lift.assemble.draft import Draft, Stage, data_templates, leaves_for
from lift.assemble.errors import Impossible, NoTemplate
from lift.assemble.family import Template
from lift.assemble.instruction import assembled
from lift.assemble.integers import Reading, to_term
from lift.assemble.leaves import Part as Bits
from lift.assemble.leaves import conjunction_parts, field_part
from lift.assemble.modes import Case
from lift.assemble.parts import part_of, register_effects
from lift.assemble.places import split
from lift.assemble.rewriting import substitute
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term


def composites(first: Stage, second: Stage, name: str) -> Iterator[Composite]:
    """The composites of two stages: without and with the operand from which a product starts.  Nothing when the second does not read what the first
    writes, or never follows it."""
    loads = filled(first.draft) & loaded(second.draft)
    if not loads:
        return
    try:
        pair = _Pair(first, second, loads)
    except Impossible:
        return
    for variant in (pair.without_initial(name), pair.with_initial(f"{name}_add")):
        if variant is not None:
            yield variant


def filled(draft: Draft) -> set[str]:
    """State arrays that a case writes, other than with a constant."""
    return {t for t, each in data_templates(draft).items() if draft.layout.storage[t].is_array and not each.value.is_const}


def loaded(draft: Draft) -> set[str]:
    """Memories and arrays that a case reads."""
    readings = draft.case.readings.values()
    roots = [t for r in readings for e in r.effects for t in (e.data, e.address, *e.conditions)] + [r.result for r in readings if r.result is not None]
    return {str(t.attr) for t in terms.walk(*roots) if t.op == "load"}


class _Pair:
    def __init__(self, first: Stage, second: Stage, arrays: set[str]) -> None:
        self.first, self.second, self.arrays = first, second, arrays
        self.own = {w.name: w.width for w in first.draft.layout.words}
        self.prefix = f"{first.draft.mode.instruction}."
        self.words = {**{self.prefix + w: n for w, n in self.own.items()}, **self.own}
        self.renaming = {terms.sym(w, n): terms.sym(self.prefix + w, n) for w, n in self.own.items()}
        self._check_memories()
        self.registers = register_effects(first.draft, self.renaming)
        self.literals = self._literals()
        self.templates = {t: self._combined(each) for t, each in data_templates(second.draft).items() if not second.draft.layout.storage[t].is_array}

    def _check_memories(self) -> None:
        """The first stage writes arrays and registers only: what it does to a memory would have to be part of the composite."""
        draft = self.first.draft
        if not all(draft.layout.storage[t].is_array for t in data_templates(draft)):
            raise Impossible("a composite whose first part writes a memory")

    def _literals(self) -> tuple[tuple[Term, bool], ...]:
        """The conditions of both stages over both commands and the state before the first; Impossible when they contradict each other."""
        ours = [(substitute(a, self.renaming), h) for a, h in self.first.literals]
        theirs = [(substitute(a, self.registers), h) for a, h in self.second.literals]
        found = dict.fromkeys((*theirs, *ours))
        if any(a.is_const and bool(a.attr) != h for a, h in found) or any((a, not h) in found for a, h in found):
            raise Impossible("the second part never follows the first")
        return tuple((a, h) for a, h in found if not a.is_const)

    def without_initial(self, name: str) -> Composite | None:
        """With the bounds of the operand that a product starts from made 0; whole when there is no such operand."""
        zeros = {t: terms.const(0, t.width) for t in self._initial_bounds()}
        fixed = {p: 0 for z in zeros if (p := field_part(z, self.words)) is not None}
        return self._build(name, {t: mapped(each, zeros) for t, each in self.templates.items()}, fixed)

    def with_initial(self, name: str) -> Composite | None:
        return self._build(name, self.templates, {}) if self._initial_bounds() else None

    def _initial_bounds(self) -> set[Term]:
        return {t for each in self.templates.values() for t in initial_bounds(each.value, self.words)}

    def _combined(self, each: Template) -> Template:
        values: dict[Term, Term] = dict(self.registers)
        for term in terms.walk(each.value):
            if term.op == "load" and term.attr in self.arrays:
                values[term] = self._word(term)
        return mapped(each, values)

    def _word(self, load: Term) -> Term:
        """What the first stage has written at the index of a load."""
        array = self.first.draft.lift.arrays[str(load.attr)]
        written = data_templates(self.first.draft)[str(load.attr)]
        if written.guard is not terms.TRUE or tuple(c.size for c in written.coordinates) != array.shape:
            raise NoTemplate("an array that is written in part")
        reading = Reading({c.symbol: c.size - 1 for each in data_templates(self.second.draft).values() for c in each.coordinates} | self._lengths())
        index = split(reading.exact(load.args[0]), array.shape, reading)
        values = {c.symbol: to_term(p, INDEX_WIDTH) for c, p in zip(written.coordinates, index, strict=True)}
        return substitute(substitute(written.value, values), self.renaming)

    def _lengths(self) -> dict[Term, int]:
        """The greatest values of the indices of products."""
        found: dict[Term, int] = {}
        for each in data_templates(self.second.draft).values():
            for term in terms.walk(each.value):
                if term.op == "dot":
                    k = terms.sym(str(term.attr), INDEX_WIDTH)
                    found[k] = max(found.get(k, 0), int(term.args[3].attr or 0) - 1)
        return found

    def _build(self, name: str, templates: dict[str, Template], zero: dict[Bits, int]) -> Composite | None:
        if not templates:
            return None
        draft = self._draft()
        leaves = leaves_for(draft)
        leaves.words, leaves.field_names, leaves.narrow = self.words, self._field_names(), True
        leaves.fields.update(shared_bounds(templates, leaves.words, leaves.field_names))
        operation = assembled(draft, leaves, templates, name)
        if operation is None:
            return None
        fixed = {**conjunction_parts(self.literals, self.words)[0], **zero}
        pairs = [part_of(stage.instruction, prefix, leaves.fields, fixed) for stage, prefix in ((self.first, self.prefix), (self.second, ""))]
        limits = dict.fromkeys(c for _, conditions in pairs for c in conditions)
        whole = replace(
            operation, when=tuple(dict.fromkeys((*operation.when, *limits))), encode=(), clobbers=self._clobbers(), cost=self._cost(), source=()
        )  # fmt: skip
        return Composite(self._with_sets(whole, pairs[0][0].arguments), tuple(part for part, _ in pairs))

    def _draft(self) -> Draft:
        """The second stage's draft under the conditions of both, with the registers that both leave behind."""
        second = self.second.draft
        readings = {t: replace(r, result=substitute(r.result, self.registers)) if r.result is not None else r for t, r in self._registers_of(second).items()}
        domain = (*(substitute(d, self.renaming) for d in self.first.draft.mode.domain), *(substitute(d, self.registers) for d in second.mode.domain))
        mode = replace(second.mode, facts=self.literals, domain=tuple(dict.fromkeys(domain)))
        return replace(second, mode=mode, case=Case((), readings), fixed={}, memo={})

    def _registers_of(self, draft: Draft) -> dict:
        return {t: r for t, r in draft.case.readings.items() if t not in draft.layout.storage}

    def _with_sets(self, operation: Instruction, arguments: Mapping[str, Expr]) -> Instruction:
        """Registers that the first stage sets and the second leaves, in terms of the attributes of the composite."""
        done = {(s.state, s.index) for s in operation.sets}
        left = [s for s in self.first.instruction.sets if (s.state, s.index) not in done]
        if any(names(s.value) - arguments.keys() for s in left):
            raise NoTemplate("a first part that sets a register from another")
        more = tuple(replace(s, value=simplify_expr(substituted(s.value, arguments))) for s in left)
        return replace(operation, sets=(*more, *operation.sets))

    def _field_names(self) -> Mapping[Bits, str]:
        ours = {(self.prefix + w, low, n): name for (w, low, n), name in self.first.draft.field_names.items()}
        theirs = dict(self.second.draft.field_names)
        clash = set(ours.values()) & set(theirs.values())
        return {**{p: f"{self.first.draft.mode.instruction}_{n}" if n in clash else n for p, n in ours.items()}, **theirs}

    def _clobbers(self) -> tuple[Slice, ...]:
        """The arrays that either stage writes hold nothing that the composite speaks of."""
        layout, result = self.first.draft.layout, []
        arrays = {t for s in (self.first, self.second) for t in s.draft.case.readings if t in layout.storage and layout.storage[t].is_array}
        for buffer in dict.fromkeys(layout.storage[t].buffer for t in sorted(arrays)):
            sizes = (*layout.buffers[buffer].access, *layout.buffers[buffer].unit)
            indices = tuple(Index(n, Int(s)) for n, s in zip("pqrst", sizes, strict=False))
            result.append(Slice(buffer, tuple(Name(i.name) for i in indices), indices))
        return tuple(result)

    def _cost(self) -> Expr:
        total: Expr = Int(0)
        for cost in (self.first.instruction.cost, self.second.instruction.cost):
            total = total if cost is None else Binary("+", total, cost)
        return simplify_expr(total)


def mapped(each: Template, values: dict[Term, Term]) -> Template:
    done: dict[Term, Term] = {}

    def new(term: Term) -> Term:
        return substitute(term, values, done)

    loops = tuple((i, new(n)) for i, n in each.loops)
    return replace(each, loops=loops, guard=new(each.guard), address=new(each.address), unit=tuple(new(u) for u in each.unit), value=new(each.value))
