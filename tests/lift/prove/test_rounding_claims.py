"""What is claimed of a rounding shift is the definition on integers, for every number and amount at small widths."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest

from lift.passes.known_bits import full, signed
from lift.passes.rounding import rounded
from lift.prove.cone import cone
from lift.prove.expand import number
from lift.prove.rounding_claims import MODES, scaled


def by_definition(x: int, amount: int, mode: str | None) -> int:
    """From the quotient as a fraction."""
    quotient = Fraction(x, 1 << amount)
    below = floor(quotient)
    rest = quotient - below
    match mode:
        case None: return below
        case "toward_zero": return int(quotient)
        case "half_up": return below + (rest >= Fraction(1, 2))
        case "half_even": return round(quotient)
        case "half_away": return below + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and x > 0))
    raise AssertionError(mode)


@pytest.mark.parametrize("mode", [None, *MODES])
def test_rounding_on_integers_is_the_definition(mode: str | None) -> None:
    assert all(rounded(x, amount, mode) == by_definition(x, amount, mode) for x in range(-70, 70) for amount in range(8))


@pytest.mark.parametrize("mode", [None, *MODES])
@pytest.mark.parametrize("is_signed", [True, False])
def test_the_claim_is_the_definition_for_variable_and_constant_amounts(mode: str | None, is_signed: bool) -> None:
    for bits, amount_bits, to in ((1, 1, 3), (3, 1, 3), (3, 3, 7), (4, 2, 7), (4, 4, 3)):
        for x in range(1 << bits):
            for amount in range(1 << amount_bits):
                claims = [scaled(number(x, bits), by, mode, is_signed, to) for by in (number(amount, amount_bits), amount)]
                wanted = by_definition(signed(x, bits) if is_signed else x, amount, mode) & full(to)
                assert [cone((claim,)).evaluate([])[0] for claim in claims] == [wanted, wanted], (bits, x, amount)
