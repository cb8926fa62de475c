"""The bytes of constants are those that the evaluator has."""

import math

import numpy as np
import pytest

from act.backend.constants import element_bytes
from act.hlo.arrays import convert
from act.memory import to_bytes
from tests.act.backend.backends import error_of, hlo, reference

VALUES = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    0.1,
    1 / 3,
    3.3895e38,
    1e38,
    -1e39,
    1e-40,
    1e-41,
    -7e-45,
    65504.0,
    65519.0,
    65520.0,
    6e-8,
    1.00390625,
    1.01171875,
    math.inf,
    -math.inf,
]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("value", VALUES)
def test_floating_point_constants_are_rounded_as_converted(dtype, value):
    with np.errstate(over="ignore", under="ignore"):
        expected = to_bytes(convert(np.array([value], np.float64), "f64", dtype), dtype).tobytes()
    assert element_bytes(value, dtype) == expected


@pytest.mark.parametrize(
    ("dtype", "value", "data"), [("s8", -1, "ff"), ("u4", 9, "09"), ("s20", -2, "feffff"), ("pred", True, "01"), ("s64", 1 << 40, "0000000000010000")]
)
def test_integers_are_little_endian_in_whole_bytes(dtype, value, data):
    assert element_bytes(value, dtype).hex() == data


def test_not_a_number_stays_one():
    assert [math.isnan(float(np.frombuffer(element_bytes(math.nan, dtype), kind)[0])) for dtype, kind in (("f16", "f2"), ("f32", "f4"))] == [True, True]
    assert int.from_bytes(element_bytes(math.nan, "bf16"), "little") & 0x7FFF > 0x7F80


def test_limits_that_meet_are_a_constant():
    met = ("p = s8[40,16] parameter(0)", "q = s8[40,16] parameter(1)", "v = s8[] constant(0)", "c = s8[40,16] clamp(v, p, v)", "r = s8[40,16] add(q, c)")
    assert error_of(reference("gemmini"), hlo(*met)) is None


@pytest.mark.parametrize("shape", ["62,16", "31,32"])
def test_a_constant_of_several_tiles_is_written_piece_by_piece(shape):
    lines = ("p = s8[62,16] parameter(0)", "v = s8[] constant(-1)", "c = s8[62,16] clamp(v, p, v)", f"r = s8[{shape}] reshape(c)")
    assert error_of(reference("gemmini"), hlo(*lines)) is None


@pytest.mark.parametrize("dims", ["", "2", "40", "2,3,2"])
def test_an_output_may_be_one_value_everywhere(dims):
    lines = ("v = s32[] constant(-1280000)", f"r = s32[{dims}] broadcast(v), dimensions={{}}")
    assert error_of(reference("gemmini"), hlo(*lines)) is None
