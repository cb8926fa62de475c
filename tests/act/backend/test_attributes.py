"""Kernels that differ from an instruction in one attribute or type: refused, or compiled to something else that is right."""

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from tests.act.backend.backends import hlo, systolic

SQUARE = ("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)")
DOT = "d = s32[16,16] dot(a, b), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}"


def clamped(low: int, high: int, *then: str) -> tuple[str, ...]:
    limits = (f"low = s32[] constant({low})", f"high = s32[] constant({high})", "c = s32[16,16] clamp(low, d, high)")
    return (*SQUARE, DOT.format(1, 0), *limits, *then)


KERNELS = {
    **{f"dot {left} {right}": (*SQUARE, DOT.format(left, right)) for left in (0, 1) for right in (0, 1)},
    **{f"clamp {low} {high}": clamped(low, high, "n = s8[16,16] convert(c)") for low in (-128, -127, 0, 1) for high in (127, 126, 0)},
    **{f"to {dtype}": clamped(-128, 127, f"n = {dtype}[16,16] convert(c)") for dtype in ("s16", "u8", "u32", "s32")},
    "wide clamp": clamped(-128, 200, "n = s8[16,16] convert(c)"),
    "no clamp": (*SQUARE, DOT.format(1, 0), "n = s8[16,16] convert(d)"),
    "clamp the other way round": clamped(127, -128, "n = s8[16,16] convert(c)"),
    "max for min": (
        *SQUARE,
        DOT.format(1, 0),
        "h = s32[] constant(127)",
        "hb = s32[16,16] broadcast(h), dimensions={}",
        "m = s32[16,16] maximum(d, hb)",
        "n = s8[16,16] convert(m)",
    ),
    **{
        f"bias {axis}": (
            *SQUARE,
            DOT.format(1, 0),
            "v = s32[16] parameter(2)",
            f"w = s32[16,16] broadcast(v), dimensions={{{axis}}}",
            "s = s32[16,16] add(d, w)",
        )
        for axis in (0, 1)
    },
    "unsigned operand": ("a = u8[16,16] parameter(0)", SQUARE[1], DOT.format(1, 0)),
    "unsigned load": ("a = u8[16,16] parameter(0)", "c = s32[16,16] convert(a)"),
    "subtract": (*SQUARE, DOT.format(1, 0), "v = s32[16,16] parameter(2)", "s = s32[16,16] subtract(d, v)"),
    "subtract the product": (*SQUARE, DOT.format(1, 0), "v = s32[16,16] parameter(2)", "s = s32[16,16] subtract(v, d)"),
    "s16 product": ("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", DOT.format(1, 0).replace("s32", "s16")),
    "s8 product": (*SQUARE, DOT.format(1, 0).replace("s32", "s8")),
    "clamp by an input": (
        *SQUARE,
        DOT.format(1, 0),
        "l = s32[] parameter(2)",
        "h = s32[] constant(127)",
        "c = s32[16,16] clamp(l, d, h)",
        "n = s8[16,16] convert(c)",
    ),
    "transposed output": (*SQUARE, DOT.format(1, 0), "t = s32[16,16] transpose(d), dimensions={1,0}"),
    "transposed twice": (
        *SQUARE,
        "t = s8[16,16] transpose(a), dimensions={1,0}",
        "d = s32[16,16] dot(t, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
    ),
    "reversed": (*SQUARE, "r = s8[16,16] reverse(a), dimensions={0}", "d = s32[16,16] dot(r, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
    "strided slice of columns": ("a = s8[16,32] parameter(0)", "r = s8[16,16] slice(a), slice={[0:16], [0:32:2]}", "c = s32[16,16] convert(r)"),
    "reshaped operand": ("a = s8[32,8] parameter(0)", "r = s8[16,16] reshape(a)", "c = s32[16,16] convert(r)"),
    "reduced": (*SQUARE, DOT.format(1, 0), "z = s32[] constant(0)", "s = s32[16] reduce(d, z), dimensions={0}, to_apply=sum"),
    "bytes as bytes": ("a = u8[16,16] parameter(0)", "c = s8[16,16] bitcast-convert(a)"),
    "words as bytes": ("a = s32[4,4] parameter(0)", "c = s8[4,4,4] bitcast-convert(a)"),
    "words as other words": ("a = s32[4,4] parameter(0)", "c = u32[4,4] bitcast-convert(a)"),
}
REDUCER = "sum {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT z = s32[] add(x, y)\n}\n\n"


@pytest.mark.parametrize("name", KERNELS)
def test_right_or_refused(name):
    text = hlo(*KERNELS[name])
    module = parse_module(text.replace("ENTRY", f"{REDUCER}ENTRY") if "to_apply" in text else text)
    try:
        program = compile_module(systolic(), module).program
    except UserError:
        return
    assert disagreement(systolic().accelerator, module, program) is None
