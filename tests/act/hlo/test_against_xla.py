"""The evaluator and XLA compute the same bits."""

import numpy as np
import pytest

from act.hlo import Shape, parse_module
from act.hlo.arrays import convert
from act.hlo.evaluate import evaluate
from act.hlo.opcodes import FUNCTIONS
from act.hlo.samples import samples
from tests.act.hlo import xla
from tests.act.hlo.distances import check
from tests.act.hlo.random_graphs import NOT_IN_XLA

INTEGERS = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGER_OPERATORS = "add subtract multiply divide remainder maximum minimum and or xor shift-left shift-right-arithmetic shift-right-logical".split()
FLOAT_OPERATORS = "add subtract multiply divide remainder maximum minimum".split()
DIRECTIONS = "EQ NE LT LE GT GE".split()


def entry(parameters: list[str], values: list[str], region: str = "") -> str:
    """A module that returns all `values`, each `shape operator(...)`, of the parameters a, b, c."""
    declared = [f"  {name} = {shape} parameter({number})" for number, (name, shape) in enumerate(zip("abc", parameters, strict=False))]
    lines = [f"  v{number} = {value}" for number, value in enumerate(values)]
    shapes = ", ".join(value.split(" ")[0] for value in values)
    names = ", ".join(f"v{number}" for number in range(len(values)))
    return "\n".join(["HloModule m", region, "ENTRY main {", *declared, *lines, f"  ROOT t = ({shapes}) tuple({names})", "}"])


def agree(text: str, trials: list[list[np.ndarray]]) -> None:
    module = parse_module(text)
    reference = xla.reference(module)
    for arguments in trials:
        compare(evaluate(module, arguments), reference(arguments), text)


def compare(found: tuple[np.ndarray, ...], expected: list[np.ndarray], text: str) -> None:
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(mine, theirs, err_msg=f"output {number} of\n{text}")
        assert mine.dtype == theirs.dtype


def inputs(shapes: list[str], count: int = 1) -> list[list[np.ndarray]]:
    parsed = [parse_module(f"ENTRY m {{ a = {shape} parameter(0) }}").main.result.shape for shape in shapes]
    stream = samples(parsed, np.random.default_rng(1))
    return [next(stream) for _ in range(count)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_arithmetic(dtype):
    shape = f"{dtype}[65536]"
    values = [f"{shape} {operator}(a, b)" for operator in INTEGER_OPERATORS]
    values += [f"{shape} {operator}(a)" for operator in ("popcnt", "count-leading-zeros", "not")]
    values += [f"{shape} {operator}(a)" for operator in ("negate", "sign", "abs")] if dtype[0] == "s" else []
    values += [f"pred[65536] compare(a, b), direction={direction}" for direction in DIRECTIONS]
    values += [f"{shape} clamp(a, b, a)", f"{shape} clamp(b, a, b)"]
    values += [f"{target}[65536] convert(a)" for target in (*INTEGERS, "f32", "pred")]
    agree(entry([shape, shape], values), [every_pair(dtype)] if dtype in ("s8", "u8") else inputs([shape, shape], 3))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers_up_to_63(dtype):
    shape = f"{dtype}[65536]"
    (base, exponent), *_ = inputs([shape, shape], 1)
    exponent = exponent % 64 if dtype[0] == "u" else np.where(exponent > 63, exponent % 64, exponent)
    agree(entry([shape, shape], [f"{shape} power(a, b)"]), [[base, exponent.astype(base.dtype)], [base % 5 - base.dtype.type(dtype[0] == "s"), exponent]])


def every_pair(dtype: str) -> list[np.ndarray]:
    values = np.arange(256, dtype=np.uint8).view(np.int8 if dtype == "s8" else np.uint8)
    return [np.repeat(values, 256), np.tile(values, 256)]


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_arithmetic(dtype):
    shape = f"{dtype}[4096]"
    values = [f"{shape} {operator}(a, b)" for operator in FLOAT_OPERATORS]
    values += [f"{shape} {operator}(a)" for operator in "negate abs sign floor ceil round-nearest-even round-nearest-afz sqrt".split()]
    values += [f"pred[4096] compare(a, b), direction={direction}" for direction in DIRECTIONS] + ["pred[4096] is-finite(a)"]
    values += [f"pred[4096] compare(a, b), direction={direction}, type=TOTALORDER" for direction in DIRECTIONS]
    agree(entry([shape, shape], values), [with_specials(each) for each in inputs([shape, shape], 4)])


def with_specials(arguments: list[np.ndarray]) -> list[np.ndarray]:
    """Every pair of these values comes first."""
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -1.5, 3.0, 0.49999997, -7.25], np.float32)
    first, second = np.repeat(values, len(values)), np.tile(values, len(values))
    return [np.concatenate([head.astype(each.dtype), each[len(head) :]]) for head, each in zip((first, second), arguments, strict=True)]


