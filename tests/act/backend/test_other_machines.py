"""Machines of other kinds than the systolic one: nothing in the compiler knows which it is."""

from pathlib import Path

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from act.taidl.verify import load
from tests.act.backend.backends import backend_of, hlo

MACHINES = Path(__file__).parent / "machines"
REDUCER = "sum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT z = f32[] add(x, y)\n}\n\n"
ATTENTION = hlo(
    "q = f32[64,64] parameter(0)",
    "k = f32[64,64] parameter(1)",
    "v = f32[64,64] parameter(2)",
    "kt = f32[64,64] transpose(k), dimensions={1,0}",
    "scores = f32[64,64] dot(q, kt), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "e = f32[64,64] exponential(scores)",
    "zero = f32[] constant(0)",
    "s = f32[64] reduce(e, zero), dimensions={1}, to_apply=sum",
    "b = f32[64,64] broadcast(s), dimensions={0}",
    "p = f32[64,64] divide(e, b)",
    "o = f32[64,64] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
).replace("ENTRY", f"{REDUCER}ENTRY")


def compiled(machine: str, text: str) -> list[str]:
    """The instructions of a program that is right."""
    return compiled_from((MACHINES / f"{machine}.taidl").read_text(), text)


def compiled_from(source: str, text: str) -> list[str]:
    load(source)
    backend, module = backend_of(source), parse_module(text)
    program = compile_module(backend, module).program
    assert disagreement(backend.accelerator, module, program) is None
    return [command.instruction for command in program.commands]


def test_attention_is_the_program_of_the_paper():
    """Figure 13 (b): transposing load for K, scores and their softmax in the second memory, moved back for the second product."""
    expected = "load_rm load_cm gemm softmax mov load_rm gemm mov store_rm"
    assert compiled("attention", ATTENTION) == expected.split()


def test_a_transpose_that_no_instruction_does_is_refused():
    text = hlo("q = f32[64,64] parameter(0)", "e = f32[64,64] exponential(q)")
    with pytest.raises(UserError, match=r"exponential\(f32\[64,64\]\)"):
        compiled("attention", text)


