"""The state from which every instruction is lifted lasts: one cycle without a command changes nothing, whatever the architectural state.

Registers have constants, values that follow from architectural registers, or (architectural ones) any value; inputs without a meaning have any.
"""

from __future__ import annotations

from functools import cache

import pytest

from lift.crosscheck.invariant import stays_at_rest
from lift.crosscheck.verdicts import Verdict
from proofs.designs import lift_of_gemmini

PARTS = ["", "issue", "load_controller", "store_controller", "execute_controller", "scratchpad", "accumulator", "dma_reader", "dma_writer"]
SIZES = [pytest.param(4, id="4x4"), pytest.param(16, id="16x16", marks=pytest.mark.slow)]


@cache
def verdicts(dim: int) -> tuple[Verdict, ...]:
    return tuple(stays_at_rest(lift_of_gemmini(dim)))


@pytest.mark.parametrize("part", [pytest.param(part, id=f"gemmini-{part or 'outputs'}-rest") for part in PARTS])
@pytest.mark.parametrize("dim", SIZES)
def test_a_part_stays_at_rest(dim: int, part: str) -> None:
    own = [v for v in verdicts(dim) if v.target.rpartition(".")[0].partition(".")[0] == part]
    assert own
    assert [v for v in own if v.status != "agreed"] == []


def test_no_part_is_left_out() -> None:
    assert {v.target.rpartition(".")[0].partition(".")[0] for v in verdicts(4)} == set(PARTS)
