"""What kinds of symbols a term has below it, as bits: so that most searches for one end where they begin."""

from __future__ import annotations

import re

STALE = 1  # a value that is not known at the head of a loop
INDEX = re.compile(r"i(\d+)'?")
INDICES = 62  # bits, which the indices of loops share


def mark_of(symbol: str) -> int:
    """The bit of a symbol; 0 for those that nobody searches for: fields of commands, registers."""
    if symbol.startswith("stale:"):
        return STALE
    index = INDEX.fullmatch(symbol)
    return 0 if index is None else 2 << int(index[1]) % INDICES
