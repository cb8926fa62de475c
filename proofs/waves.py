"""Values of RTL names -> a table as of waves: a line for each name, with its width and where it is declared; a column for each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 20  # hexadecimal digits, of wide words the lower ones


@dataclass(frozen=True, slots=True)
class Wave:
    """`values` are in the order of the columns, None where there is none, which at the end may be left out; `location` is file:line, or empty."""

    name: str
    width: int
    values: tuple[int | None, ...]
    location: str = ""


def table(columns: Sequence[str], waves: Sequence[Wave]) -> str:
    """Names to the left, aligned; a value that is the one to its left is a dot."""
    texts = [[wave.name, str(wave.width), *_cells(wave, len(columns)), wave.location] for wave in waves]
    lines = [["", "bits", *columns, ""], *texts]
    widths = [max(len(line[k]) for line in lines) for k in range(len(columns) + 3)]
    return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    last = len(line) - 1
    return [text.ljust(w) if k in (0, last) else text.rjust(w) for k, (text, w) in enumerate(zip(line, widths, strict=True))]


def _cells(wave: Wave, count: int) -> list[str]:
    cells, before = list[str](), None
    for value in wave.values:
        cells.append("" if value is None else "." if value == before else _hexadecimal(value))
        before = value
    return [*cells, *[""] * (count - len(cells))]


def _hexadecimal(value: int) -> str:
    digits = f"{value:x}"
    return digits if len(digits) <= LONGEST else f"...{digits[-LONGEST:]}"


__all__ = ["Wave", "table"]
