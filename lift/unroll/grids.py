"""Registers whose names differ in numbers only -> arrays: `row[0].col[1].sum`, `sum_0_1`, `sum_r0c1` and `sum01` are places in a grid.

The numbers count from 0 in every direction and leave no gap; one that does not (`c1`, `c2` in every cell; `fp16_0`, `fp32_0`) tells one array from another.
Of two digits with nothing between them each is a direction, unless they count as one number (`sum00` to `sum15`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from lift.netlist.model import Netlist

RUN = re.compile(r"\[\d+\]|(?:_?[A-Za-z]{0,2}\d+)+(?=[.\[]|$)")  # numbers at the end of a part of a name, few letters between them
LEAST = 4  # so many at least where a single number stands right behind a word: `base0` and `base1` are two registers
MAX_NUMBERS = 6  # that vary; of more, only the last is a direction


@dataclass(frozen=True, slots=True)
class StateArray:
    """Registers seen as one array: `members[i]` is the register of flat index i (row-major over `shape`)."""

    name: str
    shape: tuple[int, ...]
    width: int
    members: tuple[str, ...]

    @property
    def address_bits(self) -> int:
        return max(1, (len(self.members) - 1).bit_length())


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in pieces: what stands before each number, and last what stands behind all; `bare`: numbers that stand alone right behind a word."""

    name: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    bare: frozenset[int]

    @classmethod
    def of(cls, name: str) -> _Name:
        texts, numbers, end, bare = list[str](), list[str](), 0, set[int]()
        for run in RUN.finditer(name):
            found = list(re.finditer(r"\d+", run.group()))
            for number in found:
                start = run.start() + number.start()
                if len(found) == 1 and name[start - 1 : start] not in ("[", "_"):
                    bare.add(len(numbers))
                texts.append(name[end:start])
                numbers.append(number.group())
                end = start + len(number.group())
        return cls(name, (*texts, name[end:]), tuple(numbers), frozenset(bare))

    def without(self, places: Sequence[int]) -> str:
        """The name of the array in which the numbers at `places` are directions."""
        kept = "".join(t + ("#" if n in places else self.numbers[n]) for n, t in enumerate(self.texts[:-1])) + self.texts[-1]
        return re.sub(r"\[#\]|_?#", "", kept)

    def by_digits(self) -> _Name:
        """Each digit of its only number a number of its own."""
        digits = tuple(self.numbers[0])
        return _Name(self.name, (self.texts[0], *("" for _ in digits[1:]), self.texts[-1]), digits, frozenset())


def register_arrays(netlist: Netlist) -> dict[str, StateArray]:
    """The registers of one width whose names make a grid."""
    alike: dict[tuple[tuple[str, ...], int], list[_Name]] = {}
    for name, register in netlist.registers.items():
        spelled = _Name.of(name)
        if spelled.numbers:
            alike.setdefault((spelled.texts, register.width), []).append(spelled)
    result: dict[str, StateArray] = {}
    taken = {*netlist.registers, *netlist.memories}
    for (_, width), names in alike.items():
        for array in _arrays(names, width):
            if array.name not in taken:
                result[array.name] = array
                taken.add(array.name)
    return result


def _arrays(names: list[_Name], width: int) -> list[StateArray]:
    """With as many directions as the numbers allow."""
    varying = [n for n, values in enumerate(zip(*(m.numbers for m in names), strict=True)) if len(set(values)) > 1]
    least = 0 if len(varying) <= MAX_NUMBERS else len(varying) - 1
    for fixed in (f for size in range(least, len(varying)) for f in combinations(varying, size)):
        places = [n for n in varying if n not in fixed]
        groups = _told_apart(names, fixed)
        found = [a for g in groups if (a := _grid(g, places, width)) is not None]
        if found and (len(found) == sum(len(g) > 1 for g in groups) or places == varying[-1:]):
            return found
    lengths = {len(m.numbers[0]) for m in names}
    return _arrays([m.by_digits() for m in names], width) if len(names[0].numbers) == 1 and len(lengths) == 1 and lengths != {1} else []


def _told_apart(names: list[_Name], fixed: Sequence[int]) -> list[list[_Name]]:
    groups: dict[tuple[str, ...], list[_Name]] = {}
    for each in names:
        groups.setdefault(tuple(each.numbers[n] for n in fixed), []).append(each)
    return list(groups.values())


def _grid(names: list[_Name], places: Sequence[int], width: int) -> StateArray | None:
    """One array over the numbers at `places`; None where they leave a gap."""
    at = {tuple(int(m.numbers[n]) for n in places): m.name for m in names}
    shape = tuple(1 + max(index[d] for index in at) for d in range(len(places)))
    small = any(n in names[0].bare and size < LEAST for n, size in zip(places, shape, strict=True))
    grid = list(product(*map(range, shape))) if len(at) == len(names) > 1 and not small else []
    if len(grid) != len(at) or set(grid) != at.keys():
        return None
    return StateArray(names[0].without(places), shape, width, tuple(at[index] for index in grid))
