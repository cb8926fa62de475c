"""Machines that multiply bytes and little else: what they compute by products, and by instructions whose attributes make a part of them do nothing."""

import pytest

from act.errors import UserError
from tests.act.backend.backends import hlo
from tests.act.backend.test_other_machines import DIMS, compiled

BYTES = ("x = s8[8,8] parameter(0)", "y = s8[8,8] parameter(1)")
WIDE = ("xw = s32[8,8] convert(x)", "yw = s32[8,8] convert(y)")


def clipped(value: str, name: str) -> tuple[str, ...]:
    low, high = (f"{side}.{name} = s32[] constant({bound})" for side, bound in (("lo", -128), ("hi", 127)))
    return low, high, f"c.{name} = s32[8,8] clamp(lo.{name}, {value}, hi.{name})", f"{name} = s8[8,8] convert(c.{name})"


SHIFT = ("by = s32[] constant(6)", "b = s32[8,8] broadcast(by), dimensions={}")
PRODUCT = f"d = s32[8,8] dot(x, y), {DIMS}"
KERNELS = {
    "limits alone": ((*BYTES, PRODUCT, *clipped("d", "o")), {"product": 1, "quantise": 1}),
    "a shift and limits": ((*BYTES, PRODUCT, *SHIFT, "s = s32[8,8] shift-right-arithmetic(d, b)", *clipped("s", "o")), {"product": 1, "quantise": 1}),
    "residual": ((*BYTES, PRODUCT, WIDE[0], "s = s32[8,8] add(d, xw)", *clipped("s", "o")), {"product": 1, "accumulate": 1, "quantise": 1}),
    "bytes widened and added": ((*BYTES, *WIDE, "s = s32[8,8] add(xw, yw)"), {"product": 1, "accumulate": 1, "store_sums": 1}),
}


@pytest.mark.parametrize("name", KERNELS)
def test_products_and_limits(name):
    lines, counts = KERNELS[name]
    issued = compiled("requant", hlo(*lines))
    assert {each: issued.count(each) for each in counts} == counts


@pytest.mark.parametrize("value", ["convert(x)", "negate(xw)", "add(xw, yw)", "subtract(xw, yw)"])
def test_bytes_are_widened_by_products_where_nothing_else_does(value):
    found = compiled("dots", hlo(*BYTES, *([] if value == "convert(x)" else WIDE), f"o = s32[8,8] {value}"))
    assert "mac" in found


@pytest.mark.parametrize("opcode", ["maximum", "minimum"])
def test_wide_numbers_are_not_compared_by_products(opcode):
    lines = ("x = s32[8,8] parameter(0)", "y = s32[8,8] parameter(1)", f"o = s32[8,8] {opcode}(x, y)")
    with pytest.raises(UserError, match=rf"{opcode}\(s32\[8,8\], s32\[8,8\]\) -> s32\[8,8\], which no instruction computes"):
        compiled("dots", hlo(*lines))


def test_fixed_tiles_are_widened_by_the_only_product():
    lines = ("x = s8[4,8] parameter(0)", "y = s8[4,8] parameter(1)", "xw = s32[4,8] convert(x)", "yw = s32[4,8] convert(y)", "s = s32[4,8] add(xw, yw)")
    issued = compiled("cubes", hlo(*lines))
    assert (issued.count("clear"), issued.count("mma")) == (2, 4)
