"""The body of an instruction -> one computation for each place that it writes, and what differs between two of them.

A body computes everything at once; what is asked of a change is which effect on which buffer it reaches.  So each write is looked at with the
operations that it depends on, and names of values, which are given by position, are aligned before texts are compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher, ndiff

VALUE = re.compile(r"%[\w.-]+")
_LINE = re.compile(r"(?:ROOT )?(%[\w.-]+) = (.*)")
_ELEMENT = re.compile(r"\b[a-z]+\d+\[")
_OPERAND = re.compile(r"parameter\(\d+\)")


@dataclass(frozen=True, slots=True)
class Effect:
    """`buffer` at `place` becomes what the last of `lines` computes; operands are lines that say where they are read."""

    buffer: str
    place: str
    lines: tuple[str, ...]


def effects(writes: list[str], reads: list[str], body: list[str]) -> list[Effect]:
    """From the texts of the clauses: `buffer[...] = %value`, `%operand = buffer[...]`, and the lines of the body."""
    places = dict(read.split(" = ", 1) for read in reads)
    found = [_LINE.fullmatch(line.strip()) for line in body]
    operations = {m.group(1): _operand(m.group(2), places.get(m.group(1))) for m in found if m is not None}
    result = []
    for write in writes:
        place, value = write.rsplit(" = ", 1)
        lines = _computation(value, operations) if all(found) else tuple(line.strip() for line in body)
        result.append(Effect(place.split("[", 1)[0], place, lines))
    return result


def _operand(operation: str, place: str | None) -> str:
    return operation if place is None else _OPERAND.sub(lambda _: place, operation)


def _computation(root: str, operations: dict[str, str]) -> tuple[str, ...]:
    """The operations that `root` depends on, in the order of the body."""
    needed, stack = set[str](), [root]
    while stack:
        name = stack.pop()
        if name in operations and name not in needed:
            needed.add(name)
            stack += VALUE.findall(operations[name])
    return tuple(f"{name} = {operation}" for name, operation in operations.items() if name in needed)


def changed_lines(old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    """`- old` and `+ new` for lines that differ once values that are alike bear one name; empty when the computations are the same."""
    aligned = _aligned(old, new)
    return [line for line in ndiff(list(old), list(aligned)) if line[0] in "-+"]


def _aligned(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """The new lines with names of the old ones, where operations are alike but for the types of elements."""
    bare = [[_ELEMENT.sub("[", VALUE.sub("%", line)) for line in lines] for lines in (old, new)]
    matcher = SequenceMatcher(None, *bare, autojunk=False)
    names: dict[str, str] = {}
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal" or (tag == "replace" and b - a == d - c):
            names.update((_defined(y), _defined(x)) for x, y in zip(old[a:b], new[c:d], strict=True))
    for line in new:
        names.setdefault(_defined(line), _fresh(_defined(line), {*names.values(), *map(_defined, old)}))
    return tuple(VALUE.sub(lambda m: names.get(m.group(), m.group()), line) for line in new)


def _defined(line: str) -> str:
    return line.split(" = ", 1)[0]


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "n"
    return name
