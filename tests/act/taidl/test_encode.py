"""Command words: encoding, decoding, composites and their parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from act.taidl import parse, parse_expr
from act.taidl.encode import EncodeError, decode, encode, expand, match_composite
from act.taidl.solve import solve

ISA = parse((Path(__file__).parents[3] / "isas/reference/systolic16.taidl").read_text())
MATMUL = {"m": 3, "k": 4, "n": 5, "a": 6, "b": 7, "c": 8}


def test_fields_go_where_the_description_says() -> None:
    assert encode(ISA, "mvin", {"rows": 16, "cols": 4, "addr": 0x1234, "row": 7}) == {"funct": 2, "rs1": 0x1234, "rs2": 16 << 48 | 4 << 32 | 7}


@given(st.integers(1, 16), st.integers(1, 64), st.integers(1, (1 << 40) - 1), st.integers(0, 16383))
def test_decoding_finds_the_attributes_again(rows: int, cols: int, addr: int, row: int) -> None:
    attributes = {"rows": rows, "cols": cols, "addr": addr, "row": row}
    assert decode(ISA, encode(ISA, "mvin", attributes)) == [("mvin", attributes)]


def test_instructions_that_differ_in_registers_only_are_all_found() -> None:
    words = encode(ISA, "mvin_acc", {"rows": 1, "cols": 1, "addr": 16, "row": 0})
    assert [name for name, _ in decode(ISA, words)] == ["mvin_acc", "mvin_acc_shrink"]


@pytest.mark.parametrize(("word", "bit"), [("rs1", 41), ("rs2", 20), ("funct", 6)])
def test_a_bit_that_no_field_names_makes_another_command(word: str, bit: int) -> None:
    words = encode(ISA, "mvin", {"rows": 1, "cols": 1, "addr": 16, "row": 0})
    assert decode(ISA, {**words, word: words[word] | 1 << bit}) == []


def test_what_violates_when_is_no_command() -> None:
    assert decode(ISA, encode(ISA, "mvin", {"rows": 17, "cols": 1, "addr": 16, "row": 0})) == []


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"rows": 1, "cols": 1, "addr": 1 << 40, "row": 0}, "mvin: addr = 1099511627776 does not fit rs1[39:0]"),
        ({"rows": 1, "cols": 1, "addr": 16, "row": -1}, "mvin: row = -1 does not fit rs2[13:0]"),
        ({"rows": 1, "cols": 1, "addr": 16}, "mvin: 'row' is missing; its attributes are rows, cols, addr, row"),
    ],
)
def test_values_that_do_not_fit_are_refused(attributes: dict[str, int], message: str) -> None:
    with pytest.raises(EncodeError) as error:
        encode(ISA, "mvin", attributes)
    assert str(error.value) == message


def test_a_composite_is_recognised_from_its_parts() -> None:
    parts = expand(ISA, "matmul", MATMUL)
    assert [name for name, _ in parts] == ["preload", "compute_preloaded"]
    assert match_composite(ISA.composites["matmul"], parts) == MATMUL
    assert match_composite(ISA.composites["matmul_accumulate"], parts) is None


def test_parts_that_violate_the_composite_are_not_taken_for_it() -> None:
    parts = expand(ISA, "matmul", {**MATMUL, "m": 17})
    assert match_composite(ISA.composites["matmul"], parts) is None


def test_parts_that_disagree_are_no_composite() -> None:
    preload, compute = expand(ISA, "matmul", MATMUL)
    assert match_composite(ISA.composites["matmul"], [preload, (compute[0], {**compute[1], "a_cols": 5})]) is None


@given(st.integers(0, (1 << 20) - 1), st.integers(1, 100))
def test_equations_of_the_kinds_that_fields_hold_are_solved(address: int, count: int) -> None:
    texts = {"address & 0xff": address & 0xFF, "address >> 8": address >> 8, "count - 1": count - 1, "2 * count + address": 2 * count + address}
    assert solve([(parse_expr(text), value) for text, value in texts.items()], ["address", "count"]) == {"address": address, "count": count}


def test_contradictory_equations_have_no_solution() -> None:
    assert solve([(parse_expr("a"), 1), (parse_expr("2 * a"), 3)], ["a"]) is None


def test_an_undetermined_unknown_has_no_solution() -> None:
    assert solve([(parse_expr("a"), 1)], ["a", "b"]) is None
