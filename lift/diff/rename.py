"""Names given anew: which declaration of the new file stands for which of the old one, and the old file with the new names.

A declaration whose name is gone and one that is new are taken to be one when nothing else has their type; an instruction when most of its
clauses are found again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TypeVar

from act.taidl import Accelerator, Composite, Expr, Field, Index, Instruction, Name, Part, Read, Set, Slice, Use, Write, substitute

ALIKE = 0.8  # of the text of two instructions that are taken to be one under another name
Item = TypeVar("Item")
Names = Mapping[str, str]  # old name -> new name


@dataclass(frozen=True, slots=True)
class Renames:
    words: Names = field(default_factory=dict)
    buffers: Names = field(default_factory=dict)
    states: Names = field(default_factory=dict)
    instructions: Names = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.words, self.buffers, self.states, self.instructions))


def declared(old: Accelerator, new: Accelerator) -> Renames:
    """Renamed words, buffers and registers."""
    words = _alone({w.name: w for w in old.words}, {w.name: w for w in new.words}, lambda w: w.width)
    buffers = _alone(old.buffers, new.buffers, lambda b: (b.element, b.access, b.unit, b.hbm))
    states = _alone(old.states, new.states, lambda s: (s.element, s.count, s.initial))
    return Renames(words, buffers, states)


def _alone(old: Mapping[str, Item], new: Mapping[str, Item], kind: Callable[[Item], Hashable]) -> dict[str, str]:
    """Pairs of a name that is gone and a new one which are the only ones of their kind."""
    gone, fresh = [n for n in old if n not in new], [n for n in new if n not in old]
    result: dict[str, str] = {}
    for name in gone:
        partners = [n for n in fresh if kind(new[n]) == kind(old[name])]
        rivals = [n for n in gone if kind(old[n]) == kind(old[name])]
        if len(partners) == len(rivals) == 1:
            result[name] = partners[0]
    return result


def alike(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Pairs of a name that is gone and a new one whose texts are most alike, each name once."""
    scores = [(SequenceMatcher(None, a.splitlines(), b.splitlines(), autojunk=False).ratio(), m, n) for m, a in old.items() for n, b in new.items()]
    result: dict[str, str] = {}
    for score, name, other in sorted(scores, key=lambda s: (-s[0], s[1], s[2])):
        if score >= ALIKE and name not in result and other not in result.values():
            result[name] = other
    return result


def renamed(accelerator: Accelerator, names: Renames) -> Accelerator:
    """The accelerator under the new names."""
    if not names:
        return accelerator
    words = tuple(replace(w, name=names.words.get(w.name, w.name)) for w in accelerator.words)
    buffers = {b.name: b for b in (replace(b, name=names.buffers.get(b.name, b.name)) for b in accelerator.buffers.values())}
    states = {s.name: s for s in (replace(s, name=names.states.get(s.name, s.name)) for s in accelerator.states.values())}
    instructions = [_instruction(i, names) for i in accelerator.instructions.values()]
    composites = [Composite(_instruction(c.operation, names), tuple(_part(p, names) for p in c.parts)) for c in accelerator.composites.values()]
    return replace(
        accelerator, words=words, buffers=buffers, states=states, instructions={i.name: i for i in instructions},
        composites={c.operation.name: c for c in composites},
    )  # fmt: skip


def _part(part: Part, names: Renames) -> Part:
    return replace(part, instruction=names.instructions.get(part.instruction, part.instruction))


def _instruction(each: Instruction, names: Renames) -> Instruction:
    def place(piece: Slice) -> Slice:
        return replace(piece, buffer=names.buffers.get(piece.buffer, piece.buffer))

    return replace(
        each,
        name=names.instructions.get(each.name, each.name),
        encode=tuple(replace(f, word=names.words.get(f.word, f.word)) for f in each.encode),
        uses=tuple(replace(u, state=names.states.get(u.state, u.state)) for u in each.uses),
        reads=tuple(replace(r, slice=place(r.slice)) for r in each.reads),
        writes=tuple(replace(w, slice=place(w.slice)) for w in each.writes),
        clobbers=tuple(place(c) for c in each.clobbers),
        sets=tuple(replace(s, state=names.states.get(s.state, s.state)) for s in each.sets),
        after=tuple(names.instructions.get(a, a) for a in each.after),
    )


def local_names(old: Instruction, new: Instruction) -> dict[str, str]:
    """Attributes and names of registers that mean the same bits or the same register, and are called otherwise."""
    pairs = [*_meet(_fields(old), _fields(new)), *_meet(_registers(old), _registers(new))]
    gone, fresh = _known(old) - _known(new), _known(new) - _known(old)
    result: dict[str, str] = {}
    for name, other in pairs:
        if name in gone and other in fresh and other not in result.values():
            result.setdefault(name, other)
    return result


def _meet(old: Mapping[Hashable, str], new: Mapping[Hashable, str]) -> Iterable[tuple[str, str]]:
    return [(name, new[key]) for key, name in old.items() if key in new]


def _fields(each: Instruction) -> dict[Hashable, str]:
    return {(f.word, f.high, f.low): f.value.name for f in each.encode if isinstance(f.value, Name)}


def _registers(each: Instruction) -> dict[Hashable, str]:
    return {(u.state, u.index): u.name for u in each.uses if u.name is not None}


def _known(each: Instruction) -> set[str]:
    return {*each.attributes, *(u.name for u in each.uses if u.name is not None)}


def with_locals(each: Instruction, names: Names) -> Instruction:
    """The instruction with its attributes and names of registers replaced."""
    if not names:
        return each
    mapping: dict[str, Expr] = {a: Name(b) for a, b in names.items()}

    def put(expr: Expr) -> Expr:
        return substitute(expr, mapping)

    def maybe(expr: Expr | None) -> Expr | None:
        return None if expr is None else put(expr)

    def place(piece: Slice) -> Slice:
        return Slice(piece.buffer, tuple(map(put, piece.coordinates)), tuple(Index(i.name, put(i.extent)) for i in piece.indices))

    return replace(
        each,
        alpha=tuple(names.get(a, a) for a in each.alpha),
        beta=tuple(names.get(a, a) for a in each.beta),
        encode=tuple(Field(f.word, f.high, f.low, put(f.value)) for f in each.encode),
        when=tuple(map(put, each.when)),
        uses=tuple(Use(u.state, maybe(u.index), None if u.name is None else names.get(u.name, u.name), maybe(u.equals)) for u in each.uses),
        reads=tuple(Read(r.name, place(r.slice)) for r in each.reads),
        writes=tuple(Write(place(w.slice), w.name) for w in each.writes),
        clobbers=tuple(map(place, each.clobbers)),
        sets=tuple(Set(s.state, maybe(s.index), put(s.value)) for s in each.sets),
        cost=maybe(each.cost),
        body=re.sub(r"`([^`]*)`", lambda quoted: f"`{_in_text(quoted.group(1), names)}`", each.body),
    )


def _in_text(text: str, names: Names) -> str:
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda name: names.get(name.group(), name.group()), text)
