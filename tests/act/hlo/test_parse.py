"""What is read from HLO text, in every spelling that XLA and jax print."""

import pytest

from act.hlo import Shape, parse_body, parse_module

JAX = """HloModule jit_f, is_scheduled=true, entry_computation_layout={(s8[2,3]{1,0}, s8[3,4]{1,0})->(s32[2,4]{1,0})}

%region_0.5 (Arg_0.6: s32[], Arg_1.7: s32[]) -> s32[] {
  %Arg_0.6 = s32[] parameter(0), metadata={op_name="jit(f)/reduce_sum"}
  %Arg_1.7 = s32[] parameter(1)
  ROOT %add.8 = s32[] add(s32[] %Arg_0.6, s32[] %Arg_1.7)
}

ENTRY %main.4 (Arg_0.1: s8[2,3], Arg_1.2: s8[3,4]) -> (s32[2,4]) {
  %Arg_0.1 = s8[2,3]{1,0} parameter(0), sharding={replicated}
  %Arg_1.2 = s8[3,4]{1,0} parameter(1) // a comment
  %dot.3 = s32[2,4]{1,0} dot(s8[2,3]{1,0} %Arg_0.1, s8[3,4]{1,0} %Arg_1.2), lhs_contracting_dims={1},
      rhs_contracting_dims={0}, operand_precision={default,default}, metadata={op_name="a } b" source_line=3}
  ROOT %tuple.9 = (s32[2,4]{1,0}) tuple(/*index=0*/%dot.3)
}
"""


def only(line: str, *parameters: str):
    """The instruction of one line whose operands are a, b, ... of the given shapes."""
    declared = [f"  {name} = {shape} parameter({number})" for number, (name, shape) in enumerate(zip("abcd", parameters, strict=False))]
    return parse_module("\n".join(["ENTRY main {", *declared, f"  ROOT r = {line}", "}"])).main.result


def test_sigils_layouts_metadata_and_comments_are_not_part_of_the_module():
    module = parse_module(JAX)
    assert [each.name for each in module.main] == ["Arg_0.1", "Arg_1.2", "dot.3", "tuple.9"]
    assert module.main["dot.3"].shape == Shape("s32", (2, 4))
    assert module.main["dot.3"].attributes == {
        "lhs_contracting_dims": (1,),
        "rhs_contracting_dims": (0,),
        "lhs_batch_dims": (),
        "rhs_batch_dims": (),
    }


def test_an_instruction_knows_its_line():
    assert parse_module(JAX).main["dot.3"].line == 12


def test_the_last_instruction_is_the_root_when_none_is_marked():
    assert parse_module("ENTRY main { a = s8[] parameter(0) b = s8[] negate(a) }").main.root == "b"


def test_slice_ranges_have_stride_one_by_default():
    assert only("s8[2,2] slice(a), slice={[0:2], [1:5:2]}", "s8[4,6]").attributes == {"start": (0, 1), "limit": (2, 5), "stride": (1, 2)}


def test_padding_has_no_interior_by_default():
    assert only("s8[5,10] pad(a, b), padding=0_1x-1_2_1", "s8[4,5]", "s8[]").attributes == {"low": (0, -1), "high": (1, 2), "interior": (0, 1)}


def test_reverse_and_reduce_dimensions_are_sorted_because_their_order_means_nothing():
    assert only("s8[4,6] reverse(a), dimensions={1,0}", "s8[4,6]").attributes == {"dimensions": (0, 1)}


def test_a_reduce_has_the_operator_of_its_region():
    text = "r { x = s8[] parameter(0) y = s8[] parameter(1) ROOT z = s8[] maximum(y, x) }\n"
    entry = "ENTRY m { a = s8[4] parameter(0) i = s8[] constant(-128) ROOT s = s8[] reduce(a, i), dimensions={0}, to_apply=r }"
    module = parse_module(text + entry)
    assert module.main.result.attributes == {"dimensions": (0,), "kind": "maximum"}
    assert list(module.computations) == ["m"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s8[] constant(-128)", -128),
        ("pred[] constant(true)", True),
        ("f32[] constant(-inf)", float("-inf")),
        ("f32[2] constant({1, 2.5e-3})", (1.0, 0.0025)),
        ("s32[2,2] constant({ {1, 2}, {3, 4} })", ((1, 2), (3, 4))),
        ("pred[2]{0} constant({1, 0})", (True, False)),
        ("s8[0,2] constant({})", ()),
    ],
)
def test_constants_are_scalars_or_nested_tuples(text, value):
    assert only(text).attributes["value"] == value


def test_back_quoted_text_in_a_body_goes_through_the_callback_with_its_location():
    seen = []

    def expression(text, location):
        seen.append((text, location))
        return (text,)

    body = "%x = s8[`n`, 4] parameter(0)\n%z = s8[] constant(`c`)\nROOT %y = s8[16, 4] pad(%x, %z), padding=0_`16 - n`x0_0"
    computation = parse_body(body, expression, "a.taidl", 7)
    assert computation["x"].shape == Shape("s8", (("n",), 4))
    assert computation["z"].attributes == {"value": ("c",)}
    assert computation["y"].attributes["high"] == (("16 - n",), 0)
    assert seen[0] == ("n", "a.taidl:7:9")
    assert computation["y"].line == 9


def test_a_reduce_in_a_body_names_its_operator():
    body = "%x = s8[4] parameter(0)\n%i = s8[] constant(0)\nROOT %y = s8[] reduce(%x, %i), dimensions={0}, to_apply=add"
    assert parse_body(body, lambda text, location: text).result.attributes["kind"] == "add"


def test_layouts_do_not_matter():
    assert only("s8[6,4]{0,1:T(8,128)} transpose(a), dimensions={1,0}", "s8[4,6]").shape == Shape("s8", (6, 4))
