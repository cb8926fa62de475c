"""Instructions with forms that selection has no words for -> composites of one part that it can choose, with the same effect.

- Addresses from words of a table (`acc[(uop[word] & 511) + i]`): each part of a word is an address attribute of its own, `uop_0`; the words
  are made, and loaded, when all addresses are known.
- Several results: one composite for each, which overwrites the places of the others.
- Macros of one step in loops: the step, for loops that run once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from act.generator.address import NotSelectable, without_wrap
from act.generator.model import TableWord, WordField
from act.hlo.dtypes import width
from act.hlo.instantiate import instantiate
from act.hlo.print import print_body
from act.records import dataclass, field, replace
from act.taidl.body import body_of
from act.taidl.expr import conjuncts, evaluate, lookups, names, substitute
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Binary, Branch, Composite, Expr, Index, Instruction, Int, Lookup, Loop, Name, Part, Slice, Step
from act.taidl.simplify import constant, simplify


@dataclass(frozen=True, slots=True)
class Derived:
    """`composite` has one part, the instruction it stands for."""

    composite: Composite
    words: tuple[TableWord, ...]


def derived(accelerator: Accelerator, instruction: Instruction) -> list[Derived]:
    """What stands for an instruction; nothing when it needs no other form.  `NotSelectable` when there is none."""
    found = []
    for operation in without_steps(accelerator, instruction):
        operation, words = _without_lookups(accelerator, operation)
        operation, ends = _with_ends(accelerator, operation, words)
        results = [_with_result(operation, number) for number in range(len(operation.writes))]
        found += [(each, words, ends) for each in results] if len(results) > 1 else [(operation, words, ends)]
    if len(found) == 1 and found[0][0] == instruction:
        return []
    known = {*accelerator.instructions, *accelerator.composites}
    result = []
    for number, (operation, words, ends) in enumerate(found):
        passed = Part(instruction.name, {name: ends.get(name, Name(name)) for name in instruction.attributes})
        name = f"{instruction.name}_{number}"
        while name in known:
            name += "_"
        result.append(Derived(Composite(replace(operation, name=name, encode=(), steps=()), (passed,)), words))
    return result


def _with_result(operation: Instruction, which: int) -> Instruction:
    others = tuple(each.slice for number, each in enumerate(operation.writes) if number != which)
    return replace(operation, writes=(operation.writes[which],), clobbers=(*operation.clobbers, *others))


def without_steps(accelerator: Accelerator, macro: Instruction) -> Iterator[Instruction]:
    """The only step of a macro, once for each way to get to it, with the values of its attributes put in."""
    if not macro.steps:
        yield macro
        return
    for part, conditions in _only_step(macro.steps, {}):
        called = accelerator.instructions.get(part.instruction)
        if called is None or called.steps or called.opaque:
            raise NotSelectable(f"it is a macro of '{part.instruction}'")
        yield _called(macro, called, part.arguments, conditions)


def _only_step(steps: Sequence[Step], values: Mapping[str, Expr]) -> Iterator[tuple[Part, tuple[Expr, ...]]]:
    if len(steps) != 1:
        raise NotSelectable(f"it is a macro of {len(steps)} steps")
    match steps[0]:
        case Part(name, arguments):
            yield Part(name, {key: simplify(substitute(value, values)) for key, value in arguments.items()}), ()
        case Loop(Index(name, extent), inner):
            once = Binary("==", substitute(extent, values), Int(1))
            yield from ((part, (once, *found)) for part, found in _only_step(inner, {**values, name: Int(0)}))
        case Branch(condition, then, otherwise):
            decided = substitute(condition, values)
            yield from ((part, (decided, *found)) for part, found in _only_step(then, values))
            if otherwise:
                yield from ((part, (Binary("==", decided, Int(0)), *found)) for part, found in _only_step(otherwise, values))


def _called(macro: Instruction, called: Instruction, arguments: Mapping[str, Expr], conditions: tuple[Expr, ...]) -> Instruction:
    """What `called` does with these values of its attributes, as one command of the macro."""
    if called.sets or called.pops or called.pushes or macro.sets:
        raise NotSelectable("it is a macro of steps that set registers or exchange tokens")

    def piece(each: Slice) -> Slice:
        coordinates = tuple(simplify(substitute(coordinate, arguments)) for coordinate in each.coordinates)
        return Slice(each.buffer, coordinates, tuple(Index(index.name, simplify(substitute(index.extent, arguments))) for index in each.indices))

    def value(expr: Expr) -> Any:
        result = simplify(substitute(expr, arguments))
        known = constant(result)
        return result if known is None else known

    when = (*macro.when, *(part for each in conditions for part in conjuncts(each)), *(substitute(each, arguments) for each in called.when))
    return replace(
        macro,
        when=tuple(dict.fromkeys(when)),
        uses=(*macro.uses, *called.uses),
        reads=tuple(replace(each, slice=piece(each.slice)) for each in called.reads),
        writes=tuple(replace(each, slice=piece(each.slice)) for each in called.writes),
        clobbers=tuple(map(piece, called.clobbers)),
        body=print_body(instantiate(body_of(called, called.name), value), print_expr) if called.body else "",
        cost=macro.cost or called.cost,
        steps=(),
    )


def _without_lookups(accelerator: Accelerator, operation: Instruction) -> tuple[Instruction, tuple[TableWord, ...]]:
    slices = [*(each.slice for each in (*operation.reads, *operation.writes)), *operation.clobbers]
    if not any(lookups(coordinate) for piece in slices for coordinate in piece.coordinates):
        return operation, ()
    tables = _Tables(accelerator, operation)
    operation = replace(
        operation,
        reads=tuple(replace(each, slice=tables.replaced(each.slice)) for each in operation.reads),
        writes=tuple(replace(each, slice=tables.replaced(each.slice)) for each in operation.writes),
        clobbers=tuple(map(tables.replaced, operation.clobbers)),
    )
    words = tables.words()
    slots = {each.slot for each in words}
    beta = (*(name for name in operation.beta if name not in slots), *sorted(slots), *(each.attribute for word in words for each in word.fields))
    return replace(operation, alpha=tuple(name for name in operation.alpha if name not in slots), beta=beta), words


def _with_ends(accelerator: Accelerator, operation: Instruction, words: Sequence[TableWord]) -> tuple[Instruction, dict[str, Expr]]:
    """The operation without attributes that must be just behind a word, `end - word == 1`, which are given as values; no other condition may
    depend on where a word is."""
    slots = {word.slot: accelerator.buffers[word.table].access[0] for word in words}
    ends: dict[str, Expr] = {}
    every = [part for condition in operation.when for part in conjuncts(condition)]
    for condition in every:
        match condition:
            case Binary("==", Binary("-", Name(end), Name(slot)), Int(count)) if slot in slots and end not in slots:
                ends[end] = Binary("+", Name(slot), Int(count))
    when = []
    for condition in (simplify(substitute(each, ends)) for each in every):
        used = names(condition) & slots.keys()
        if not used:
            when.append(condition)
        elif len(names(condition)) > 1 or not all(evaluate(condition, {name: place}) for name in used for place in range(slots[name])):
            raise NotSelectable(f"a condition depends on where a word is: {print_expr(condition)}")
    left = {kind: tuple(name for name in getattr(operation, kind) if name not in ends) for kind in ("alpha", "beta")}
    return replace(operation, when=tuple(when) if slots else operation.when, **left), ends


@dataclass(slots=True)
class _Tables:
    """Names the parts of words that are addresses."""

    accelerator: Accelerator
    operation: Instruction
    found: dict[tuple[str, str], dict[str, WordField]] = field(default_factory=dict)

    def replaced(self, piece: Slice) -> Slice:
        return Slice(piece.buffer, tuple(map(self._expr, piece.coordinates)), piece.indices)

    def words(self) -> tuple[TableWord, ...]:
        for (table, _), fields in self.found.items():
            spans = sorted((each.shift, each.shift + each.width) for each in fields.values())
            if any(end > begin for (_, end), (begin, _) in pairwise(spans)):
                raise NotSelectable(f"two addresses share bits of a word of {table}")
        return tuple(TableWord(table, slot, tuple(fields.values())) for (table, slot), fields in self.found.items())

    def _expr(self, expr: Expr) -> Expr:
        if not lookups(expr):
            return expr
        part = _bits(expr, self.accelerator)
        if part is not None:
            return Name(self._attribute(*part))
        match expr:
            case Binary(op, left, right):
                return Binary(op, self._expr(left), self._expr(right))
        raise NotSelectable(f"an address is computed from a word in a way that is not its bits: {print_expr(expr)}")

    def _attribute(self, lookup: Lookup, shift: int, size: int) -> str:
        index = without_wrap(lookup.indices[0], self.accelerator.buffers[lookup.buffer].access[0])
        if len(lookup.indices) != 1 or not isinstance(index, Name) or index.name not in self.operation.attributes:
            raise NotSelectable(f"it finds words of {lookup.buffer} at a place that is no attribute: {print_expr(lookup)}")
        fields = self.found.setdefault((lookup.buffer, index.name), {})
        name = f"{lookup.buffer}_{index.name}_{shift}"
        if fields.setdefault(name, WordField(name, shift, size)).width != size or name in self.operation.attributes:
            raise NotSelectable(f"two addresses share bits of a word of {lookup.buffer}")
        return name


def _bits(expr: Expr, accelerator: Accelerator) -> tuple[Lookup, int, int] | None:
    """The look-up of which an expression is some bits, with their lowest and their number."""
    match expr:
        case Lookup(buffer):
            return expr, 0, width(accelerator.buffers[buffer].element)
        case Binary("&", inner, Int(mask)) | Binary("&", Int(mask), inner) if mask & (mask + 1) == 0:
            return _narrowed(inner, mask.bit_length(), accelerator)
        case Binary("%", inner, Int(period)) if period > 0 and period & (period - 1) == 0:
            return _narrowed(inner, period.bit_length() - 1, accelerator)
        case Binary(">>", inner, Int(by)):
            return _shifted(inner, by, accelerator)
        case Binary("/", inner, Int(by)) if by > 0 and by & (by - 1) == 0:
            return _shifted(inner, by.bit_length() - 1, accelerator)
    return None


def _narrowed(inner: Expr, size: int, accelerator: Accelerator) -> tuple[Lookup, int, int] | None:
    found = _bits(inner, accelerator)
    return None if found is None else (found[0], found[1], min(size, found[2]))


def _shifted(inner: Expr, by: int, accelerator: Accelerator) -> tuple[Lookup, int, int] | None:
    found = _bits(inner, accelerator)
    return None if found is None or by >= found[2] else (found[0], found[1] + by, found[2] - by)
