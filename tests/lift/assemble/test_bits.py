"""A lane of a packed word is the value that was packed there."""

from __future__ import annotations

from lift.assemble.bits import bits
from lift.unroll import terms

LOW, HIGH = terms.sym("low", 8), terms.sym("high", 8)
WIDE = [terms.apply("zext", 16, (each,)) for each in (LOW, HIGH)]
WORD = terms.apply("or", 16, (WIDE[0], terms.apply("shl", 16, (WIDE[1], terms.const(8, 16)))))


def test_a_lane_of_a_union_is_what_lies_there() -> None:
    assert bits(WORD, 0, 8) is LOW
    assert bits(WORD, 8, 8) is HIGH


def test_all_bits_of_a_lane_are_what_lies_there() -> None:
    lane = terms.make("extract", 8, (WORD,), 8)
    assert bits(lane, 0, 8) is HIGH


def test_a_lane_across_two_values_is_of_both() -> None:
    values = {LOW: 0xA5, HIGH: 0x3C}
    assert terms.evaluate(bits(WORD, 4, 8), values.__getitem__, lambda memory, address: 0) == 0xCA
