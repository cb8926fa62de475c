"""Values that begin at other columns than 0 of a row: where an address has a column, it is used; where it has none, that is what it is refused for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from act.program import Program
from tests.act.backend.backends import backend_of, hlo

TEXT = (Path(__file__).parents[3] / "isas/reference/gemmini.taidl").read_text()
BY = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
PRODUCTS = ("matmul8", "matmul32", "mac8", "mac32")
BESIDE = hlo(
    "a = s8[16,4] parameter(0)", "b = s8[16,4] parameter(1)", "c = s8[16,8] concatenate(a, b), dimensions={1}", "w = s8[8,16] parameter(2)",
    f"d = s8[16,16] dot(c, w), {BY}",
)  # fmt: skip
PRODUCT = hlo("a = s8[16,8] parameter(0)", "b = s8[8,8] parameter(1)", f"d = s8[16,8] dot(a, b), {BY}")


def changed(text: str, name: str, *changes: tuple[str, str]) -> str:
    """The text with something else in one instruction."""
    begin = text.index(f"instruction {name}(")
    end = text.index("\n  }", begin)
    body = text[begin:end]
    for old, new in changes:
        assert old in body
        body = body.replace(old, new)
    return text[:begin] + body + text[end:]


COLUMN = (("| addr, row", "| addr, row, column"), ("[j :", "[column + j :"))
FIELDS = changed(TEXT, "mvin_spad", *COLUMN)
HIGH_OPERANDS = TEXT
for each in PRODUCTS:
    HIGH_OPERANDS = changed(HIGH_OPERANDS, each, ("spad[b + i][j :", "spad[b + i][8 + j :"), ("n <= 16", "n <= 8"))
"""Products take their second operand from column 8."""
LOAD = re.search(r"instruction mvin_spad\(.*?\n  }\n", TEXT, re.DOTALL)
assert LOAD
HIGH = changed(LOAD[0].replace("mvin_spad", "mvin_high"), "mvin_high", ("[j :", "[8 + j :"), ("cols <= 16", "cols <= 8"))


def right(text: str, kernel: str) -> Program:
    backend, module = backend_of(text), parse_module(kernel)
    program = compile_module(backend, module).program
    assert disagreement(backend.accelerator, module, program) is None
    return program


def test_pieces_of_a_row_are_loaded_beside_each_other_where_the_load_has_a_column() -> None:
    columns = [each.attributes["column"] for each in right(FIELDS, BESIDE).commands if each.instruction == "mvin_spad"]
    assert sorted(columns) == [0, 0, 4]


def test_without_a_column_pieces_of_a_row_go_through_host_memory() -> None:
    stores = [each for each in right(TEXT, BESIDE).commands if each.instruction.startswith("mvout")]
    assert len(stores) == 3


def test_an_operand_at_a_fixed_column_is_loaded_there() -> None:
    assert "mvin_high" in [each.instruction for each in right(HIGH_OPERANDS + "\n" + HIGH, PRODUCT).commands]


def test_a_column_of_the_address_meets_a_fixed_column() -> None:
    text = changed(HIGH_OPERANDS, "mvin_spad", *COLUMN)
    assert [each.attributes["column"] for each in right(text, PRODUCT).commands if each.instruction == "mvin_spad"] == [0, 8]


def test_what_is_written_at_one_column_and_read_at_another_is_refused_by_name() -> None:
    reason = re.escape("no room: s8[8,8] in spad has no place along coordinate 1 that suits all: mvin_spad at 0, matmul32 at 8")
    with pytest.raises(UserError, match=reason):
        right(HIGH_OPERANDS, PRODUCT)
