"""The text of a Verilog number -> the texts of neighbouring numbers of the same width."""

from __future__ import annotations

import re
from collections.abc import Iterator

BASED = re.compile(r"(\d+)?\s*'\s*([sS]?)([bBoOdDhH])\s*([0-9a-fA-F_]+)")
BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
FORMATS = {"b": "b", "o": "o", "d": "d", "h": "x"}


def other_literals(text: str) -> Iterator[str]:
    """One more, one less, and zero, modulo the width if there is one; none for digits that are unknown."""
    if text.isdecimal():
        yield from (str(value) for value in dict.fromkeys((int(text) + 1, int(text) - 1)) if value >= 0)
        return
    found = BASED.fullmatch(text)
    if found is None:
        return
    size, sign, base, digits = found.groups()
    value, bits = int(digits.replace("_", ""), BASES[base.lower()]), int(size or 32)
    for other in dict.fromkeys(((value + 1) % (1 << bits), (value - 1) % (1 << bits), 0)):
        if other != value:
            yield f"{size or ''}'{sign}{base}{other:{FORMATS[base.lower()]}}"
