"""Large constants are read quickly, and as carefully as small ones."""

import math

import pytest

from act.errors import UserError
from act.hlo import parse_module, print_module


def module(shape: str, literal: str) -> str:
    return f"HloModule m\nENTRY e {{\n  ROOT c = {shape} constant({literal})\n}}"


def rows(value: str, count: int = 60) -> str:
    return "{" + ", ".join(["{ " + ", ".join([value] * 4) + " }"] * count) + "}"


@pytest.mark.parametrize(("dtype", "text", "value"), [("s8", "-128", -128), ("f32", "-1.5e-3", -0.0015), ("f32", "-inf", -math.inf), ("pred", "true", True)])
def test_all_numbers_of_a_large_constant_are_read(dtype, text, value):
    read = parse_module(module(f"{dtype}[60,4]", rows(text)))
    assert read.main.result.attributes["value"] == ((value,) * 4,) * 60
    assert parse_module(print_module(read)) == read


def test_numbers_that_are_none_and_comments_are_read():
    value = parse_module(module("f32[60,4]", rows("nan /*i0=0*/"))).main.result.attributes["value"]
    assert all(each is math.nan for row in value for each in row)


@pytest.mark.parametrize(
    ("shape", "literal", "place", "problem"),
    [
        ("s8[60,4]", rows("1").replace("1", "128", 1), "m:3:33", "the constant 128 is not in the range -128..127 of s8"),
        ("s8[60,5]", rows("1"), "m:3:45", "expected 5 elements in this dimension of the constant, found 4"),
        ("s8[61,4]", rows("1"), None, "expected 61 elements in this dimension of the constant, found 60"),
        ("s8[60,4]", rows("1").replace("1", "x", 1), "m:3:33", "expected a value of type s8, found 'x'"),
        ("s8[60,4]", rows("1").replace("1", "...", 1), "m:3:33", "the constant is elided"),
        ("s8[240]", rows("1"), "m:3:30", "expected a value of type s8, found '{'"),
    ],
)
def test_what_does_not_fit_is_found_at_its_place(shape, literal, place, problem):
    with pytest.raises(UserError) as caught:
        parse_module(module(shape, literal), "m")
    assert problem in str(caught.value)
    assert place is None or caught.value.location == place
