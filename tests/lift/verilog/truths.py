"""What constructs that Icarus Verilog 11 lacks mean, worked out in Python from the standard: inputs -> outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lift.netlist.fold import signed

Row = dict[str, int]


def _bytes(word: int, count: int = 4) -> list[int]:
    """The bytes of `word`, the highest first."""
    return [word >> 8 * k & 0xFF for k in reversed(range(count))]


def _joined(parts: list[int], width: int) -> int:
    result = 0
    for part in parts:
        result = result << width | part & (1 << width) - 1
    return result


def array_ports(r: Row) -> Row:
    x = _bytes(r["a"])
    lanes = [x[i + r["turn"] & 3] + i & 0xFF for i in range(4)]
    return {"y": _joined(lanes, 8), "z": lanes[0] << 8 | lanes[3]}  # s is declared from 3 down to 0: s[3] is the first


def break_continue(r: Row) -> Row:
    bits = [r["a"] >> k & 1 for k in range(8)]
    pairs = [r["a"] >> k & 3 for k in range(7)]
    counted = min(sum(bits[k] for k in range(8) if k % 3), 3)
    found = pairs.index(r["key"] & 3) if r["key"] & 3 in pairs else 15
    return {"first": bits.index(1) if 1 in bits else 8, "count": counted, "found": found}


def implications(r: Row) -> Row:
    a, b = r["a"], r["b"]
    z = (((a + b - 3) * 5 & 0xFF) ^ b | 0x10) & 0xF7
    return {"x": int(not a > b or a & 1), "y": int((a >> 1 & 1) == (b >> 1 & 1)), "z": ((z << 1 & 0xFF) >> 2) % 100}


def inside_ranges(r: Row) -> Row:
    a, s = r["a"], signed(r["s"], 8)
    z = 1 if a == 0 or 7 <= a <= 9 else 2 if a >> 7 and a & 1 else 3 if 8 <= a <= 100 else 4
    return {"x": int(a == 3 or 10 <= a <= 20 or a >> 2 == 0b111100), "y": int(-5 <= s <= 5 or s >= 100), "z": z}


def priority_unique(r: Row) -> Row:
    a, d = r["a"], r["d"]
    x = d + 1 if a >> 3 & 1 else d + 2 if a >> 2 & 1 else d + 3 if a == 0 else 0
    y = (d ^ 0x55, ~d, -d, -d)[a & 3]
    return {"x": x & 0xFF, "y": y & 0xFF, "z": 1 if a & 1 else 2 if a & 2 else 3}


def rom(r: Row) -> Row:
    return {"square": r["a"] ** 2 & 0xFF, "word": (9, 0x5A, 77, 0xFF)[r["a"] & 3], "fixed": 7}


def streams(r: Row) -> Row:
    a, b = r["a"], r["b"]
    whole = (a & 0xFFFF) << 16 | b << 8 | 0x1F
    nibbles = [whole >> 4 * k & 15 for k in range(8)]
    return {
        "bytes": _joined(_bytes(a)[::-1], 8),
        "bits": _joined([b >> k & 1 for k in range(8)], 1),
        "hi": a >> 16,
        "lo": a & 0xFFFF,
        "nibbles": _joined(nibbles, 4),
    }


def struct_patterns(r: Row) -> Row:
    a, b = r["a"], r["b"]
    return {"x": (a & 15) << 12 | 5 << 8 | b, "y": a >> 4 << 12 | (b & 15) << 8 | a, "z": 0xCC00 | b, "u": a & 15}


def void_functions(r: Row) -> Row:
    return {"x": min(r["a"], r["b"]), "y": max(r["a"], r["b"]), "z": r["a"] + 6 & 0xFF}


TRUTHS: dict[str, Callable[[Row], Row]] = {
    f.__name__: f
    for f in (
        array_ports,
        break_continue,
        implications,
        inside_ranges,
        priority_unique,
        rom,
        streams,
        struct_patterns,
        void_functions,
    )
}


@dataclass(slots=True)
class Entry:
    """The register of `unpacked_struct`; writes beyond its array have no effect."""

    head: int = 0
    valid: int = 0
    tail: list[int] = field(default_factory=lambda: [0, 0, 0])

    def step(self, r: Row) -> Row:
        """The outputs; then the clock edge."""
        outputs = {"first": self.head if self.valid else 0, "rest": self.tail[0] << 8 | self.tail[2]}
        if r["i"] < 3:
            self.tail[r["i"]] = self.head
        self.head, self.valid = r["d"], r["d"].bit_count() & 1
        return outputs
