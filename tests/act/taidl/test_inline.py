"""A body may call the bodies of other instructions."""

from __future__ import annotations

import numpy as np
import pytest

from act.oracle import Machine
from act.taidl import TaidlErrors, load, parse, print_text

CALLS = """taidl 1
accelerator calls

buffer a : s8[16][8]
buffer b : s32[16][8]

instruction relu(rows | from, to)
  read    %x = a[from + i][j : i < rows, j < 8]
  write   a[to + i][j : i < rows, j < 8] = %y
  body {
    %x = s8[`rows`, 8] parameter(0)
    %zero = s8[] constant(0)
    %zeros = s8[`rows`, 8] broadcast(%zero), dimensions={}
    ROOT %y = s8[`rows`, 8] maximum(%x, %zeros)
  }

instruction relu_wide(n | from, to)
  read    %x = a[from + i][j : i < n, j < 8]
  write   b[to + i][j : i < n, j < 8] = %w
  body {
    %x = s8[`n`, 8] parameter(0)
    %y = s8[`n`, 8] call(%x), to_apply=relu, bind={rows=`n`}
    ROOT %w = s32[`n`, 8] convert(%y)
  }

instruction twice(| from, to)
  read    %x = a[from + i][j : i < 2, j < 8]
  write   b[to + i][j : i < 2, j < 8] = %z
  body {
    %x = s8[2, 8] parameter(0)
    %y = s32[2, 8] call(%x), to_apply=relu_wide, bind={n=2}
    ROOT %z = s32[2, 8] add(%y, %y)
  }
"""


def test_a_call_is_printed_as_it_was_written() -> None:
    assert print_text(parse(CALLS)) == CALLS


def test_loading_puts_the_called_body_in_its_place() -> None:
    loaded = load(CALLS)
    assert loaded.instructions["relu_wide"].body.splitlines() == [
        "%x = s8[`n`, 8] parameter(0)",
        "%y.zero = s8[] constant(0)",
        "%y.zeros = s8[`n`, 8] broadcast(%y.zero), dimensions={}",
        "%y = s8[`n`, 8] maximum(%x, %y.zeros)",
        "ROOT %w = s32[`n`, 8] convert(%y)",
    ]
    assert "call(" not in loaded.instructions["twice"].body


def test_the_oracle_computes_what_is_called() -> None:
    machine = Machine(parse(CALLS))
    machine.step("twice", {"from": 3, "to": 5})
    np.testing.assert_array_equal(machine.buffers["b"][5:7], 2 * np.maximum(machine.buffers["a"][3:5].astype(np.int32), 0))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("bind={rows=`n`}", "bind={columns=`n`}", "relu_wide: call '%y': 'rows' is not bound"),
        ("to_apply=relu,", "to_apply=nothing,", "relu_wide: call '%y': 'nothing' is no instruction with a body"),
        ("to_apply=relu,", "to_apply=twice,", "calls itself"),
        ("call(%x), to_apply=relu,", "call(), to_apply=relu,", "'relu' takes 1 operand(s), found 0"),
        ("bind={rows=`n`}", "bind={rows=`n + 1`}", "operands differ in shape"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(before: str, after: str, message: str) -> None:
    with pytest.raises(TaidlErrors) as caught:
        load(CALLS.replace(before, after, 1), "calls.taidl")
    assert message in str(caught.value)
