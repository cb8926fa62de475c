"""A flat list of commands -> the same commands with loops, where what follows each other differs by constant steps.

Before --> after:  `load(0, 64) ; load(16, 128) ; load(32, 192)` --> `3 times: load(0 + 16 * i, 64 + 64 * i)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.records import dataclass

LONGEST = 64
"""Commands in the body of a loop, at most."""
FEWEST = 3
"""Repetitions of a loop, at least; two are enough for a body of `WORTH` commands or more."""
WORTH = 4


@dataclass(frozen=True, slots=True)
class Affine:
    """`base` + sum of steps[d] * (the counter of the loop at depth d; the outermost is 0)."""

    base: int
    steps: tuple[int, ...] = ()

    def value(self, counters: Sequence[int]) -> int:
        return self.base + sum(step * counter for step, counter in zip(self.steps, counters, strict=True))


@dataclass(frozen=True, slots=True)
class Call:
    """An instruction with its attributes in the order of the instruction set."""

    name: str
    values: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`body`, `times` times."""

    times: int
    body: tuple[Item, ...]


Item = Call | Loop


def reroll(commands: Sequence[tuple[str, tuple[int, ...]]]) -> list[Item]:
    """The same commands; `flat` gives them back."""
    items: list[Item] = [Call(name, tuple(map(Affine, values))) for name, values in commands]
    while True:
        shorter = _fold(items)
        if len(shorter) == len(items):
            break
        items = shorter
    assert list(flat(items)) == list(commands)
    return items


def flat(items: Sequence[Item], counters: tuple[int, ...] = ()) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The commands of loops, one by one."""
    for item in items:
        if isinstance(item, Call):
            yield item.name, tuple(value.value(counters) for value in item.values)
        else:
            for counter in range(item.times):
                yield from flat(item.body, (*counters, counter))


def _fold(items: Sequence[Item]) -> list[Item]:
    """One pass: the loop that saves most, at every place from the left."""
    shapes, bases = [_shape(item) for item in items], [tuple(_bases(item)) for item in items]
    result: list[Item] = []
    at = 0
    while at < len(items):
        length, times = _best(shapes, bases, at)
        if times:
            steps = [_difference(bases[at + length + number], bases[at + number]) for number in range(length)]
            body = tuple(_stepped(items[at + number], iter(steps[number])) for number in range(length))
            result.append(Loop(times, body))
            at += length * times
        else:
            result.append(items[at])
            at += 1
    return result


def _best(shapes: Sequence[object], bases: Sequence[tuple[int, ...]], at: int) -> tuple[int, int]:
    """The length of the body and the repetitions that save most from `at` on; (0, 0) if nothing does."""
    best, saved = (0, 0), 0
    for length in range(1, min(LONGEST, (len(shapes) - at) // 2) + 1):
        if shapes[at] != shapes[at + length]:
            continue
        times = _repeats(shapes, bases, at, length)
        enough = times >= FEWEST or (times == 2 and length >= WORTH)
        if enough and (times - 1) * length > saved:
            best, saved = (length, times), (times - 1) * length
    return best


def _repeats(shapes: Sequence[object], bases: Sequence[tuple[int, ...]], at: int, length: int) -> int:
    """How often the `length` items from `at` on follow each other with constant steps."""
    times, steps = 1, None
    while at + (times + 1) * length <= len(shapes):
        here, there = at + (times - 1) * length, at + times * length
        if shapes[there : there + length] != shapes[here : here + length]:
            break
        found = [_difference(bases[there + number], bases[here + number]) for number in range(length)]
        if steps is not None and found != steps:
            break
        times, steps = times + 1, found
    return times


def _difference(later: tuple[int, ...], earlier: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(later, earlier, strict=True))


def _shape(item: Item) -> object:
    """All of an item but the bases of its values."""
    if isinstance(item, Call):
        return item.name, tuple(value.steps for value in item.values)
    return item.times, tuple(map(_shape, item.body))


def _bases(item: Item) -> Iterator[int]:
    if isinstance(item, Call):
        yield from (value.base for value in item.values)
    else:
        for part in item.body:
            yield from _bases(part)


def _stepped(item: Item, steps: Iterator[int]) -> Item:
    """An item inside one more loop, whose counter each value follows with its step."""
    if isinstance(item, Call):
        return Call(item.name, tuple(Affine(value.base, (next(steps), *value.steps)) for value in item.values))
    return Loop(item.times, tuple(_stepped(part, steps) for part in item.body))
