"""Numbers as they are written to values (IEEE 1364-2005, 3.5.1 and 3.6)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lift.netlist.builder import Builder
from lift.netlist.model import Node


@dataclass(frozen=True, slots=True)
class Literal:
    """A number: z digits have value and x mask set."""

    width: int
    signed: bool
    value: int
    xmask: int
    sized: bool = True


UNSIZED_WIDTH = 32
_BITS = {"b": 1, "o": 3, "h": 4}


def literal(text: str) -> Literal:
    """A number as written.  Raises `ValueError` for one without size that its 32 bits cannot hold, and for one of size 0."""
    text = text.replace("_", "").lower()
    if "'" not in text:
        if int(text) >> (UNSIZED_WIDTH - 1):
            raise ValueError(f"the number {text} does not fit {UNSIZED_WIDTH} bits")
        return Literal(UNSIZED_WIDTH, True, int(text), 0, False)
    size, _, rest = text.partition("'")
    signed = rest.startswith("s")
    base, digits = rest[signed], rest[signed + 1 :]
    width = int(size) if size else max(UNSIZED_WIDTH, len(digits) * _BITS.get(base, 0))
    if not width:
        raise ValueError(f"the number {text} has no bits")
    value, mask = _decimal(digits) if base == "d" else _digits(digits, _BITS[base], width)
    if not size and base == "d" and value > 0 and value >> UNSIZED_WIDTH:
        raise ValueError(f"the number {text} does not fit {UNSIZED_WIDTH} bits")
    if not size:
        width = max(UNSIZED_WIDTH, (value & (1 << width) - 1).bit_length(), (mask & (1 << width) - 1).bit_length())
    ones = (1 << width) - 1
    return Literal(width, signed, value & ones, mask & ones, bool(size))


_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_ESCAPED = {"n": "\n", "t": "\t"}


def string_bytes(text: str) -> bytes:
    """The bytes of a string as written between its quotes (3.6)."""

    def character(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code, 8) & 0xFF) if code[0] in "01234567" else _ESCAPED.get(code, code)

    return _ESCAPE.sub(character, text).encode("latin-1", errors="replace")


def extend_unsized(b: Builder, number: Node, width: int, sign: bool) -> Node:
    """A number without size, extended: x and z in front go on to the left."""
    if number.op != "const" or not number.xmask >> (number.width - 1):
        return b.extend(number, width, sign)
    assert isinstance(number.attr, int)
    above = -1 << number.width
    return b.const(number.attr | (above if number.attr >> (number.width - 1) else 0), width, number.xmask | above)


def _decimal(digits: str) -> tuple[int, int]:
    if digits[0] in "xz?":
        return (0, -1) if digits[0] == "x" else (-1, -1)
    return int(digits), 0


def _digits(digits: str, bits: int, width: int) -> tuple[int, int]:
    if digits[0] in "xz?":
        digits = digits[0] * (width // bits + 1) + digits  # the first digit is repeated
    value, mask, ones = 0, 0, (1 << bits) - 1
    for digit in digits:
        value = value << bits | (0 if digit == "x" else ones if digit in "z?" else int(digit, 16))
        mask = mask << bits | (ones if digit in "xz?" else 0)
    return value, mask
