"""The one spelling of rounding shifts gives what rounding gives, for every number and amount."""

from __future__ import annotations

import pytest

from lift.assemble.errors import NoTemplate
from lift.assemble.rounding import rounded
from lift.passes.rounding import rounded as expected
from lift.unroll import terms

X, AMOUNT = terms.sym("x", 6), terms.sym("amount", 3)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("mode", ["half_even", "half_up", "half_away"])
def test_every_number_is_rounded(mode: str, signed: bool) -> None:
    term = rounded(X, AMOUNT, mode, signed, 6)
    for raw in range(64):
        x = terms.signed(raw, 6) if signed else raw
        for amount in range(8):
            found = terms.evaluate(term, lambda s, raw=raw, amount=amount: raw if s is X else amount, lambda *_: 0)
            assert found == expected(x, amount, mode) & 63


def test_other_modes_and_great_amounts_are_refused() -> None:
    with pytest.raises(NoTemplate, match="toward_zero"):
        rounded(X, AMOUNT, "toward_zero", True, 6)
    with pytest.raises(NoTemplate, match="may be great"):
        rounded(X, terms.sym("far", 16), "half_even", True, 6)
