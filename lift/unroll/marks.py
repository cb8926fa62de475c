"""What kinds of symbols a term has below it, as bits: so that most searches for one end where they begin."""

from __future__ import annotations

import re
from zlib import crc32

STALE = 1  # a value that is not known at the head of a loop
INDEX = re.compile(r"i(\d+)'?")
INDICES = 62  # bits, which the indices of loops share
OTHERS = 128  # bits, which all other symbols share


def mark_of(symbol: str) -> int:
    """The bit of a symbol, by its name."""
    if symbol.startswith("stale:"):
        return STALE
    index = INDEX.fullmatch(symbol)
    return 2 << (crc32(symbol.encode()) % OTHERS + INDICES if index is None else int(index[1]) % INDICES)
