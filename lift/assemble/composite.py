"""Composites: an instruction that fills a state array and the instruction that reads it, as one operation.

The second's templates are read with the first's in place of the array's words, and with the values that the first gives to registers in place of
those registers.  Bounds of one index are made one attribute, so that masks become ranges; the operand that a product starts from is left
out, or kept, as a variant each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from act.taidl import Binary, Composite, Expr, Index, Instruction, Int, Name, Part, Set, Slice, Use, names
from act.taidl import simplify as simplify_expr
from act.taidl import substitute as substitute_names
from lift.assemble.family import NoTemplate, Template
from lift.assemble.instruction import Draft, assembled, data_templates, leaves_for
from lift.assemble.integers import polynomial, to_term
from lift.assemble.leaves import Leaves, conjunction_parts, field_part
from lift.assemble.leaves import Part as Bits
from lift.assemble.modes import Case
from lift.assemble.ranges import conjuncts
from lift.assemble.read_ir import Effect, Reading
from lift.assemble.rewriting import substitute
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term


@dataclass(frozen=True, slots=True)
class Stage:
    """One instruction of a composite: its draft and what the specification calls it."""

    draft: Draft
    instruction: Instruction


def composites(first: Stage, second: Stage, name: str) -> Iterator[Composite]:
    """The composites of two stages: with and without the operand from which a product starts.  Nothing when the second does not read what
    the first writes."""
    arrays = {t for t, each in data_templates(first.draft).items() if t in first.draft.lift.arrays and not each.value.is_const}
    loads = _loaded(second.draft) & arrays
    if not loads:
        return
    pair = _Pair(first, second, loads)
    for keep in (False, True):
        found = pair.composite(name if not keep else f"{name}_add", keep)
        if found is not None:
            yield found


def _loaded(draft: Draft) -> set[str]:
    roots = [e.data for r in draft.case.readings.values() for e in r.effects]
    return {str(t.attr) for t in terms.walk(*roots) if t.op == "load"}


class _Pair:
    def __init__(self, first: Stage, second: Stage, arrays: set[str]) -> None:
        self.first, self.second, self.arrays = first, second, arrays
        self.words = {w.name: w.width for w in first.draft.layout.words}
        self.prefix = f"{first.draft.mode.instruction}."
        self.renaming = {terms.sym(w, n): terms.sym(self.prefix + w, n) for w, n in self.words.items()}
        self.registers = self._register_values()

    def _register_values(self) -> dict[Term, Term]:
        """Registers that the first stage sets -> what it sets them to, in its own words."""
        values: dict[Term, Term] = {}
        for target, reading in self.first.draft.case.readings.items():
            if reading.result is not None:
                values[terms.sym(target, reading.result.width)] = substitute(reading.result, self.renaming)
        return values

    def composite(self, name: str, keep: bool) -> Composite | None:
        templates = {t: self._combined(each) for t, each in data_templates(self.second.draft).items() if t not in self.first.draft.lift.arrays}
        if not templates:
            return None
        if not keep:
            zeros = {t: terms.const(0, t.width) for each in templates.values() for t in _initial_bounds(each.value, self._all_words())}
            if not zeros:
                return None if keep else self._build(name, templates, {})
            templates = {t: _mapped(each, zeros) for t, each in templates.items()}
            return self._build(name, templates, {p: 0 for z in zeros if (p := field_part(z, self._all_words())) is not None})
        if not any(_initial_bounds(each.value, self._all_words()) for each in templates.values()):
            return None
        return self._build(name, templates, {})

    def _all_words(self) -> dict[str, int]:
        return {**{self.prefix + w: n for w, n in self.words.items()}, **self.words}

    def _combined(self, each: Template) -> Template:
        values: dict[Term, Term] = dict(self.registers)
        for term in terms.walk(each.value):
            if term.op == "load" and term.attr in self.arrays:
                values[term] = self._word(term)
        return _mapped(each, values)

    def _word(self, load: Term) -> Term:
        """What the first stage has written at the index of a load."""
        array = self.first.draft.lift.arrays[str(load.attr)]
        written = data_templates(self.first.draft)[str(load.attr)]
        if written.guard is not terms.TRUE:
            raise NoTemplate("an array that is written in part")
        strides = [1]
        for size in reversed(array.shape[1:]):
            strides.insert(0, strides[0] * size)
        parts: list[dict] = [{} for _ in strides]
        for monomial, factor in polynomial(load.args[0]).items():
            d = next(n for n, s in enumerate(strides) if abs(factor) >= s)
            parts[d][monomial] = factor // strides[d]
        values = {c.symbol: to_term(p, INDEX_WIDTH) for c, p in zip(written.coordinates, parts, strict=True)}
        return substitute(substitute(written.value, values), self.renaming)

    def _build(self, name: str, templates: dict[str, Template], zero: dict[Bits, int]) -> Composite | None:
        draft = self._draft(templates)
        leaves = leaves_for(draft)
        leaves.words = self._all_words()
        leaves.field_names = self._field_names()
        for part, shared in _shared_bounds(templates, leaves.words, self.first.draft, leaves.field_names).items():
            leaves.fields[part] = shared
        operation = assembled(draft, leaves, templates, name)
        if operation is None:
            return None
        parts = tuple(self._part(stage, prefix, leaves, draft, zero) for stage, prefix in ((self.first, self.prefix), (self.second, "")))
        attributes = tuple(dict.fromkeys(operation.alpha)), tuple(dict.fromkeys(operation.beta))
        when = (*operation.when, *self._fitting(leaves))
        operation = replace(operation, alpha=attributes[0], beta=attributes[1], encode=(), when=when, clobbers=self._clobbers(), sets=self._sets(operation, parts), cost=self._cost(), source=())
        return Composite(operation, parts)

    def _draft(self, templates: dict[str, Template]) -> Draft:
        """The second stage's draft with conditions on the first's words, and the registers that both leave behind."""
        second = self.second.draft
        choice = tuple((substitute(a, self.registers), h) for a, h in second.case.choice)
        facts = tuple((substitute(a, self.registers), h) for a, h in second.mode.facts)
        ours = tuple((substitute(a, self.renaming), h) for a, h in (*self.first.draft.case.choice, *self.first.draft.mode.facts))
        readings = {t: r for t, r in second.case.readings.items() if t not in second.layout.storage}
        mode = replace(second.mode, facts=tuple(dict.fromkeys((*facts, *ours))))
        return replace(second, mode=mode, case=Case(choice, readings), fixed={}, memo={})

    def _field_names(self) -> Mapping[Bits, str]:
        ours = {(self.prefix + w, low, n): name for (w, low, n), name in self.first.draft.field_names.items()}
        theirs = dict(self.second.draft.field_names)
        clash = set(ours.values()) & set(theirs.values())
        return {**{p: f"{self.first.draft.mode.instruction}_{n}" if n in clash else n for p, n in ours.items()}, **theirs}

    def _part(self, stage: Stage, prefix: str, leaves: Leaves, draft: Draft, zero: dict[Bits, int]) -> Part:
        """The arguments with which a stage is issued: for each of its fields what the composite knows of these bits, 0 where nothing."""
        fixed = {**_decided_in(draft, leaves.words), **zero}
        arguments: dict[str, Expr] = {}
        for field in stage.instruction.encode:
            if isinstance(field.value, Name):
                arguments[field.value.name] = _bits(leaves, fixed, prefix + field.word, field.low, field.high - field.low + 1)
        return Part(stage.instruction.name, arguments)

    def _sets(self, operation: Instruction, parts: tuple[Part, ...]) -> tuple[Set, ...]:
        """Registers that the second stage sets, then those that the first leaves behind."""
        done = {each.state for each in operation.sets}
        arguments = parts[0].arguments
        left = [each for each in self.first.instruction.sets if each.state not in done and each.index is None and names(each.value) <= arguments.keys()]
        return (*operation.sets, *(replace(each, value=simplify_expr(substitute_names(each.value, arguments))) for each in left))

    def _fitting(self, leaves: Leaves) -> Iterator[Expr]:
        """An attribute that is only some of the bits of a part's field has no others."""
        for (word, low, width), name in leaves.fields.items():
            stage = self.first if word.startswith(self.prefix) else self.second
            for field in stage.instruction.encode:
                if field.word == word.removeprefix(self.prefix) and field.low <= low and low + width <= field.high + 1 and width < field.high - field.low + 1:
                    yield Binary("<", Name(name), Int(1 << width))

    def _clobbers(self) -> tuple[Slice, ...]:
        """The arrays that either stage writes hold nothing that the composite speaks of."""
        layout, result = self.first.draft.layout, []
        arrays = {t for s in (self.first, self.second) for t in s.draft.case.readings if t in layout.storage and t in s.draft.lift.arrays}
        for buffer in dict.fromkeys(layout.storage[t].buffer for t in sorted(arrays)):
            sizes = (*layout.buffers[buffer].access, *layout.buffers[buffer].unit)
            names_ = ("p", "q", "r", "s", "t")[: len(sizes)]
            result.append(Slice(buffer, tuple(Name(n) for n in names_), tuple(Index(n, Int(s)) for n, s in zip(names_, sizes, strict=True))))
        return tuple(result)

    def _cost(self) -> Expr:
        costs = [s.instruction.cost for s in (self.first, self.second) if s.instruction.cost is not None]
        total: Expr = Int(0)
        for cost in costs:
            total = Binary("+", total, cost)
        return simplify_expr(total)


