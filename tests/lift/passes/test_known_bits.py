"""What is worked out of a value's bits and range holds of every value that it can take: all of them are tried, at small widths."""

from __future__ import annotations

import random
from itertools import product

import pytest

from lift.ir.evaluate import apply
from lift.ir.operations import PREDICATES
from lift.passes.facts import RULES
from lift.passes.known_bits import Known, exactly, full, join, known, signed, unknown


def contains(k: Known, value: int) -> bool:
    in_range = k.low <= value <= k.high and k.least <= signed(value, k.width) <= k.most
    return not value & k.zeros and value & k.ones == k.ones and in_range


def members(k: Known) -> list[int]:
    return [value for value in range(1 << k.width) if contains(k, value)]


def some(draw: random.Random, width: int) -> Known:
    """Nothing, or what a few values have in common."""
    if draw.random() < 0.3:
        return unknown(width)
    found = exactly(draw.getrandbits(width), width)
    for _ in range(draw.randrange(3)):
        found = join(found, exactly(draw.getrandbits(width), width))
    return found


def widths(name: str, draw: random.Random) -> tuple[list[int], int]:
    """Of the operands and of the result."""
    bits = draw.randint(1, 5)
    match name:
        case "arith.extui" | "arith.extsi": return [bits], bits + draw.randint(1, 3)
        case "arith.trunci": return [bits + 1], draw.randint(1, bits)
        case "arith.index_castui": return [bits], bits
        case "arith.cmpi": return [bits, bits], 1
        case "arith.select": return [1, bits, bits], bits
        case _: return [bits, bits], bits


@pytest.mark.parametrize("name", sorted(RULES))
def test_nothing_is_said_of_a_result_that_is_not_so(name: str) -> None:
    draw = random.Random(0)
    for _ in range(250):
        operands, bits = widths(name, draw)
        given = [some(draw, width) for width in operands]
        attribute = draw.randrange(len(PREDICATES)) if name == "arith.cmpi" else 0
        found = RULES[name](attribute, bits, given)
        for values in product(*(members(k) for k in given)):
            assert contains(found, apply(name, attribute, bits, operands, values)), (given, values, found)


@pytest.mark.parametrize(("least", "most"), [(3, 9), (-4, 9), (-8, -3)])
def test_a_signed_range_says_what_it_can_of_the_bits(least: int, most: int) -> None:
    found = known(8, 0, 0, 0, full(8), least, most)
    assert {signed(v, 8) for v in members(found)} == set(range(least, most + 1))
    assert found.signed_width == 5 if most == 9 else 4


def test_a_value_that_is_exact_is_known_in_every_view() -> None:
    assert known(8, 0, 0, 200, 200) == exactly(200, 8)
    assert (exactly(200, 8).least, exactly(200, 8).zeros) == (-56, 0b00110111)
