"""What lies in a memory, cell by cell, for the replay: a token says which element of which class it is.

Tokens are 8 bytes, so that runs of them are copied and compared as bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from act.backend.cells import Run
from act.records import dataclass, field

Tokens = bytes
"""The tokens of cells that follow each other; zeros are a cell without a value."""

WIDTH = 8


def numbered(number: int, count: int) -> Tokens:
    """The tokens of the first `count` elements of a class (for a tensor in host memory: of its bytes)."""
    found = bytearray(_first(count))
    for place, value in enumerate((number + 1).to_bytes(3, "little"), start=5):
        if value:
            found[place::WIDTH] = bytes([value]) * count
    return bytes(found)


@lru_cache(maxsize=16)
def _first(count: int) -> Tokens:
    """Little-endian numbers from 0 on; all are less than 2**40."""
    return struct.pack(f"<{count}q", *range(count))


def packed(tokens: Iterable[int]) -> Tokens:
    found = list(tokens)
    return struct.pack(f"<{len(found)}q", *found)


def unpacked(tokens: Tokens) -> list[int]:
    return list(struct.unpack(f"<{count(tokens)}q", tokens))


def count(tokens: Tokens) -> int:
    return len(tokens) // WIDTH


def part(tokens: Tokens, at: int, length: int) -> Tokens:
    return tokens[WIDTH * at : WIDTH * (at + length)]


def parts(tokens: Tokens, runs: Sequence[Run]) -> Iterator[Tokens]:
    """The tokens of each run, one after the other."""
    at = 0
    for _, length in runs:
        yield part(tokens, at, length)
        at += length


@dataclass(slots=True)
class Memory:
    """A memory of `size` cells, at first without values."""

    size: int
    _held: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self._held = bytearray(WIDTH * self.size)

    def holds(self, start: int, tokens: Tokens) -> bool:
        """Whether these tokens are there from cell `start` on."""
        at = WIDTH * start
        return self._held[at : at + len(tokens)] == tokens

    def put(self, start: int, tokens: Tokens) -> None:
        at = WIDTH * start
        self._held[at : at + len(tokens)] = tokens

    def drop(self, start: int, length: int) -> None:
        """The values of some cells are lost."""
        self.put(start, bytes(WIDTH * length))
