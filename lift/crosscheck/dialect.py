"""SystemVerilog text that yosys lacks to text that it knows: packed arrays of two dimensions to vectors.

`wire [3:0][7:0] x` becomes `wire [31:0] x`, and `x[i]` becomes `x[8*(i) +: 8]`.  Lines stay where they are.  A mistake here shows as a
difference between the readings; it cannot hide one.
"""

from __future__ import annotations

import re

DECLARATION = re.compile(r"\b(wire|reg|logic|bit|input|output)(\s+(?:wire|reg|logic|bit)\b)?(\s*)\[(\d+):0\]\s*\[(\d+):0\](\s*)([A-Za-z_]\w*)")
RANGE = re.compile(r"\s*(\d+)\s*:\s*(\d+)\s*")


class Unflattened(Exception):
    """A use of a packed array that is not understood."""


def flattened(text: str) -> str | None:
    """`text` without packed arrays of two dimensions, None when it has none, or uses one in a way that is not understood."""
    widths = {m[7]: int(m[5]) + 1 for m in DECLARATION.finditer(text)}
    if not widths:
        return None
    text = DECLARATION.sub(_declared, text)
    try:
        return _uses(text, widths)
    except Unflattened:
        return None


def _declared(found: re.Match[str]) -> str:
    bits = (int(found[4]) + 1) * (int(found[5]) + 1)
    return f"{found[1]}{found[2] or ''}{found[3]}[{bits - 1}:0]{found[6]}{found[7]}"


def _uses(text: str, widths: dict[str, int]) -> str:
    name = re.compile(rf"(?<![\w.$])({'|'.join(map(re.escape, widths))})(?=\s*\[)")
    parts: list[str] = []
    at = 0
    while found := name.search(text, at):
        start = text.index("[", found.end())
        end = _closing(text, start)
        parts += [text[at:start], "["]
        index, width = _uses(text[start + 1 : end], widths), widths[found[1]]
        if _has_colon(index):
            raise Unflattened(found[1])
        low, bits = "", str(width)
        if inner := re.match(r"\s*\[", text[end + 1 :]):
            start = end + inner.end()
            end = _closing(text, start)
            low, bits = _selected(_uses(text[start + 1 : end], widths))
        parts.append(f"{width}*({index}){low} +: {bits}]")
        at = end + 1
    return "".join([*parts, text[at:]])


def _selected(select: str) -> tuple[str, str]:
    """What a select within an element adds to the position, and how many bits it takes."""
    if part := RANGE.fullmatch(select):
        return f" + {part[2]}", str(int(part[1]) - int(part[2]) + 1)
    if _has_colon(select):
        raise Unflattened(select)
    return f" + ({select})", "1"


def _has_colon(text: str) -> bool:
    """A colon outside brackets that belongs to no conditional operator: a range."""
    while (shorter := re.sub(r"\[[^\[\]]*\]|\([^()]*\)", "", text)) != text:
        text = shorter
    return text.count(":") != text.count("?")


def _closing(text: str, start: int) -> int:
    """The bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise Unflattened(text[start : start + 40])
