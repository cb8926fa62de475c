"""Instructions with forms that selection has no words for -> composites of one part that it can choose, with the same effect.

- Addresses from words of a table (`acc[(uop[word] & 511) + i]`): each part of a word is an address attribute of its own, `uop_0`; the words
  are made, and loaded, when all addresses are known.
- Several results: one composite for each, which overwrites the places of the others.
- Macros of one step in loops: the step, for loops that run once or of which one runs over rows (macros.py).
- Tensors that run along one coordinate by several indices, or have more than two dimensions, padding, strides that are addresses, and
  numbers with a sign (extents.py).
- Rows that are matrices (blocks.py).
- Single numbers on chip (numbers.py).
- Operators that an attribute makes do nothing (neutral.py).
- Addresses in two attributes, of a page and of a place in it (pages.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from act.generator.address import NotSelectable, without_wrap
from act.generator.extents import as_matrices, with_chosen_strides, with_one_index, with_signed_fields, without_pads
from act.generator.forms import Form, pinned, with_slices
from act.generator.macros import without_steps
from act.generator.model import TableWord, WordField
from act.generator.neutral import with_neutral_values
from act.generator.numbers import with_vectors
from act.generator.pages import with_joined_addresses
from act.hlo.dtypes import width
from act.records import dataclass, field, replace
from act.taidl.expr import conjuncts, evaluate, lookups, names
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Binary, Composite, Expr, Instruction, Int, Lookup, Name, Part, Slice


@dataclass(frozen=True, slots=True)
class Derived:
    """`composite` has one part, the instruction it stands for."""

    composite: Composite
    words: tuple[TableWord, ...]


def derived(accelerator: Accelerator, instruction: Instruction, seen: Accelerator) -> list[Derived]:
    """What stands for an instruction; nothing when it needs no other form.  `NotSelectable` when there is none.
    `seen` is the accelerator with the memories that are seen as matrices (blocks.py)."""
    found, reason = [], NotSelectable("nothing that it does is known")
    for form in without_steps(seen, seen.instructions[instruction.name]):
        try:
            found += [(each, words) for each, words in _forms(seen, form)]
        except NotSelectable as error:
            reason = error
    if not found:
        raise reason
    if len(found) == 1 and found[0][0].operation == instruction:
        return []
    known = {*accelerator.instructions, *accelerator.composites}
    result = []
    for number, (form, words) in enumerate(found):
        passed = Part(instruction.name, {name: form.given.get(name, Name(name)) for name in instruction.attributes})
        name = f"{instruction.name}_{number}"
        while name in known:
            name += "_"
        result.append(Derived(Composite(replace(form.operation, name=name, encode=(), steps=()), (passed,)), words))
    return result


def _forms(accelerator: Accelerator, form: Form) -> Iterator[tuple[Form, tuple[TableWord, ...]]]:
    """The forms of one that is no macro."""
    for each in (simpler for one in with_one_index(accelerator, without_pads(form)) for simpler in with_neutral_values(one)):
        each = as_matrices(accelerator, each)
        each = with_vectors(accelerator, with_joined_addresses(with_chosen_strides(accelerator, with_signed_fields(each))))
        operation, words = _without_lookups(accelerator, each.operation)
        each = _with_ends(accelerator, replace(each, operation=operation), words)
        for number in range(len(each.operation.writes)):
            yield (_with_result(each, number) if len(each.operation.writes) > 1 else each), words
        if not each.operation.writes:
            yield each, words


def _with_result(form: Form, which: int) -> Form:
    operation = form.operation
    others = tuple(each.slice for number, each in enumerate(operation.writes) if number != which)
    return replace(form, operation=replace(operation, writes=(operation.writes[which],), clobbers=(*operation.clobbers, *others)))


def _without_lookups(accelerator: Accelerator, operation: Instruction) -> tuple[Instruction, tuple[TableWord, ...]]:
    if not any(lookups(coordinate) for piece in operation.slices for coordinate in piece.coordinates):
        return operation, ()
    tables = _Tables(accelerator, operation)
    operation = with_slices(operation, tables.replaced)
    words = tables.words()
    slots = {each.slot for each in words}
    beta = (*(name for name in operation.beta if name not in slots), *sorted(slots), *(each.attribute for word in words for each in word.fields))
    return replace(operation, alpha=tuple(name for name in operation.alpha if name not in slots), beta=beta), words


def _with_ends(accelerator: Accelerator, form: Form, words: Sequence[TableWord]) -> Form:
    """The form without attributes that must be just behind a word, `end - word == 1`, which are given as values; no other condition may
    depend on where a word is."""
    slots = {word.slot: accelerator.buffers[word.table].access[0] for word in words}
    if not slots:
        return form
    ends: dict[str, Expr] = {}
    for condition in form.operation.when:
        match condition:
            case Binary("==", Binary("-", Name(end), Name(slot)), Int(count)) if slot in slots and end not in slots:
                ends[end] = Binary("+", Name(slot), Int(count))
    form = pinned(form, ends)
    when = []
    for condition in (part for each in form.operation.when for part in conjuncts(each)):
        used = names(condition) & slots.keys()
        if not used:
            when.append(condition)
        elif len(names(condition)) > 1 or not all(evaluate(condition, {name: place}) for name in used for place in range(slots[name])):
            raise NotSelectable(f"a condition depends on where a word is: {print_expr(condition)}")
    return replace(form, operation=replace(form.operation, when=tuple(when)))


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
