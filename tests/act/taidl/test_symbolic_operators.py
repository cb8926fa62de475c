"""Shapes of all operators follow for symbolic attributes, where `when` admits only what fits."""

from __future__ import annotations

import numpy as np
import pytest

from act.hlo.evaluate import kernel
from act.hlo.instantiate import instantiate
from act.oracle import Machine
from act.taidl import TaidlErrors, body_of, evaluate, load

TEXT = """taidl 1
accelerator windows

buffer image  : s8[64, 64][4]
buffer kernel : s8[3, 3][4, 8]
buffer sums   : s32[64, 64][8]
buffer picked : s8[64, 64][4]

instruction convolve(h, w | from, to)
  when    3 <= h and h <= 32 and 3 <= w and w <= 32
  read    %x = image[from + i, j][c : i < h, j < w, c < 4]
  read    %k = kernel[i, j][c, o : i < 3, j < 3, c < 4, o < 8]
  write   sums[to + i, j][o : i < h - 2, j < w, o < 8] = %y
  body {
    %x = s8[`h`, `w`, 4] parameter(0)
    %k = s8[3, 3, 4, 8] parameter(1)
    %b = s8[1, `h`, `w`, 4] reshape(%x)
    %c = s32[1, `h - 2`, `w`, 8] convolution(%b, %k), window={size=3x3 pad=0_0x1_1}, dim_labels=b01f_01io->b01f
    ROOT %y = s32[`h - 2`, `w`, 8] reshape(%c)
  }

instruction pool(h, w | from, to)
  when    2 <= h and h <= 32 and 2 <= w and w <= 32
  read    %x = image[from + i, j][c : i < h, j < w, c < 4]
  write   picked[to + i, j][c : i < h / 2, j < w, c < 4] = %y
  body {
    %x = s8[`h`, `w`, 4] parameter(0)
    %low = s8[] constant(-128)
    ROOT %y = s8[`h / 2`, `w`, 4] reduce-window(%x, %low), window={size=2x1x1 stride=2x1x1}, to_apply=maximum
  }

instruction pick(h | from, to)
  when    1 <= h and h <= 16
  read    %x = image[from + i, j][c : i < 16, j < 8, c < 4]
  write   picked[to + i, j][c : i < h, j < 8, c < 4] = %y
  body {
    %x = s8[16, 8, 4] parameter(0)
    %start = s32[] constant(`16 - h`)
    %zero = s32[] constant(0)
    ROOT %y = s8[`h`, 8, 4] dynamic-slice(%x, %start, %zero, %zero), dynamic_slice_sizes={`h`, 8, 4}
  }
"""


@pytest.mark.parametrize(("name", "alpha"), [("convolve", {"h": 7, "w": 5}), ("pool", {"h": 9, "w": 4}), ("pick", {"h": 3})])
def test_what_holds_for_all_values_is_executed_for_some(name, alpha):
    machine = Machine(load(TEXT))
    operation = machine.accelerator.instructions[name]
    body = instantiate(body_of(operation), lambda expr: evaluate(expr, alpha))
    rows, columns = body.parameters[0].shape.dims[:2]
    operands = [machine.buffers["image"][2 : 2 + rows, :columns].copy()] + ([machine.buffers["kernel"].copy()] if name == "convolve" else [])
    machine.step(name, {**alpha, "from": 2, "to": 5})
    expected = kernel(body)(*operands)
    target = machine.buffers[operation.writes[0].slice.buffer]
    np.testing.assert_array_equal(target[5 : 5 + expected.shape[0], : expected.shape[1]], expected)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("when    3 <= h", "when    2 <= h", "a window of 3 may not fit `h`"),
        ("pad=0_0x1_1", "pad=0_0x1_0", "expected shape s32[1,`h - 2`,`w - 1`,8]"),
        ("s8[`h / 2`, `w`, 4] reduce", "s8[`h - 1`, `w`, 4] reduce", "expected shape s8[`h / 2`,`w`,4]"),
        ("when    1 <= h and h <= 16", "when    1 <= h and h <= 17", "is not within 0..16"),
    ],
)
def test_what_does_not_hold_for_all_values_is_refused(before, after, message):
    assert before in TEXT
    with pytest.raises(TaidlErrors) as caught:
        load(TEXT.replace(before, after, 1))
    assert message in str(caught.value)
