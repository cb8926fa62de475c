"""One operation (instruction or composite) -> the texts of its clauses; two of them -> what differs, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from act.taidl import Accelerator, Composite, Field, Instruction, print_expr, print_text
from lift.diff.effects import Effect, changed_lines, effects

Operation = Instruction | Composite
UNCHANGED_BY = ("source", "body", "encode", "read", "write")  # clauses that are looked at otherwise, or (source) say nothing of what is done
SETS = {"when": "applies only when", "use": "needs", "clobber": "clobbers", "set": "registers set", "after": "ordering: comes after", "cost": "cost"}
FLAGS = {"part": ("only part of composites", "an instruction of its own"), "opaque": ("opaque", "known")}


@dataclass(frozen=True, slots=True)
class Clauses:
    """`texts` maps a keyword to what follows it, for each occurrence; `parts` are those of a composite."""

    operation: Instruction
    parts: tuple[str, ...]
    texts: dict[str, list[str]]
    body: list[str]

    def all(self, keyword: str) -> list[str]:
        return self.texts.get(keyword, [])

    @property
    def effects(self) -> list[Effect]:
        return effects(self.all("write"), self.all("read"), self.body)


def operation_text(accelerator: Accelerator, operation: Operation) -> str:
    """The canonical text of one operation."""
    alone = replace(accelerator, words=accelerator.words, states={}, instructions={}, composites={}, notes=(), header="")
    if isinstance(operation, Composite):
        whole = replace(alone, composites={operation.operation.name: operation})
    else:
        whole = replace(alone, instructions={operation.name: operation})
    text = print_text(whole)
    return text[text.index("\ncomposite " if isinstance(operation, Composite) else "\ninstruction ") + 1 :].strip("\n")


def clauses(accelerator: Accelerator, operation: Operation) -> Clauses:
    """The clauses by keyword."""
    texts: dict[str, list[str]] = {}
    parts: list[str] = []
    body: list[str] = []
    for line in operation_text(accelerator, operation).splitlines()[1:]:
        if line.startswith("    "):
            (body if "body" in texts else parts).append(line.strip().removesuffix(" ;"))
        elif line != "  }":
            keyword, _, text = line.strip().partition(" ")
            texts.setdefault(keyword, []).append(text.strip())
    return Clauses(operation.operation if isinstance(operation, Composite) else operation, tuple(parts), texts, body)


def changes(old: Clauses, new: Clauses) -> list[str]:
    """What differs, in lines; a heading is followed by indented lines."""
    return [*_attributes(old, new), *_encoding(old, new), *_flags(old, new), *_parts(old, new), *_sets(old, new), *_effects(old, new)]


def _attributes(old: Clauses, new: Clauses) -> Iterator[str]:
    for role, a, b in (("computation", old.operation.alpha, new.operation.alpha), ("addresses", old.operation.beta, new.operation.beta)):
        if a != b and sorted(a) == sorted(b):
            yield f"attributes of the {role} in another order: {', '.join(a)} -> {', '.join(b)}"
        elif a != b:
            yield f"attributes of the {role}"
            yield from _listed(list(a), list(b))


def _encoding(old: Clauses, new: Clauses) -> Iterator[str]:
    """Fields by what they hold: an attribute that moved, constants that changed."""
    a, b = _by_value(old.operation.encode), _by_value(new.operation.encode)
    lines = []
    for name in dict.fromkeys([*a, *b]):
        if a.get(name) != b.get(name):
            lines.append(f"  {name}: {' and '.join(a.get(name, ['not encoded']))} -> {' and '.join(b.get(name, ['not encoded']))}")
    if lines:
        yield "encoding"
        yield from lines


def _by_value(fields: tuple[Field, ...]) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for field in fields:
        bits, value = f"{field.word}[{field.high}:{field.low}]", print_expr(field.value)
        constant = value[:1].isdigit()
        result.setdefault(f"bits {bits}" if constant else f"field {value}", []).append(value if constant else bits)
    return result


def _flags(old: Clauses, new: Clauses) -> Iterator[str]:
    for keyword, (with_it, without) in FLAGS.items():
        a, b = keyword in old.texts, keyword in new.texts
        if a != b:
            yield f"{with_it if a else without} -> {with_it if b else without}"


def _parts(old: Clauses, new: Clauses) -> Iterator[str]:
    if old.parts != new.parts:
        yield "parts"
        yield from _listed(list(old.parts), list(new.parts))


def _sets(old: Clauses, new: Clauses) -> Iterator[str]:
    for keyword, title in SETS.items():
        a, b = (_items(c.all(keyword), keyword) for c in (old, new))
        if sorted(a) != sorted(b):
            yield title
            yield from _listed(a, b)


def _items(texts: list[str], keyword: str) -> list[str]:
    return [name for text in texts for name in text.split(", ")] if keyword == "after" else texts


def _listed(old: list[str], new: list[str]) -> Iterator[str]:
    yield from (f"  - {text}" for text in old if text not in new)
    yield from (f"  + {text}" for text in new if text not in old)
    if set(old) == set(new):
        yield from (f"  - {text}" for text in old)
        yield from (f"  + {text}" for text in new)


def _effects(old: Clauses, new: Clauses) -> Iterator[str]:
    """Each effect of the old operation with the one of the new operation on the same buffer."""
    targets = dict.fromkeys(e.buffer for c in (old, new) for e in c.effects)
    for buffer in targets:
        before, after = ([e for e in c.effects if e.buffer == buffer] for c in (old, new))
        for a, b in zip_longest(before, after):
            yield from _effect(buffer, a, b)
    unused = [_unused(c) for c in (old, new)]
    if unused[0] != unused[1]:
        yield "operands that no effect uses"
        yield from _listed(*unused)


def _unused(found: Clauses) -> list[str]:
    lines = [line for effect in found.effects for line in effect.lines]
    places = [read.split(" = ", 1)[1] for read in found.all("read")]
    return [place for place in places if not any(place in line for line in lines)]


def _effect(buffer: str, old: Effect | None, new: Effect | None) -> Iterator[str]:
    if old is None or new is None:
        found = old or new
        assert found is not None
        yield f"{'no longer writes' if new is None else 'now writes'} {found.place}"
        return
    if old.place != new.place:
        yield f"where it writes {buffer}"
        yield from _listed([old.place], [new.place])
    lines = changed_lines(old.lines, new.lines)
    if lines:
        yield f"body: what it writes to {buffer}"
        yield from (f"  {line}" for line in lines)
