"""What is known of one mode on the way to an instruction: its case, the templates of what it writes, and these as bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from act.taidl import Instruction, Slice
from lift.assemble.effects import Effect
from lift.assemble.errors import NothingWritten, Overlap, writing
from lift.assemble.family import Template, array_template, word_template
from lift.assemble.layout import Layout
from lift.assemble.leaves import Leaves, Part, field_part
from lift.assemble.modes import Case
from lift.assemble.ranges import Ranges
from lift.assemble.values import Body
from lift.unroll.extract import Lift, Mode
from lift.unroll.terms import Term

Made = TypeVar("Made")
Writing = tuple[tuple[Effect, ...], int, int]  # the stores to a memory of words, the widths of a lane and of a word


@dataclass(frozen=True, slots=True)
class Draft:
    """One case of a mode.  `fixed` are the bits of the opcode, `field_names` what the design calls slices of the command; `known` are templates that may be
    used again: modes of one instruction often write the same."""

    lift: Lift
    layout: Layout
    mode: Mode
    case: Case
    fixed: dict[Part, int]
    field_names: Mapping[Part, str]
    known: dict[Writing, Template] = field(default_factory=dict)
    memo: dict[str, Template] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """One written buffer: its slice, the tensor that it gets, the body that computes it, and its ranges.  The body of one that gets the low bits of
    `wide` names that one's tensor BASE."""

    write: Slice
    root: str
    body: Body
    ranges: Ranges
    template: Template
    wide: Piece | None = None


def data_templates(draft: Draft) -> dict[str, Template]:
    """The template of every buffer that the case writes."""
    if not draft.memo:
        found: dict[str, Template] = {}
        for target, reading in draft.case.readings.items():
            if target in draft.layout.storage and reading.effects:
                with suppress(NothingWritten), writing(target):
                    found[target] = _template(draft, target)
        draft.memo.update(found)
    return draft.memo


def _template(draft: Draft, target: str) -> Template:
    effects = list(draft.case.readings[target].effects)
    storage = draft.layout.storage
    shapes = {name: array.shape for name, array in draft.lift.arrays.items() if name not in storage or storage[name].is_array}
    if target in shapes:
        return array_template(effects, shapes[target], shapes)
    writing = (tuple(effects), storage[target].bits, effects[0].data.width)
    found = draft.known.get(writing)
    if found is None:
        found = draft.known[writing] = word_template(effects, *writing[1:], shapes)
    return found


def without_overlap(draft: Draft, make: Callable[[Leaves], Made]) -> Made:
    """What `make` makes of the leaves of a draft: with whole fields in addresses, else with the bits that are used, else with whole words as
    fields, until no two fields overlap."""
    narrow, whole = False, set[str]()
    while True:
        leaves = leaves_for(draft)
        leaves.narrow = narrow
        leaves.whole |= whole
        try:
            return make(leaves)
        except Overlap as reason:
            if reason.word in whole:
                raise
            whole |= {reason.word} if narrow else set()
            narrow = True


def leaves_for(draft: Draft) -> Leaves:
    words = {w.name: w.width for w in draft.layout.words}
    return Leaves(words, draft.layout.registers, {**draft.field_names, **_names_of_sets(draft, words)}, storage=draft.layout.storage)


def _names_of_sets(draft: Draft, words: Mapping[str, int]) -> dict[Part, str]:
    """A field that a register is set to has the register's name."""
    found: dict[Part, str] = {}
    for target, reading in draft.case.readings.items():
        if target in draft.layout.registers.names:
            values = [reading.result] if reading.result is not None else [e.data for e in reading.effects]
            found |= {part: target.rsplit(".", 1)[-1] for v in values if (part := field_part(v, words)) is not None}
    return found


@dataclass(frozen=True, slots=True)
class Stage:
    """An instruction of the specification and the draft that it was made from."""

    draft: Draft
    instruction: Instruction

    @property
    def literals(self) -> tuple[tuple[Term, bool], ...]:
        """The facts and choices under which it applies."""
        return (*self.draft.mode.facts, *self.draft.case.choice)