def _decided_in(draft: Draft, words: Mapping[str, int]) -> dict[Bits, int]:
    return conjunction_parts((*draft.mode.facts, *draft.case.choice), words)[0]


def _bits(leaves: Leaves, fixed: Mapping[Bits, int], word: str, low: int, width: int) -> Expr:
    """Bits of a word as the sum of the fields and fixed bits within them."""
    total: Expr = Int(0)
    pieces: dict[Bits, Expr] = {**{p: Int(v) for p, v in fixed.items()}, **{p: Name(n) for p, n in leaves.fields.items()}}
    for (other, start, size), value in sorted(pieces.items(), key=lambda e: e[0][1]):
        if other == word and start >= low and start + size <= low + width:
            total = Binary("+", total, Binary("*", value, Int(1 << (start - low))))
    return simplify_expr(total)


def _mapped(each: Template, values: dict[Term, Term]) -> Template:
    done: dict[Term, Term] = {}
    loops = tuple((i, substitute(n, values, done)) for i, n in each.loops)
    unit = tuple(substitute(u, values, done) for u in each.unit)
    return replace(each, loops=loops, guard=substitute(each.guard, values, done), address=substitute(each.address, values, done), unit=unit, value=substitute(each.value, values, done))


def _initial_bounds(value: Term, words: Mapping[str, int]) -> set[Term]:
    """The fields that bound the operand from which a product starts."""
    found: set[Term] = set()
    for term in terms.walk(value):
        if term.op == "dot":
            for inner in terms.walk(term.args[0]):
                if inner.op == "mux":
                    for condition in conjuncts(inner.args[0]):
                        found |= {leaf for leaf in _field_leaves(condition, words)}
    return found


