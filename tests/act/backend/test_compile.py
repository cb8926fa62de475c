"""Kernels -> programs whose outputs on the oracle are those of the reference evaluator, bit for bit."""

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from act.program import parse_program, print_program
from tests.act.backend.backends import ROOT, hlo, program_of, systolic
from tests.kernels import generate

EXAMPLES = sorted((ROOT / "examples" / "kernels").glob("*.hlo"))
MATMUL = "d = s32[{m},{n}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"


def check(text: str) -> list[str]:
    """The names of the instructions of the program, which is right."""
    module = parse_module(text)
    program = compile_module(systolic(), module).program
    assert disagreement(systolic().accelerator, module, program) is None
    return [command.instruction for command in program.commands]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_compile_and_are_right(path):
    check(path.read_text())


@pytest.mark.parametrize("seed", range(40))
def test_random_kernels_compile_and_are_right(seed):
    check(generate(seed))


@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (16, 16, 16), (17, 1, 16), (1, 40, 1), (33, 17, 49)])
def test_matrix_products_of_all_shapes(m, k, n):
    check(hlo(f"a = s8[{m},{k}] parameter(0)", f"b = s8[{k},{n}] parameter(1)", MATMUL.format(m=m, n=n)))


def test_accumulation_over_blocks_needs_no_other_memory_traffic():
    issued = check(hlo("a = s8[16,64] parameter(0)", "b = s8[64,16] parameter(1)", MATMUL.format(m=16, n=16)))
    assert issued.count("mvin") + issued.count("mvin2") == 8
    assert issued.count("preload") == 4
    assert issued.count("mvout_acc_full") == 1


