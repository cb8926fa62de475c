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
    pass


def merge_registers(instructions: list[Instruction], states: set[str]) -> list[Instruction]:
    """Pairs that need a one-bit register to be 0 and 1 and are otherwise alike become one that uses the register."""
    result = list(instructions)
    for low in instructions:
        for state in sorted(states):
            high = next((h for h in result if h is not low and _needs(low, state, 0) and _needs(h, state, 1) and _stem(h) == _stem(low)), None)
            if high is None or low not in result:
                continue
            merged = _merged([_using(low, state), _using(high, state)], [0, 1], state)
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
        alike = [other for other in left if _stem(other) == _stem(first) and (place := _one_field(first, other)) is not None and place.high > place.low]
        merged = _field_group([first, *alike]) if alike else None
        if merged is not None:
            left = [other for other in left if other not in alike]
        result.append(merged or first)
    return result


def _stem(instruction: Instruction) -> str:
    return instruction.name.split("@")[0]


def _needs(instruction: Instruction, state: str, value: int) -> bool:
    return any(u.state == state and u.equals == Int(value) for u in instruction.uses)


def _using(instruction: Instruction, state: str) -> Instruction:
    uses = tuple(Use(state, None, name=state) if u.state == state and u.equals is not None else u for u in instruction.uses)
    return replace(instruction, uses=uses)


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


def _field_group(group: list[Instruction]) -> Instruction | None:
    place = _one_field(group[0], group[-1])
    if place is None or place.high == place.low:
        return None
    value = lambda i: next(f.value.value for f in i.encode if (f.word, f.low) == (place.word, place.low))  # noqa: E731
    group = sorted(group, key=value)
    values = [value(i) for i in group]
    if values != list(range(len(values))):
        return None
    name = "bank" if "bank" not in group[0].attributes else f"{place.word}_{place.low}"
    merged = _merged(group, values, name)
    if merged is None:
        return None
    limit = () if len(values) == 1 << (place.high - place.low + 1) else (Binary("<", Name(name), Int(len(values))),)
    return replace(merged, alpha=(*merged.alpha, name), when=(*limit, *merged.when))


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
    if not is_dataclass(first):
        raise _Different
    parts = {f.name: _same([getattr(i, f.name) for i in items], values, name) for f in fields(first)}
    return replace(first, **parts)


def _number(numbers: list[int], values: list[int], name: str) -> Expr:
    if numbers == values:
        return Name(name)
    if all(n == 1 - v for n, v in zip(numbers, values, strict=True)) and set(values) == {0, 1}:
        return Binary("-", Int(1), Name(name))
    raise _Different
