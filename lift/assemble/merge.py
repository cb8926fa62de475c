"""Instructions that differ in one number, and agree with a field or a register on which number it is, are one instruction.

set strides[0] = stride   (bank field 0)
set strides[1] = stride   (bank field 1)     -->  set strides[bank] = stride, with when bank <= 1

read tile[1] (in_use == 0), read tile[0] (in_use == 1)   -->  read tile[1 - in_use]
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from act.taidl import Binary, Expr, Field, Instruction, Int, Name, Use


class _Different(Exception):
    """Two values of the model that have no common form."""


def merge_registers(instructions: list[Instruction], states: set[str]) -> list[Instruction]:
    """Pairs that need a one-bit register to be 0 and 1 and are otherwise alike become one that uses the register."""
    result = list(instructions)
    for low in instructions:
        for state in sorted(states):
            high = next((h for h in result if h is not low and _needs(low, state, 0) and _needs(h, state, 1) and _stem(h) == _stem(low)), None)
            if high is None or low not in result:
                continue
            merged = None if state in {*low.attributes, *high.attributes} else _merged([_using(low, state), _using(high, state)], [0, 1], state)
            if merged is not None:
                result[result.index(low)] = merged
                result.remove(high)
    return result


def merge_fields(instructions: list[Instruction]) -> list[Instruction]:
    """Instructions of one name that differ in the value of one constant field become one with an attribute."""
    result: list[Instruction] = []
    left = list(instructions)
    while left:
        first = left.pop(0)
        merged = next((m for group in _alike(first, left) if (m := _field_group(group)) is not None), None)
        if merged is not None:
            left = [other for other in left if other not in merged[1]]
        result.append(first if merged is None else merged[0])
    return result


def _alike(first: Instruction, others: list[Instruction]) -> list[list[Instruction]]:
    """`first` with those that differ from it in one constant field of several bits, for each such field."""
    groups: dict[tuple[str, int, int], list[Instruction]] = {}
    for other in others:
        place = _one_field(first, other) if _stem(other) == _stem(first) else None
        if place is not None and place.high > place.low:
            groups.setdefault((place.word, place.high, place.low), [first]).append(other)
    return list(groups.values())


def _stem(instruction: Instruction) -> str:
    return instruction.name.split("@")[0]


def _needs(instruction: Instruction, state: str, value: int) -> bool:
    return any(u.state == state and u.equals == Int(value) for u in instruction.uses)


def _using(instruction: Instruction, state: str) -> Instruction:
    uses = tuple(Use(state, None, name=state) if u.state == state and u.equals is not None else u for u in instruction.uses)
    return replace(instruction, uses=tuple(dict.fromkeys(uses)))


def _one_field(a: Instruction, b: Instruction) -> Field | None:
    """The only field in which two encodings differ, when both have a constant there."""
    if len(a.encode) != len(b.encode):
        return None
    different = [(f, g) for f, g in zip(a.encode, b.encode, strict=True) if f != g]
    if len(different) != 1:
        return None
    f, g = different[0]
    same_place = (f.word, f.high, f.low) == (g.word, g.high, g.low)
    return f if same_place and isinstance(f.value, Int) and isinstance(g.value, Int) else None


def _field_group(group: list[Instruction]) -> tuple[Instruction, list[Instruction]] | None:
    """The common form of instructions whose field counts 0, 1, 2, ..., and what it replaces."""
    place = _one_field(group[0], group[1])
    assert place is not None
    ordered = sorted(group, key=lambda i: _value(i, place))
    values = [_value(i, place) for i in ordered]
    if values != list(range(len(values))):
        return None
    used = _names(group[0])
    name = next(n for n in ("bank", f"{place.word}_{place.low}") if n not in used)
    merged = _merged(ordered, values, name)
    if merged is None:
        return None
    limit = () if len(values) == 1 << (place.high - place.low + 1) else (Binary("<", Name(name), Int(len(values))),)
    return replace(merged, name=group[0].name, alpha=(*merged.alpha, name), when=(*limit, *merged.when)), group


def _value(instruction: Instruction, place: Field) -> int:
    return next(f.value.value for f in instruction.encode if (f.word, f.low) == (place.word, place.low) and isinstance(f.value, Int))


def _names(instruction: Instruction) -> set[str]:
    """Names that an attribute or a register has in an instruction."""
    return {*instruction.attributes, *(u.name for u in instruction.uses if u.name is not None)}


def _merged(group: list[Instruction], values: list[int], name: str) -> Instruction | None:
    first = group[0]
    if len({i.source for i in group}) > 1:
        sources = tuple(dict.fromkeys(s for i in group for s in i.source))
        group = [replace(i, source=sources) for i in group]
    try:
        return _same([replace(i, name=first.name) for i in group], values, name)
    except _Different:
        return None


def _same(items: list[Any], values: list[int], name: str) -> Any:
    """The common form of several values of the model: a number that follows `values` is `name`."""
    first = items[0]
    if all(i == first for i in items):
        return first
    if all(isinstance(i, Int) for i in items):
        return _number([i.value for i in items], values, name)
    if any(type(i) is not type(first) for i in items):
        raise _Different
    if isinstance(first, tuple):
        if any(len(i) != len(first) for i in items):
            raise _Different
        return tuple(_same([i[n] for i in items], values, name) for n in range(len(first)))
    if not is_dataclass(first) or isinstance(first, type):
        raise _Different
    parts = {f.name: _same([getattr(i, f.name) for i in items], values, name) for f in fields(first)}
    return replace(first, **parts)  # type: ignore[arg-type]


def _number(numbers: list[int], values: list[int], name: str) -> Expr:
    if numbers == values:
        return Name(name)
    if all(n == 1 - v for n, v in zip(numbers, values, strict=True)) and set(values) == {0, 1}:
        return Binary("-", Int(1), Name(name))
    raise _Different