def test_float_sums_are_not_split():
    text = hlo(
        "a = f32[64,128] parameter(0)",
        "b = f32[128,64] parameter(1)",
        "d = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    )
    with pytest.raises(UserError, match="float sums are not reordered"):
        compiled("attention", text)


def test_products_that_only_accumulate_start_from_zero():
    product = "d = s32[{m},{n}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
    issued = compiled("tiles", hlo("a = s8[32,128] parameter(0)", "b = s8[128,48] parameter(1)", product.format(m=32, n=48)))
    assert (issued.count("zero"), issued.count("multiply"), issued.count("store")) == (6, 12, 6)


def test_sizes_that_an_instruction_does_not_have_are_refused():
    with pytest.raises(UserError, match=r"s32\[4,16\]"):
        compiled(
            "tiles",
            hlo("a = s8[20,64] parameter(0)", "b = s8[64,16] parameter(1)", "d = s32[20,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
        )


@pytest.mark.parametrize(("dims", "count"), [((7,), 1), ((40,), 2), ((3, 5), 3), ((2, 40), 4), ((), 1)])
def test_elementwise_instructions_on_vectors(dims, count):
    shape = f"s32[{','.join(map(str, dims))}]"
    lines = [f"{name} = {shape} parameter({number})" for number, name in enumerate("abc")]
    zeros = "zeros = s32[] constant(0)" if not dims else f"zeros = {shape} broadcast(zero), dimensions={{}}"
    lines += ["zero = s32[] constant(0)", zeros, f"p = {shape} multiply(a, b)", f"s = {shape} add(p, c)", f"r = {shape} maximum(s, zeros)"]
    issued = compiled("vectors", hlo(*lines))
    assert [issued.count(name) for name in ("multiply", "add", "relu", "store")] == [count] * 4
    assert issued.count("load") == 3 * count


HALF_INPUTS = ("a = bf16[16,8] parameter(0)", "b = bf16[8,24] parameter(1)")
DIMS = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
WIDENED = ("aw = f32[16,8] convert(a)", "bw = f32[8,24] convert(b)", f"d = f32[16,24] dot(aw, bw), {DIMS}")


@pytest.mark.parametrize(
    "lines",
    [WIDENED, (f"d = f32[16,24] dot(a, b), {DIMS}",), (f"d = bf16[16,24] dot(a, b), {DIMS}",)],
    ids=["widened", "preferred type", "halves"],
)
def test_products_of_halves_are_summed_in_single_precision_from_zero(lines):
    issued = compiled("halves", hlo(*HALF_INPUTS, *lines))
    assert (issued.count("zero"), issued.count("mma")) == (6, 6)


@pytest.mark.parametrize("order", ["d, cb", "cb, d"])
def test_sums_of_floats_are_the_same_in_either_order(order):
    bias = ("c = f32[24] parameter(2)", "cb = f32[16,24] broadcast(c), dimensions={1}", f"s = f32[16,24] add({order})")
    limit = ("z = f32[] constant(0)", "zb = f32[16,24] broadcast(z), dimensions={}", "r = f32[16,24] maximum(zb, s)")
    issued = compiled("halves", hlo(*HALF_INPUTS, *WIDENED, *bias, *limit))
    assert (issued.count("mma"), issued.count("zero"), issued.count("relu")) == (6, 0, 6)


def test_an_address_of_a_page_and_a_place_in_it_is_one_address():
    lines = ("a = s32[24,8] parameter(0)", "b = s32[8,8] parameter(1)", "c = s32[24,8] parameter(2)", f"d = s32[24,8] dot(a, b), {DIMS}")
    issued = compiled("pages", hlo(*lines, "s = s32[24,8] add(d, c)"))
    assert {*issued} == {"load", "matmul", "add", "store"}


BATCHES = "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"
BANKED = {
    "product": (("a = s8[12,16] parameter(0)", "b = s8[16,16] parameter(1)", f"d = s32[12,16] dot(a, b), {DIMS}"), {"product": 1}),
    "tiles": (("a = s8[48,32] parameter(0)", "b = s8[32,16] parameter(1)", f"d = s32[48,16] dot(a, b), {DIMS}"), {"product": 6, "add": 3}),
    "batches": (("a = s8[3,12,16] parameter(0)", "b = s8[3,16,16] parameter(1)", f"d = s32[3,12,16] dot(a, b), {BATCHES}"), {"product": 3}),
    "bias": (
        (
            "a = s8[12,16] parameter(0)",
            "b = s8[16,16] parameter(1)",
            "c = s32[16] parameter(2)",
            f"d = s32[12,16] dot(a, b), {DIMS}",
            "cb = s32[12,16] broadcast(c), dimensions={1}",
            "e = s32[12,16] add(d, cb)",
        ),
        {"products": 1, "load_bias": 1},
    ),
    "convolution": (
        (
            "x = s8[1,4,4,16] parameter(0)",
            "w = s8[3,3,16,16] parameter(1)",
            "c = s32[1,2,2,16] convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f",
        ),
        {"product": 18, "add": 16},
    ),
}


@pytest.mark.parametrize("name", BANKED)
def test_memories_of_banks_rows_and_lanes_are_used_bank_by_bank(name):
    lines, counts = BANKED[name]
    issued = compiled("banks", hlo(*lines))
    assert {each: issued.count(each) for each in counts} == counts


FIELDS = [
    ("rows : 8", "rows : 3", "tiles", {"product": 14, "add": 7}),  # seven rows at most are loaded, multiplied and stored at once
    ("a : 16, b : 16", "a : 4, b : 4", "product", {"product": 1}),  # weights in another bank than rows: none begins beyond row 15
    ("stride : 32", "stride : 7", "tiles", {"product": 6}),
]


@pytest.mark.parametrize(("field", "narrow", "name", "counts"), FIELDS)
def test_an_attribute_is_no_larger_than_its_field(field, narrow, name, counts):
    source = (MACHINES / "banks.taidl").read_text()
    assert field in source
    assert {each: compiled_from(source.replace(field, narrow), hlo(*BANKED[name][0])).count(each) for each in counts} == counts


def test_a_stride_that_no_field_holds_is_refused_with_the_store():
    source = (MACHINES / "banks.taidl").read_text().replace("stride : 32", "stride : 5")
    with pytest.raises(UserError, match="no instruction computes into mem"):
        compiled_from(source, hlo(*BANKED["tiles"][0]))