@pytest.mark.parametrize("dtype", FLOATS)
def test_other_functions_are_within_the_stated_distance(dtype):
    for opcode in (*sorted(FUNCTIONS - NOT_IN_XLA), "power", "atan2"):
        text = f"{dtype}[4096] {opcode}({'a, b' if opcode in ('power', 'atan2') else 'a'})"
        module = parse_module(entry([f"{dtype}[4096]"] * 2, [text]))
        reference = xla.reference(module)
        for arguments in inputs([f"{dtype}[4096]"] * 2, 2):
            check(module.main["v0"], arguments, evaluate(module, arguments)[0], reference(arguments)[0])


@pytest.mark.parametrize("dtype", FLOATS)
def test_reduced_precision(dtype):
    formats = [(5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (2, 1), (11, 52), (3, 0)]
    shape = f"{dtype}[4096]"
    values = [f"{shape} reduce-precision(a), exponent_bits={exponent}, mantissa_bits={fraction}" for exponent, fraction in formats]
    span = 4 if dtype == "f16" else 9
    scales = 10.0 ** np.linspace(-span, span, 4096)
    scaled = [[each * scales.astype(each.dtype) for each in sample] for sample in inputs([shape, shape], 2)]
    if dtype == "bf16":
        scaled = [[convert(each, "f32", "bf16") for each in sample] for sample in scaled]
    agree(entry([shape, shape], values), [with_specials(each) for each in (*inputs([shape, shape], 2), *scaled)])


@pytest.mark.parametrize("source", [*INTEGERS, *FLOATS, "s4", "u4", "pred"])
def test_conversions(source):
    targets = [*INTEGERS, *FLOATS, "s4", "u4", "pred"]
    arguments = inputs([f"{source}[999]"], 3)
    agree(entry([f"{source}[999]"], [f"{target}[999] convert(a)" for target in targets]), arguments)


def test_float_to_integer_truncates_and_saturates():
    special = [np.nan, np.inf, -np.inf, 127.9, 128.0, -128.9, -129.0, 255.5, 256.0, -0.5, 2.0**31, -(2.0**31), 2.0**63, 1e30, -1e30]
    values = [f"{dtype}[15] convert(a)" for dtype in INTEGERS]
    agree(entry(["f32[15]"], values), [[np.array(special, np.float32)]])


def test_predicates():
    values = [f"pred[64] {operator}(a, b)" for operator in ("and", "or", "xor", "maximum", "minimum")]
    values += ["pred[64] not(a)", "s8[64] select(a, c, c)", "s32[64] convert(a)", "f32[64] convert(b)"]
    agree(entry(["pred[64]", "pred[64]", "s8[64]"], values), inputs(["pred[64]", "pred[64]", "s8[64]"], 2))


def test_moving_elements():
    values = [
        "s8[3,5,4,2] broadcast(a), dimensions={1,2}",
        "s8[4,5] transpose(a), dimensions={1,0}",
        "s8[2,10] reshape(a)",
        "s8[3,2] slice(a), slice={[1:4], [0:4:3]}",
        "s8[11,3] pad(a, b), padding=1_1_1x-1_0",
        "s8[3,11] pad(a, b), padding=-1_-1x2_-1_2",
        "s8[2,10] pad(a, b), padding=-4_-3_1x3_3",
        "s8[5,8] concatenate(a, a), dimensions={1}",
        "s8[5,4] reverse(a), dimensions={0,1}",
        "s8[5,4] reverse(a), dimensions={1}",
        "s8[3,4] iota(), iota_dimension=1",
        "u8[5,4] bitcast-convert(a)",
        "s32[5] bitcast-convert(a)",
        "s16[2] constant({-5, 7})",
    ]
    agree(entry(["s8[5,4]", "s8[]"], values), inputs(["s8[5,4]", "s8[]"], 2))


def test_bits_of_wider_elements_come_least_significant_first():
    shapes = ["s32[3,2]", "f32[4]", "u8[4,8]"]
    values = ["u8[3,2,4] bitcast-convert(a)", "u16[4,2] bitcast-convert(b)", "s64[4] bitcast-convert(c)"]
    agree(entry(shapes, values), inputs(shapes, 2))


@pytest.mark.parametrize("dtype", ["s8", "s32", "u16", "f16", "bf16", "f32", "f64"])
def test_products_of_any_dimension_numbers(dtype):
    shapes = [f"{dtype}[2,3,4]", f"{dtype}[4,2,5]"]
    values = [
        f"{dtype}[2,3,2,5] dot(a, b), lhs_contracting_dims={{2}}, rhs_contracting_dims={{0}}",
        f"{dtype}[2,3,5] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{1}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{0}}",
        f"{dtype}[3,5] dot(a, b), lhs_contracting_dims={{0,2}}, rhs_contracting_dims={{1,0}}",
        f"{dtype}[4,2,3,2,5] dot(a, b), lhs_batch_dims={{2}}, rhs_batch_dims={{0}}",
        f"{dtype}[2,3,4,4,2,5] dot(a, b)",
    ]
    agree(entry(shapes, values), whole_numbers(dtype, inputs(shapes, 3)))


def whole_numbers(dtype: str, arguments: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
    """Floats whose sums are exact in any order."""
    return [[np.rint(each * 4) for each in sample] for sample in arguments] if dtype in FLOATS else arguments


def test_a_product_of_narrow_operands_can_be_wide():
    agree(entry(["s8[3,40]", "s8[40,5]"], ["s32[3,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"]), inputs(["s8[3,40]", "s8[40,5]"], 3))


@pytest.mark.parametrize("dtype", ["s8", "s32", "u8", "f16", "bf16", "f32", "f64"])
def test_reductions(dtype):
    kinds = ["add", "maximum", "minimum"] + (["and", "or", "xor", "multiply"] if dtype not in FLOATS else [])
    for kind in kinds:
        text = f"r {{ x = {dtype}[] parameter(0) y = {dtype}[] parameter(1) ROOT z = {dtype}[] {kind}(x, y) }}"
        lines = [f"{dtype}[{dims}] reduce(a, b), dimensions={{{axes}}}, to_apply=r" for dims, axes in (("3,4", "1"), ("5", "0,2"), ("", "0,1,2"))]
        agree(entry([f"{dtype}[3,5,4]", f"{dtype}[]"], lines, text), whole_numbers(dtype, inputs([f"{dtype}[3,5,4]", f"{dtype}[]"], 2)))


def test_shapes_without_elements():
    values = [
        "s8[3,0] transpose(a), dimensions={1,0}",
        "s8[2,3] pad(a, b), padding=1_1x0_0",
        "s32[3,3] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
    ]
    agree(entry(["s8[0,3]", "s8[]"], values), [[np.zeros((0, 3), np.int8), np.int8(5)]])


def test_what_jax_prints_is_read():
    import jax.numpy as jnp

    def kernel(a, b, bias):
        return jnp.clip(jnp.dot(a, b, preferred_element_type=jnp.int32) + bias, -128, 127).astype(jnp.int8).T

    arguments = inputs(["s8[5,7]", "s8[7,3]", "s32[3]"])[0]
    text = xla.jax.jit(kernel).lower(*arguments).as_text(dialect="hlo")
    np.testing.assert_array_equal(evaluate(parse_module(text), arguments), kernel(*arguments))
    assert parse_module(text).main.parameters[0].shape == Shape("s8", (5, 7))
