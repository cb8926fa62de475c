"""Widths and types that other evaluators do not have, against Python's integers; and what XLA says in words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from act.hlo import parse_module
from act.hlo.arrays import convert, round_float
from act.hlo.dtypes import integer_range, wrap
from act.hlo.evaluate import evaluate

ODD = ["s1", "s3", "u5", "s11", "s20", "u20", "s33", "u63", "s63"]
PYTHON = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": max,
    "minimum": min,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def run(line: str, shapes: list[str], *arguments):
    declared = [f"{name} = {shape} parameter({number})" for number, (name, shape) in enumerate(zip("abc", shapes, strict=False))]
    return evaluate(parse_module("\n".join(["ENTRY main {", *declared, f"ROOT r = {line}", "}"])), arguments)


@pytest.mark.parametrize("dtype", ODD)
@pytest.mark.parametrize("operator", PYTHON)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_arithmetic_wraps_to_any_width(dtype, operator, data):
    a, b = (data.draw(st.integers(*integer_range(dtype))) for _ in range(2))
    assert int(run(f"{dtype}[] {operator}(a, b)", [f"{dtype}[]"] * 2, a, b)) == wrap(dtype, PYTHON[operator](a, b))


@pytest.mark.parametrize("dtype", ["s3", "u5", "s20"])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_shifts_of_any_width(dtype, data):
    low, high = integer_range(dtype)
    value, amount = data.draw(st.integers(low, high)), data.draw(st.integers(0, min(high, 25)))
    bits = high.bit_length() + (low < 0)
    unsigned, top = value % (1 << bits), 1 << (bits - 1)
    signed = (unsigned ^ top) - top
    expected = {"left": value << amount if amount < bits else 0, "right-logical": unsigned >> amount, "right-arithmetic": signed >> amount}
    for kind, result in expected.items():
        assert int(run(f"{dtype}[] shift-{kind}(a, b)", [f"{dtype}[]"] * 2, value, amount)) == wrap(dtype, result)


@settings(max_examples=30, deadline=None)
@given(data=st.data(), source=st.sampled_from(ODD), target=st.sampled_from(ODD))
def test_conversion_between_any_widths_wraps(data, source, target):
    value = data.draw(st.integers(*integer_range(source)))
    assert int(run(f"{target}[] convert(a)", [f"{source}[]"], value)) == wrap(target, value)


def test_a_product_wraps_in_the_type_of_its_result():
    a, b = np.full((1, 40), -128), np.full((40, 1), -128)
    for dtype in ("s8", "s20", "s32"):
        text = f"{dtype}[1,1] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
        assert int(run(text, ["s8[1,40]", "s8[40,1]"], a, b)[0, 0]) == wrap(dtype, 40 * 128 * 128)


def test_the_bits_of_narrow_types_pack_and_unpack():
    assert run("u8[2] bitcast-convert(a)", ["u4[2,2]"], [[1, 2], [15, 0]]).tolist() == [0x21, 0x0F]
    assert run("s4[2,2] bitcast-convert(a)", ["s8[2]"], [0x7F, -1]).tolist() == [[-1, 7], [-1, -1]]
    assert run("u20[1] bitcast-convert(a)", ["s20[1]"], [-1]).tolist() == [(1 << 20) - 1]
    assert run("u16[3] bitcast-convert(a)", ["bf16[3]"], [1.0, -2.0, 0.0]).tolist() == [0x3F80, 0xC000, 0]


def test_bf16_rounds_to_nearest_even():
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 3.4e38, np.inf], np.float32)
    assert round_float(values, "bf16").tolist() == [1.0, 1 + 2**-6, 1 + 2**-7, np.inf, np.inf]
    assert np.isnan(round_float(np.array([np.nan]), "bf16")[0])


def test_float_to_narrow_integer_saturates():
    assert convert(np.array([8.0, -9.5, np.nan, 3.99], np.float32), "f32", "s4").tolist() == [7, -8, 0, 3]


def test_division_is_as_on_xla_cpu_where_hlo_leaves_it_undefined():
    assert run("s8[3] divide(a, b)", ["s8[3]"] * 2, [5, -128, -7], [0, -1, 2]).tolist() == [-1, -128, -3]
    assert run("s8[3] remainder(a, b)", ["s8[3]"] * 2, [5, -128, -7], [0, -1, 2]).tolist() == [5, 0, -1]
    assert run("u4[1] divide(a, b)", ["u4[1]"] * 2, [5], [0]).tolist() == [15]


def test_clamp_with_low_above_high_gives_high():
    assert run("s8[1] clamp(b, a, c)", ["s8[1]", "s8[]", "s8[]"], [0], 5, 3).tolist() == [3]


@pytest.mark.parametrize(("value", "problem"), [([1, 2, 3], "expected a tensor of shape"), ([200, 0], "not in the range")])
def test_arguments_must_fit_their_parameters(value, problem):
    with pytest.raises(ValueError, match=problem):
        run("s8[2] negate(a)", ["s8[2]"], value)


@pytest.mark.parametrize(("opcode", "expected"), [("maximum", "0.0"), ("minimum", "-0.0")])
@pytest.mark.parametrize("values", [(0.0, -0.0), (-0.0, 0.0)])
def test_of_two_zeros_the_positive_one_is_the_greater(opcode, expected, values):
    module = parse_module(f"HloModule m\nENTRY e {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] {opcode}(a, b)\n}}\n")
    assert str(evaluate(module, [np.float32(each) for each in values])) == expected


def test_products_of_floats_do_not_depend_on_the_tile():
    random = np.random.default_rng(0)
    a, b = random.standard_normal((16, 8)).astype(np.float32), random.standard_normal((8, 24)).astype(np.float32)
    text = "HloModule m\nENTRY e {{\n  a = f32[{0},8] parameter(0)\n  b = f32[8,{1}] parameter(1)\n  ROOT c = f32[{0},{1}] dot(a, b), {2}\n}}\n"
    dims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    whole = evaluate(parse_module(text.format(16, 24, dims)), [a, b])
    tile = evaluate(parse_module(text.format(1, 1, dims)), [a[5:6], b[:, 7:8]])
    assert np.asarray(whole)[5, 7] == np.asarray(tile)[0, 0]
