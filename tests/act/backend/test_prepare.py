"""What is done to a kernel before it is cut into tiles: it computes the same, and there is a program for it."""

import numpy as np
import pytest

from act.backend.compile import compile_module
from act.backend.inward import moves_before_conversions
from act.backend.masks import choices_as_pieces
from act.backend.outward import transposes_after_arithmetic
from act.backend.reductions import reductions_as_products
from act.backend.verify import inputs
from act.backend.zero_points import multiplies_bytes, products_without_zero_points, unsigned_as_signed
from act.errors import UserError
from act.hlo import flatten, parse_module
from act.hlo.evaluate import evaluate
from act.records import replace
from tests.act.backend.backends import ROOT, backend_of, error_of, hlo, program_of, reference, systolic

MATRICES = ("a = s8[18,24] parameter(0)", "b = s8[24,16] parameter(1)")
WIDE = (*MATRICES, "x = s32[18,24] convert(a)", "y = s32[24,16] convert(b)")
PRODUCT = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
IMAGE = ("p = s8[1,6,5,3] parameter(0)", "k = s8[3,3,3,4] parameter(1)")
NHWC = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"
CHANNELS_FIRST = ("p = s8[2,3,6,5] parameter(0)", "k = s8[4,3,3,3] parameter(1)")
NCHW = "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"
LIMITS = ("low = s32[] constant(-128)", "high = s32[] constant(127)", "zero = s32[] constant(0)")