def _field_leaves(term: Term, words: Mapping[str, int]) -> Iterator[Term]:
    if field_part(term, words) is not None:
        yield term
        return
    for a in term.args:
        yield from _field_leaves(a, words)


def _shared_bounds(templates: dict[str, Template], words: Mapping[str, int], first: Draft, names: Mapping[Bits, str]) -> dict[Bits, str]:
    """Fields that bound one index anywhere -> the name of the one that bounds the result (or, for the index of a product, of the first)."""
    groups: dict[Term, list[Bits]] = {}
    for each in templates.values():
        for root in (each.guard, each.value):
            for term in terms.walk(root):
                if term.op == "ult":
                    left = polynomial(term.args[0])
                    parts = [p for leaf in _field_leaves(term.args[1], words) if (p := field_part(leaf, words)) is not None]
                    if len(left) == 1 and len(parts) == 1 and len(next(iter(left))) == 1:
                        groups.setdefault(next(iter(left))[0], []).append(parts[0])
    result: dict[Bits, str] = {}
    for parts in groups.values():
        labels = [names.get(p, f"{p[0]}_{p[1]}").replace(".", "_") for p in parts]
        shared = min(labels, key=lambda n: (len(n), labels.index(n)))
        result |= {p: shared for p in parts}
    return result


__all__ = ["Effect", "Reading", "Stage", "Use", "composites"]
