"""Windows and labels of dimensions: how they are read, and what is refused."""

import pytest

from act.errors import UserError
from act.hlo import parse_body, parse_module, print_body, print_module


def convolution(left: str, right: str, result: str, attributes: str):
    return parse_module(f"HloModule m\nENTRY e {{ a = {left} parameter(0)\n b = {right} parameter(1)\n ROOT c = {result} convolution(a, b), {attributes} }}")


def test_what_is_not_said_of_a_window_has_its_default():
    given = convolution("f32[1,8,8,3]", "f32[3,3,3,4]", "f32[1,3,3,4]", "window={size=3x3 stride=2x2}, dim_labels=b01f_01io->b01f").main.result.attributes
    assert given["low"] == given["high"] == (0, 0) and given["lhs_dilation"] == given["rhs_dilation"] == (1, 1) and given["reversal"] == (0, 0)
    assert (given["lhs_dims"], given["rhs_dims"], given["out_dims"]) == ((0, 3, 1, 2), (2, 3, 0, 1), (0, 3, 1, 2))


def test_a_convolution_without_spatial_dimensions_is_a_product():
    module = convolution("s8[4,5]", "s8[5,6]", "s32[4,6]", "window={}, dim_labels=bf_io->bf")
    assert parse_module(print_module(module)) == module


@pytest.mark.parametrize(
    ("result", "attributes", "problem"),
    [
        ("f32[1,7,7,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f", "expected shape f32"),
        ("f32[1,6,6,4]", "window={size=3x3}, dim_labels=b01f_01io->b0f", "same number of spatial dimensions"),
        ("f32[1,6,6,4]", "window={size=3x3}, dim_labels=b01f_01ii->b01f", "expected each of"),
        ("f32[1,6,6,4]", "window={size=3x3 stride=1}, dim_labels=b01f_01io->b01f", "2 sizes and 1 values of 'stride'"),
        ("f32[1,6,6,4]", "window={size=3x3 step=1x1}, dim_labels=b01f_01io->b01f", "a window has no 'step'"),
        ("f32[1,6,6,4]", "window={size=5x5}, dim_labels=b01f_01io->b01f", "the window has sizes"),
        ("f32[1,6,6,4]", "window={size=3x3 stride=0x1}, dim_labels=b01f_01io->b01f", "a stride of at least 1"),
        ("f32[1,6,6,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=3", "features of"),
    ],
)
def test_what_does_not_fit_is_refused(result, attributes, problem):
    with pytest.raises(UserError, match=problem):
        convolution("f32[1,8,8,3]", "f32[3,3,3,4]", result, attributes)


def test_windows_of_bodies_may_be_expressions():
    text = "%x = s8[`n`, `k + 2`] parameter(0)\n%z = s8[] constant(-128)\n"
    text += "ROOT %y = s8[`n`, 3] reduce-window(%x, %z), window={size=1x`k` pad=0_0x`p`_1}, to_apply=maximum"
    body = parse_body(text, lambda expression, _: expression)
    assert (body.result.attributes["size"], body.result.attributes["low"]) == ((1, "k"), (0, "p"))
    assert parse_body(print_body(body), lambda expression, _: expression) == body