SELECTED = (
    "a = s8[6,6] parameter(0)",
    "b = s8[6,6] parameter(1)",
    "i = s32[6,6] iota(), iota_dimension=0",
    "j = s32[6,6] iota(), iota_dimension=1",
    "m = pred[6,6] compare(i, j), direction=GE",
    "d = s8[6,6] select(m, a, b)",
)
UPDATED = (
    "a = s8[4,20,16] parameter(0)",
    "u = s8[2,5,16] parameter(1)",
    "one = s32[] constant(1)",
    "far = s32[] constant(99)",
    "before = s32[] constant(-9)",
    "d = s8[4,20,16] dynamic-update-slice(a, u, one, far, before)",
)
CUT = ("a = s8[9,20] parameter(0)", "i = s32[] constant(3)", "j = s32[] constant(17)", "d = s8[4,5] dynamic-slice(a, i, j), dynamic_slice_sizes={4,5}")
ZERO_POINTS = (
    *WIDE,
    "c = s32[] constant(130)",
    "cs = s32[18,24] broadcast(c), dimensions={}",
    "e = s32[] constant(-5)",
    "es = s32[24,16] broadcast(e), dimensions={}",
    "f = s32[18,24] add(cs, x)",
    "g = s32[24,16] subtract(y, es)",
    f"d = s32[18,16] dot(f, g), {PRODUCT}",
)
ZERO_POINT_OF_A_CONVOLUTION = (
    *IMAGE,
    "x = s32[1,6,5,3] convert(p)",
    "y = s32[3,3,3,4] convert(k)",
    "c = s32[] constant(7)",
    "cs = s32[1,6,5,3] broadcast(c), dimensions={}",
    "f = s32[1,6,5,3] subtract(x, cs)",
    f"d = s32[1,6,5,4] convolution(f, y), {NHWC}",
)
WIDENED_CONVOLUTION = (*IMAGE, "x = s32[1,6,5,3] convert(p)", "y = s32[3,3,3,4] convert(k)", f"d = s32[1,6,5,4] convolution(x, y), {NHWC}")
TRANSPOSED_CONVOLUTION = (*CHANNELS_FIRST, f"d = s32[2,4,6,5] convolution(p, k), {NCHW}")
BIASED = (
    *CHANNELS_FIRST,
    "b = s32[4] parameter(2)",
    *LIMITS,
    f"c = s32[2,4,6,5] convolution(p, k), {NCHW}",
    "bs = s32[2,4,6,5] broadcast(b), dimensions={1}",
    "e = s32[2,4,6,5] add(c, bs)",
    "f = s32[2,4,6,5] clamp(zero, e, high)",
    "d = s8[2,4,6,5] convert(f)",
)
TURNED_PRODUCT = (*MATRICES, f"c = s32[18,16] dot(a, b), {PRODUCT}", "d = s32[16,18] transpose(c), dimensions={1,0}")
REPEATED = ("a = s8[4,16] parameter(0)", "b = s8[3,4,16] broadcast(a), dimensions={1,2}", "d = s8[12,16] reshape(b)")
UNSIGNED = ("a = u8[12,16] parameter(0)", "d = s32[12,16] convert(a)")
UNSIGNED_PRODUCT = (
    "a = u8[9,16] parameter(0)",
    "b = s8[16,16] parameter(1)",
    "x = s32[9,16] convert(a)",
    "y = s32[16,16] convert(b)",
    "c = s32[] constant(-128)",
    "cs = s32[9,16] broadcast(c), dimensions={}",
    "f = s32[9,16] add(x, cs)",
    f"d = s32[9,16] dot(f, y), {PRODUCT}",
)
PREDICATES = ("a = pred[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "x = s8[16,16] convert(a)", f"d = s32[16,16] dot(x, b), {PRODUCT}")

ON_SYSTOLIC = {
    "a mask": SELECTED,
    "an update": UPDATED,
    "a slice": CUT,
    "zero points": ZERO_POINTS,
    "a zero point of a convolution": ZERO_POINT_OF_A_CONVOLUTION,
    "a widened convolution": WIDENED_CONVOLUTION,
    "channels first": TRANSPOSED_CONVOLUTION,
    "channels first, with a bias": BIASED,
    "a product that is turned": TURNED_PRODUCT,
    "copies of rows": REPEATED,
    "unsigned bytes": UNSIGNED,
    "a product of unsigned bytes": UNSIGNED_PRODUCT,
    "predicates as numbers": PREDICATES,
}
ON_GEMMINI = [name for name in ON_SYSTOLIC if name != "channels first, with a bias"]


def summed(*dimensions: int, dtype: str = "s32") -> str:
    kept = ",".join(str(size) for axis, size in enumerate((4, 5, 6)) if axis not in dimensions)
    source = "a" if dtype == "s32" else "x"
    wide = "" if dtype == "s32" else "  x = s32[4,5,6] convert(a)\n"
    return f"""HloModule sums
f {{
  p = s32[] parameter(0)
  q = s32[] parameter(1)
  ROOT m = s32[] add(p, q)
}}
ENTRY main {{
  a = {dtype}[4,5,6] parameter(0)
{wide}  i = s32[] constant(7)
  ROOT d = s32[{kept}] reduce({source}, i), dimensions={{{",".join(map(str, dimensions))}}}, to_apply=f
}}
"""


@pytest.mark.parametrize("name", ON_SYSTOLIC)
def test_a_kernel_has_a_right_program_where_sums_saturate(name):
    assert error_of(systolic(), hlo(*ON_SYSTOLIC[name])) is None


@pytest.mark.parametrize("name", ON_GEMMINI)
def test_a_kernel_has_a_right_program_where_sums_wrap(name):
    assert error_of(reference("gemmini"), hlo(*ON_SYSTOLIC[name])) is None


BYTES = ("a = s8[9,16] parameter(0)", "b = s8[9,16] parameter(1)")
EXTREMES = {
    "maximum": (*BYTES, "d = s8[9,16] maximum(a, b)"),
    "minimum": (*BYTES, "d = s8[9,16] minimum(a, b)"),
    "abs": (BYTES[0], "d = s8[9,16] abs(a)"),
    "widened": (*BYTES, "x = s32[9,16] convert(a)", "y = s32[9,16] convert(b)", "m = s32[9,16] maximum(x, y)", "d = s8[9,16] convert(m)"),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_of_bytes_are_made_of_what_saturates(name):
    assert error_of(systolic(), hlo(*EXTREMES[name])) is None


DOT = ("a = s8[9,16] parameter(0)", "k = s8[16,7] parameter(1)", f"p = s32[9,7] dot(a, k), {PRODUCT}")
WORDS = {
    "limits of any words": ("a = s32[9,7] parameter(0)", "l = s32[] constant(-5)", "h = s32[] constant(100)", "d = s32[9,7] clamp(l, a, h)"),
    "one limit of widened bytes": (
        "a = s8[9,7] parameter(0)",
        "x = s32[9,7] convert(a)",
        "l = s32[] constant(0)",
        "h = s32[] constant(2147483647)",
        "d = s32[9,7] clamp(l, x, h)",
    ),
    "the negative of a product": (*DOT, "d = s32[9,7] negate(p)"),
    "a product taken from words": (*DOT, "c = s32[9,7] parameter(2)", "d = s32[9,7] subtract(c, p)"),
    "three times a product": (*DOT, "c = s32[] constant(3)", "b = s32[9,7] broadcast(c), dimensions={}", "d = s32[9,7] multiply(p, b)"),
}


@pytest.mark.parametrize("name", WORDS)
def test_arithmetic_of_words_is_made_of_sums_and_products_of_bytes(name):
    assert error_of(systolic(), hlo(*WORDS[name])) is None


def test_the_greatest_of_a_window_is_made_of_what_saturates():
    text = """HloModule pooled
f {
  p = s8[] parameter(0)
  q = s8[] parameter(1)
  ROOT m = s8[] maximum(p, q)
}
ENTRY main {
  a = s8[1,4,4,8] parameter(0)
  i = s8[] constant(-128)
  ROOT d = s8[1,2,2,8] reduce-window(a, i), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=f
}
"""
    assert error_of(systolic(), text) is None


def test_tiles_that_have_no_room_together_are_tried_shorter():
    generated = backend_of((ROOT / "isas" / "generated" / "vta.taidl").read_text())
    text = hlo("a = s32[800,16] parameter(0)", "b = s32[800,16] parameter(1)", "d = s32[800,16] add(a, b)")
    assert generated.rules.tiles.rows > 256
    assert len(compile_module(generated, parse_module(text)).program.commands) < 400


@pytest.mark.parametrize("dtype", ["s32", "s8"])
@pytest.mark.parametrize("dimensions", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
def test_sums_over_any_dimensions_have_programs(dimensions, dtype):
    assert error_of(systolic(), summed(*dimensions, dtype=dtype)) is None


PASSES = {
    "masks": (choices_as_pieces, [SELECTED, UPDATED, CUT]),
    "inward": (moves_before_conversions, []),
    "outward": (transposes_after_arithmetic, [TRANSPOSED_CONVOLUTION, BIASED]),
    "unsigned": (unsigned_as_signed, [UNSIGNED, UNSIGNED_PRODUCT]),
    "zero points": (products_without_zero_points, [ZERO_POINTS]),
}
MOVES = {
    "pad": ("s32[9,8]", "pad(w, c), padding=1_2x0_3"),
    "reshape": ("s32[30]", "reshape(w)"),
    "transpose": ("s32[5,6]", "transpose(w), dimensions={1,0}"),
    "slice": ("s32[3,2]", "slice(w), slice={[0:6:2], [1:3]}"),
    "reverse": ("s32[6,5]", "reverse(w), dimensions={1}"),
    "broadcast": ("s32[6,2,5]", "broadcast(w), dimensions={0,2}"),
    "concatenate": ("s32[12,5]", "concatenate(w, w), dimensions={0}"),
}


def same_after(change, module) -> bool:
    """Whether a pass changes the instructions, and not what they compute."""
    flat = flatten(module)
    changed = replace(flat, computations={flat.main.name: change(flat.main)})
    assert [each.opcode for each in changed.main] != [each.opcode for each in flat.main]
    return all(np.array_equal(evaluate(flat, list(values.values())), evaluate(changed, list(values.values()))) for _, values in inputs(module, 3))


@pytest.mark.parametrize("name", [name for name in PASSES if PASSES[name][1]])
def test_a_pass_changes_no_result(name):
    change, kernels = PASSES[name]
    for kernel in kernels:
        lines = [line for line in kernel if "iota" not in line and "compare" not in line]
        if kernel is SELECTED:
            rows = ", ".join("{" + ", ".join(str(int(row >= column)) for column in range(6)) + "}" for row in range(6))
            lines.insert(2, f"m = pred[6,6] constant({{{rows}}})")
        assert same_after(change, parse_module(hlo(*lines)))


@pytest.mark.parametrize("added", ["", "add", "subtract"])
@pytest.mark.parametrize("move", MOVES)
def test_every_move_goes_before_conversions_and_constants(move, added):
    shape, operation = MOVES[move]
    if move == "concatenate" and added:
        pytest.skip("what is added to parts of a concatenation is not the same for all")
    lines = ["a = s8[6,5] parameter(0)", "c = s32[] constant(0)", "w = s32[6,5] convert(a)"]
    if added:
        lines[2:] = ["v = s32[6,5] convert(a)", "e = s32[] constant(9)", "es = s32[6,5] broadcast(e), dimensions={}", f"w = s32[6,5] {added}(v, es)"]
    assert same_after(moves_before_conversions, parse_module(hlo(*lines, f"d = {shape} {operation}")))


def test_padding_that_the_narrow_type_does_not_hold_stays():
    lines = ("a = s8[6,5] parameter(0)", "c = s32[] constant(300)", "w = s32[6,5] convert(a)", "d = s32[9,8] pad(w, c), padding=1_2x0_3")
    flat = flatten(parse_module(hlo(*lines)))
    assert [each.opcode for each in moves_before_conversions(flat.main)] == [each.opcode for each in flat.main]


def test_what_is_added_to_bytes_that_wrap_is_no_zero_point():
    lines = (
        *MATRICES,
        "c = s8[] constant(3)",
        "cs = s8[18,24] broadcast(c), dimensions={}",
        "x = s8[18,24] subtract(a, cs)",
        f"d = s32[18,16] dot(x, b), {PRODUCT}",
    )
    assert error_of(systolic(), hlo(*lines)) is None


def test_unsigned_bytes_stay_where_products_take_them():
    assert multiplies_bytes(systolic().rules.selectors)
    assert not multiplies_bytes(reference("h_qkv").rules.selectors)


def test_sums_of_wide_inputs_are_sums_of_slices():
    flat = flatten(parse_module(summed(1)))
    assert "dot" not in [each.opcode for each in reductions_as_products(flat.main)]


def test_images_with_channels_first_are_turned_by_no_moves_of_single_columns():
    program = program_of(hlo(*BIASED))
    products = sum(1 for each in program.commands if each.instruction.startswith("compute"))
    assert len(program.commands) < 5 * products


@pytest.mark.parametrize("opcode", ["slice", "update-slice"])
def test_a_place_that_is_computed_is_refused_with_the_reason(opcode):
    lines = ["a = s8[32,16] parameter(0)", "i = s32[] parameter(1)", "j = s32[] parameter(2)"]
    if opcode == "slice":
        lines.append("d = s8[8,16] dynamic-slice(a, i, j), dynamic_slice_sizes={8,16}")
    else:
        lines += ["u = s8[8,16] parameter(3)", "d = s8[32,16] dynamic-update-slice(a, u, i, j)"]
    with pytest.raises(UserError, match="at a place that the kernel computes"):
        compile_module(systolic(), parse_module(hlo(*lines)))


def test_a_type_that_no_instruction_has_is_the_reason_and_not_a_size():
    lines = ("a = bf16[16,64] parameter(0)", "b = bf16[64,64] parameter(1)", f"d = bf16[16,64] dot(a, b), {PRODUCT}")
    with pytest.raises(UserError, match="of a type that no instruction has: the instructions are for s8, s32"):
        compile_module(systolic(), parse_module(hlo(*lines)))