def test_a_value_that_is_used_twice_is_computed_once():
    issued = check(
        hlo(
            "a = s8[16,16] parameter(0)",
            "b = s8[16,16] parameter(1)",
            MATMUL.format(m=16, n=16),
            "low = s32[] constant(-128)",
            "high = s32[] constant(127)",
            "limited = s32[16,16] clamp(low, d, high)",
            "narrow = s8[16,16] convert(limited)",
            "square = s32[16,16] dot(narrow, narrow), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        )
    )
    assert issued.count("preload") == 2


def test_a_value_that_is_needed_after_it_was_updated_in_place_is_kept():
    check(
        hlo(
            "a = s8[16,16] parameter(0)",
            "b = s8[16,16] parameter(1)",
            "c = s32[16,16] parameter(2)",
            MATMUL.format(m=16, n=16),
            "sum = s32[16,16] add(d, c)",
            "outputs = (s32[16,16], s32[16,16]) tuple(d, sum)",
        )
    )


def test_several_outputs_the_same_value_twice_and_an_input_passed_through():
    check(
        hlo(
            "a = s8[20,20] parameter(0)",
            "c = s8[20,20] parameter(1)",
            "wide = s32[20,20] convert(a)",
            "outputs = (s32[20,20], s8[20,20], s32[20,20]) tuple(wide, c, wide)",
        )
    )


def test_an_unused_input_has_its_place_in_the_memory_map():
    program = program_of(hlo("a = s8[4,4] parameter(0)", "b = s8[4,4] parameter(1)", "c = s32[4,4] convert(b)"))
    assert [region.name for region in program.of_kind("input")] == ["a", "b"]


def test_constants_are_placed_in_memory():
    check(hlo("a = s32[2,2] parameter(0)", "c = s32[2,2] constant({{1, -2}, {3, 4}})", "d = s32[2,2] add(a, c)"))


def test_a_bias_is_read_once_for_every_row():
    check(hlo("a = s32[20,5] parameter(0)", "b = s32[5] parameter(1)", "c = s32[20,5] broadcast(b), dimensions={1}", "d = s32[20,5] add(a, c)"))


@pytest.mark.parametrize(
    "lines",
    [
        ("a = s8[3,4] parameter(0)", "b = s8[4] parameter(1)", "d = s32[3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
        ("a = s8[4] parameter(0)", "b = s8[4,5] parameter(1)", "d = s32[5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
        ("a = s8[4] parameter(0)", "b = s8[4] parameter(1)", "d = s32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
        (
            "a = s8[3,4,5] parameter(0)",
            "b = s8[3,5,6] parameter(1)",
            "d = s32[3,4,6] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
        ),
        ("a = s8[2,3,20] parameter(0)", "b = s32[2,3,20] convert(a)"),
        ("a = s32[7] parameter(0)", "b = s32[7] parameter(1)", "c = s32[7] add(a, b)"),
        ("a = s32[] parameter(0)", "b = s32[] parameter(1)", "c = s32[] add(a, b)"),
        ("a = s8[6,4] parameter(0)", "b = s8[4,6] reshape(a)", "c = s32[4,6] convert(b)"),
        ("a = s8[20,20] parameter(0)", "b = s8[3,17] slice(a), slice={[2:5], [1:18]}", "c = s32[3,17] convert(b)"),
        ("a = s8[20,5] parameter(0)", "b = s8[5,5] slice(a), slice={[0:20:4], [0:5]}", "c = s32[5,5] convert(b)"),
        ("a = s8[9,5] parameter(0)", "b = s8[4,5] parameter(1)", "c = s8[13,5] concatenate(a, b), dimensions={0}", "d = s32[13,5] convert(c)"),
        ("a = s32[9,5] parameter(0)", "b = s32[9,5] parameter(1)", "c = s32[9,5] add(a, b)", "d = s32[45] reshape(c)"),
        ("a = s8[5,1] parameter(0)", "b = s8[1,5] transpose(a), dimensions={1,0}", "c = s32[1,5] convert(b)"),
        ("a = s32[40,3] parameter(0)", "b = s32[40,3] add(a, a)"),
        ("a = s32[33] parameter(0)", "b = s32[33] copy(a)"),
        ("a = s32[6,4] parameter(0)", "b = s32[24] reshape(a)"),
        ("a = s8[5,20] parameter(0)", "z = s8[] constant(3)", "b = s8[8,19] pad(a, z), padding=2_1x-3_2", "c = s32[8,19] convert(b)"),
        ("a = s8[4,4] parameter(0)", "z = s8[] constant(0)", "b = s8[7,4] pad(a, z), padding=0_0_1x0_0"),
        ("a = s8[20] parameter(0)", "b = s8[1,4,5] reshape(a)"),
        ("a = s32[40,1] parameter(0)", "b = s32[40,1] add(a, a)", "c = s32[1,40] transpose(b), dimensions={1,0}"),
    ],
    ids=lambda lines: lines[-1].split(" = ")[1],
)
def test_shapes_and_data_movement(lines):
    check(hlo(*lines))


def test_programs_are_the_same_every_time():
    text = generate(18)
    assert print_program(program_of(text)) == print_program(program_of(text))


def test_the_text_of_a_program_parses_back():
    program = program_of(generate(3))
    assert parse_program(print_program(program)) == program


def test_no_register_is_set_to_what_it_is():
    issued = compile_module(systolic(), parse_module(EXAMPLES[0].read_text())).operations
    state = {}
    for operation in issued:
        if operation.step is None:
            assert state.get(operation.name) != operation.attributes
            state[operation.name] = operation.attributes


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (("a = s32[4,4] parameter(0)", "b = s32[4,4] parameter(1)", "c = s32[4,4] multiply(a, b)"), "multiply"),
        (("a = s32[4,4] parameter(0)", "b = f32[4,4] convert(a)"), "convert"),
        (("a = f32[4,4] parameter(0)", "b = f32[4,4] add(a, a)"), "add"),
        (("a = s32[4,4] parameter(0)", "i = s32[4,4] iota(), iota_dimension=0", "c = s32[4,4] multiply(a, i)"), "multiply"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_expressed_is_refused_by_name(lines, named):
    with pytest.raises(UserError, match=named):
        program_of(hlo(*lines))


def test_a_kernel_of_too_many_tiles_is_refused():
    text = hlo("a = s8[4096,1024] parameter(0)", "b = s8[4096,1024] add(a, a)")
    with pytest.raises(UserError, match="budget"):
        compile_module(systolic(), parse_module(text), budget=100)


def test_constants_that_are_computed_are_folded():
    check(hlo("a = s32[4,4] parameter(0)", "i = s32[4,4] iota(), iota_dimension=0", "n = s32[4,4] negate(i)", "d = s32[4,4] add(a, n)"))


def test_an_output_may_be_a_constant():
    check(hlo("a = s32[3] constant({1, 2, 3})"))


@pytest.mark.parametrize(
    "lines",
    [
        ("x = s8[20,20] parameter(0)", "y = s32[20,20] parameter(1)", "w = s32[20,20] convert(x)", "d = s32[20,20] subtract(y, w)"),
        ("x = s8[20,20] parameter(0)", "w = s32[20,20] convert(x)", "n = s32[20,20] negate(w)"),
        (
            "x = s8[20,20] parameter(0)",
            "w = s32[20,20] convert(x)",
            "c = s32[] constant(7)",
            "cs = s32[20,20] broadcast(c), dimensions={}",
            "m = s32[20,20] multiply(w, cs)",
        ),
        ("x = s32[20,20] parameter(0)", "l = s32[] constant(-128)", "h = s32[] constant(127)", "c = s32[20,20] clamp(l, x, h)"),
        ("x = s8[20,20] parameter(0)", "w = s32[20,20] convert(x)", "n = s8[20,20] convert(w)"),
        (
            "a = s8[20,20] parameter(0)",
            "c = s8[] constant(3)",
            "b = s8[20,9] broadcast(c), dimensions={}",
            "d = s32[20,9] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        ),
    ],
    ids=["subtract", "negate", "multiply by a constant", "limits of wide values", "there and back", "a constant factor"],
)
def test_operators_that_are_products_or_saturations(lines):
    check(hlo(*lines))


@pytest.mark.parametrize(("dims", "axes", "kept"), [((20, 33), "1", "20"), ((20, 33), "0", "33"), ((20, 33), "0,1", ""), ((3, 4, 5), "1,2", "3")])
def test_sums_over_dimensions(dims, axes, kept):
    shape = ",".join(map(str, dims))
    text = hlo(
        f"x = s8[{shape}] parameter(0)",
        f"w = s32[{shape}] convert(x)",
        "zero = s32[] constant(0)",
        f"s = s32[{kept}] reduce(w, zero), dimensions={{{axes}}}, to_apply=sum",
    )
    reducer = "sum {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT z = s32[] add(x, y)\n}\n\n"
    check(text.replace("ENTRY", f"{reducer}ENTRY"))


@pytest.mark.parametrize(
    "lines",
    [
        ("a = s8[5,7] parameter(0)", "b = s8[7,6] parameter(1)", "d = s8[5,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
        ("a = s8[20,5] parameter(0)", "b = s8[20,5] parameter(1)", "c = s8[20,5] add(a, b)", "d = s8[20,5] add(c, a)"),
        ("a = s32[5,7] parameter(0)", "b = s8[5,7] convert(a)"),
        ("a = s8[5,7] parameter(0)", "l = s8[] constant(-20)", "h = s8[] constant(18)", "c = s8[5,7] clamp(l, a, h)"),
        ("a = s8[5,7] parameter(0)", "l = s8[] constant(30)", "ls = s8[5,7] broadcast(l), dimensions={}", "c = s8[5,7] minimum(a, ls)"),
    ],
    ids=["product", "sum", "truncation", "limits", "minimum"],
)
def test_arithmetic_that_wraps_on_hardware_that_saturates(lines):
    check(hlo(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ("a = s8[20,5] parameter(0)", "b = s8[5,20] transpose(a), dimensions={1,0}"),
        ("a = s8[5,7] parameter(0)", "b = s8[6,7] parameter(1)", "d = s32[5,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}"),
        ("a = s8[5,7] parameter(0)", "b = s8[5,7] reverse(a), dimensions={0,1}"),
        ("a = s8[5] parameter(0)", "b = s8[5,7] broadcast(a), dimensions={0}"),
        ("a = s8[5,14] parameter(0)", "b = s8[5,7] slice(a), slice={[0:5], [1:14:2]}"),
    ],
    ids=["transpose", "product with a transpose", "reverse", "columns repeated", "every second column"],
)
def test_strides_that_no_instruction_has(lines):
    check(hlo(*lines))
