"""Which shapes fit, and what is said of those that do not."""

import pytest

from act.errors import UserError
from act.hlo import Shape, infer, parse_body, parse_module, shape_errors

WRONG = [
    ("s8[2] add(a, b)", ["s8[2]", "s8[3]"], "operands differ in shape"),
    ("s8[2] add(a, b)", ["s8[2]", "u8[2]"], "operands differ in shape"),
    ("s16[2] add(a, b)", ["s8[2]", "s8[2]"], "expected shape s8"),
    ("s8[2] exponential(a)", ["s8[2]"], "not defined for element type s8"),
    ("f32[2] xor(a, b)", ["f32[2]", "f32[2]"], "not defined for element type f32"),
    ("s8[2] shift-left(a, b)", ["pred[2]", "pred[2]"], "not defined for element type pred"),
    ("s8[2] compare(a, b), direction=EQ", ["s8[2]", "s8[2]"], "expected shape pred"),
    ("s8[2] select(a, b, c)", ["s8[2]", "s8[2]", "s8[2]"], "the condition must be pred"),
    ("s8[2] clamp(a, b, c)", ["s8[3]", "s8[2]", "s8[]"], "the bound"),
    ("s8[3,2] reshape(a)", ["s8[5]"], "differ in the number of elements"),
    ("s8[3,2] broadcast(a), dimensions={0}", ["s8[2]"], "does not fit dimension 0"),
    ("s8[3,2] broadcast(a), dimensions={}", ["s8[2]"], "1 broadcast dimensions are needed"),
    ("s8[3,2] transpose(a), dimensions={0,0}", ["s8[2,3]"], "must be different"),
    ("s8[3,2] transpose(a), dimensions={0,1}", ["s8[2,3]"], "expected shape"),
    ("s8[2] slice(a), slice={[1:4]}", ["s8[3]"], "is not within 0..3"),
    ("s8[2] slice(a), slice={[0:2:0]}", ["s8[3]"], "is not within"),
    ("s8[6] pad(a, b), padding=1_1", ["s8[3]", "s8[]"], "expected shape s8"),
    ("s8[5] pad(a, b), padding=1_1", ["s8[3]", "s16[]"], "the padding value must be a scalar"),
    ("s8[5,2] concatenate(a, b), dimensions={0}", ["s8[3,2]", "s8[2,3]"], "differ outside of dimension 0"),
    ("s8[3] reverse(a), dimensions={1}", ["s8[3]"], "below the rank"),
    ("s32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}", ["s8[2,3]", "s8[3,2]"], "differ"),
    ("s32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={}", ["s8[2,3]", "s8[3,2]"], "dimension numbers"),
    ("s32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", ["f32[2,3]", "s8[3,2]"], "floats and integers"),
    ("s8[2,2] bitcast-convert(a)", ["u16[2,3]"], "expected shape"),
    ("s32[2] bitcast-convert(a)", ["u8[2,3]"], "the last dimension"),
    ("s20[2] bitcast-convert(a)", ["u8[2,3]"], "do not divide each other"),
    ("s8[2] iota(), iota_dimension=1", [], "below the rank"),
]
RIGHT = [
    ("s8[2] bitcast-convert(a)", ["u4[2,2]"]),
    ("u8[2,4] bitcast-convert(a)", ["s32[2]"]),
    ("s8[8,2] pad(a, b), padding=-1_2_1x0_0", ["s8[4,2]", "s8[]"]),
    ("s8[2] slice(a), slice={[1:4:2]}", ["s8[5]"]),
    ("s8[0] slice(a), slice={[2:2]}", ["s8[5]"]),
    ("s8[3,2] broadcast(a), dimensions={0,1}", ["s8[3,1]"]),
    ("s32[5,2,4] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}", ["s8[5,2,3]", "s8[4,5,3]"]),
    ("s8[2] clamp(a, b, c)", ["s8[]", "s8[2]", "s8[2]"]),
    ("s8[2] select(a, b, c)", ["pred[]", "s8[2]", "s8[2]"]),
]


def module(line: str, shapes: list[str]) -> str:
    declared = [f"{name} = {shape} parameter({number})" for number, (name, shape) in enumerate(zip("abc", shapes, strict=False))]
    return "\n".join(["ENTRY main {", *declared, f"ROOT r = {line}", "}"])


@pytest.mark.parametrize(("line", "shapes", "problem"), WRONG)
def test_what_does_not_fit_is_refused_with_its_line_and_reason(line, shapes, problem):
    with pytest.raises(UserError, match=problem) as caught:
        parse_module(module(line, shapes))
    assert caught.value.location == f"<text>:{len(shapes) + 2}"


@pytest.mark.parametrize(("line", "shapes"), RIGHT)
def test_what_fits_is_accepted(line, shapes):
    assert parse_module(module(line, shapes)).main.root == "r"


def test_a_gap_in_the_parameters_is_refused():
    with pytest.raises(UserError, match="number 1 is missing"):
        parse_module("ENTRY m { a = s8[] parameter(0) b = s8[] parameter(2) ROOT c = s8[] add(a, b) }")


def test_a_call_must_fit_its_computation():
    with pytest.raises(UserError, match="'f' takes"):
        parse_module("f { p = s8[2] parameter(0) ROOT q = s8[2] negate(p) }\nENTRY m { a = s8[3] parameter(0) ROOT b = s8[3] call(a), to_apply=f }")


def test_recursion_is_refused():
    with pytest.raises(UserError, match="'f' calls itself"):
        parse_module("f { p = s8[] parameter(0) ROOT q = s8[] call(p), to_apply=f }\nENTRY m { a = s8[] parameter(0) ROOT b = s8[] call(a), to_apply=f }")


class Linear:
    """Sizes as text, equal when they are so at many values: enough for a test."""

    def __init__(self) -> None:
        self.values = [{"n": n, "m": m} for n in (1, 2, 7) for m in (3, 16)]

    def add(self, a, b):
        return f"({a} + {b})"

    def subtract(self, a, b):
        return f"({a} - {b})"

    def multiply(self, a, b):
        return f"({a} * {b})"

    def divide(self, a, b):
        return f"({a} // {b})"

    def equal(self, a, b):
        return all(eval(f"{a} == {b}", value) for value in self.values)

    def at_most(self, a, b):
        return all(eval(f"{a} <= {b}", value) for value in self.values)


def body_errors(text: str) -> list[str]:
    return [f"{each.name}: {problem}" for each, problem in shape_errors(parse_body(text, lambda text, location: text), None, Linear())]


def test_symbolic_dimensions_fit_when_they_are_equal_for_all_values():
    text = "x = s8[`n`, `m`] parameter(0)\nz = s8[] constant(0)\np = s8[16, `m`] pad(x, z), padding=0_`16 - n`x0_0\n"
    assert body_errors(text + "r = s8[`m * 16`] reshape(p)") == []


def test_every_symbolic_dimension_that_does_not_fit_is_reported():
    text = "x = s8[`n`, `m`] parameter(0)\nt = s8[`n`, `m`] transpose(x), dimensions={1,0}\nr = s8[`n + m`] reshape(x)"
    assert [error.split(":")[0] for error in body_errors(text)] == ["t", "r"]


def test_infer_computes_a_shape_without_text():
    given = {"start": (0, 1), "limit": (2, 5), "stride": (1, 2)}
    assert infer("slice", (Shape("s8", (4, 6)),), given, Shape("s8", ())) == Shape("s8", (2, 2))
