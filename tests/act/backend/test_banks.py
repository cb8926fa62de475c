"""A memory of banks: values are apart when their banks differ, or their rows."""

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from tests.act.backend.backends import backend_of, hlo

BANKED = """taidl 1
accelerator banked

hbm    mem  : u8[1 << 20]
buffer bank : s32[3, 8][4]

instruction load(rows | addr, where, row)
  when    1 <= rows and rows <= 8
  read    %x = mem[addr + 16 * i + 4 * j + k : i < rows, j < 4, k < 4]
  write   bank[where, row + i][j : i < rows, j < 4] = %y
  body {
    %x = u8[`rows`, 4, 4] parameter(0)
    ROOT %y = s32[`rows`, 4] bitcast-convert(%x)
  }

instruction add(rows | wa, ra, wb, rb, wc, rc)
  when    1 <= rows and rows <= 8
  read    %a = bank[wa, ra + i][j : i < rows, j < 4]
  read    %b = bank[wb, rb + i][j : i < rows, j < 4]
  write   bank[wc, rc + i][j : i < rows, j < 4] = %c
  body {
    %a = s32[`rows`, 4] parameter(0)
    %b = s32[`rows`, 4] parameter(1)
    ROOT %c = s32[`rows`, 4] add(%a, %b)
  }

instruction store(rows | addr, where, row)
  when    1 <= rows and rows <= 8
  read    %x = bank[where, row + i][j : i < rows, j < 4]
  write   mem[addr + 16 * i + 4 * j + k : i < rows, j < 4, k < 4] = %y
  body {
    %x = s32[`rows`, 4] parameter(0)
    ROOT %y = u8[`rows`, 4, 4] bitcast-convert(%x)
  }
"""


def kernel(rows: int) -> str:
    return hlo(f"a = s32[{rows},4] parameter(0)", f"b = s32[{rows},4] parameter(1)", f"c = s32[{rows},4] add(a, b)")


def added(text: str, rows: int) -> list[tuple[int, int]]:
    """The banks and rows of operands and result, in a program that is right."""
    backend, module = backend_of(text), parse_module(kernel(rows))
    compiled = compile_module(backend, module)
    assert disagreement(backend.accelerator, module, compiled.program, rounds=1) is None
    (add,) = [operation.attributes for operation in compiled.operations if operation.name == "add"]
    return [(add["wa"], add["ra"]), (add["wb"], add["rb"]), (add["wc"], add["rc"])]


def test_whole_banks_hold_three_values():
    assert sorted(added(BANKED, 8)) == [(0, 0), (1, 0), (2, 0)]


def test_two_values_share_a_bank_and_two_rows_of_one_do():
    places = added(BANKED.replace("s32[3, 8][4]", "s32[2, 8][4]"), 4)
    assert len(set(places)) == 3
    assert all(a[0] != b[0] or abs(a[1] - b[1]) >= 4 for a in places for b in places if a != b)


def test_the_instructions_of_a_bank_may_ask_for_other_banks():
    """Operands and result in three different banks: found by trying, since first fit puts two values into one."""
    text = BANKED.replace("  read    %a", "  when    wa == 0 and wb == 2 and wc == 1\n  read    %a")
    assert [bank for bank, _ in added(text, 4)] in ([0, 2, 1], [2, 0, 1])


def test_banks_that_are_too_few_are_named():
    with pytest.raises(UserError) as error:
        compile_module(backend_of(BANKED.replace("s32[3, 8][4]", "s32[2, 8][4]")), parse_module(kernel(8)))
    assert "no room: add -> s32[8,4] (add): bank has 2x8 rows of 4 s32, 256 bytes, and values that take 384 bytes" in str(error.value)
