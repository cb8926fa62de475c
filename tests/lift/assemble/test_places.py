"""Coordinates of words count from 0."""

from __future__ import annotations

from lift.assemble.integers import Reading
from lift.assemble.places import Storage, place
from lift.unroll import terms

BANKS = Storage("weights", "s8", 8, (8,), 16)


def test_the_upper_bank_of_a_memory_lies_above_the_lower_one() -> None:
    address = terms.apply("add", 4, (terms.apply("zext", 4, (terms.sym("k", 3),)), terms.const(8, 4)))
    word, _ = place(BANKS, address, {}, Reading(), {}).coordinates
    assert Reading().range(word) == (8, 15)


def test_a_word_before_one_that_a_field_names_stays_before_it() -> None:
    address = terms.apply("sub", 4, (terms.apply("zext", 4, (terms.sym("k", 3),)), terms.const(1, 4)))
    word, _ = place(BANKS, address, {}, Reading(), {}).coordinates
    assert word[()] == -1
