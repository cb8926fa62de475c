"""What is derived from the instructions of a TAIDL file, and that other ways to describe the same instructions lead to the same programs."""

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.generator.analyse import analyse
from act.generator.listing import listing
from act.generator.model import Start
from act.hlo import parse_module
from act.taidl import Int, parse, print_expr
from act.taidl.verify import load
from tests.act.backend.backends import SYSTOLIC, backend_of, systolic
from tests.kernels import generate

TEXT = SYSTOLIC.read_text()


def selector(name: str, text: str = TEXT):
    return next(each for each in analyse(parse(text)).selectors if each.name == name)


def changed(*changes: tuple[str, str]) -> str:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    load(text)
    return text


def check(text: str, seeds=range(6)) -> None:
    """Random kernels compile for the instruction set `text` and are right on its own machine."""
    backend = backend_of(text)
    for seed in seeds:
        module = parse_module(generate(seed))
        program = compile_module(backend, module).program
        assert disagreement(backend.accelerator, module, program, rounds=1) is None


def test_blocks_of_columns_vanish_where_one_block_is_enough():
    found = selector("mvin")
    assert found.result.access.starts == (Start("row", 1, Int(0)), Start(None, 0, Int(0)))
    assert found.result.access.axes == (0, 1)
    assert "cols <= 16" in [print_expr(condition) for condition in found.conditions]


def test_bytes_in_host_memory_are_elements():
    found = selector("mvin_acc")
    (operand,) = found.operands
    assert (operand.dtype, [print_expr(stride) for stride in operand.access.strides]) == ("s32", ["stride", "4"])


def test_an_operand_that_is_read_where_the_result_goes_is_tied():
    assert [operand.tied for operand in selector("matmul_accumulate").operands] == [False, False, True]


def test_tiles_are_what_all_instructions_can_take():
    tiles = analyse(parse(TEXT)).tiles
    assert (tiles.rows, tiles.columns, tiles.depth) == (16, 16, 16)


def test_every_other_instruction_is_listed_with_the_reason():
    rules = analyse(parse(TEXT))
    assert dict(rules.unused) == {
        "preload": "it is a part of composites only",
        "compute_preloaded": "its semantics are not known",
    }
    text = listing(parse(TEXT), rules)
    assert all(name in text for name in parse(TEXT).instructions)


S20 = [
    ("%a32 = s32[`m`, `k`] convert(%a)", "%a20 = s20[`m`, `k`] convert(%a)"),
    ("%b32 = s32[`k`, `n`] convert(%b)", "%b20 = s20[`k`, `n`] convert(%b)"),
    ("%p = s32[`m`, `n`] dot(%a32, %b32)", "%q = s20[`m`, `n`] dot(%a20, %b20)"),
    ("ROOT %c = s32[`m`, `n`] dot(%a32, %b32)", "%q = s20[`m`, `n`] dot(%a20, %b20)"),
    (
        "rhs_contracting_dims={0}\n    ROOT %c = s32[`m`, `n`] add(%old, %p)",
        "rhs_contracting_dims={0}\n    %p = s32[`m`, `n`] convert(%q)\n    ROOT %c = s32[`m`, `n`] add(%old, %p)",
    ),
    ("rhs_contracting_dims={0}\n  }", "rhs_contracting_dims={0}\n    ROOT %c = s32[`m`, `n`] convert(%q)\n  }"),
    ("%low = s32[] constant(-128)\n    %high = s32[] constant(127)\n    %s = s32[`m`, `n`] clamp(%low, %p, %high)", "LOW"),
    ("%low = s32[] constant(0)\n    %high = s32[] constant(127)\n    %s = s32[`m`, `n`] clamp(%low, %p, %high)", "RELU"),
    ("LOW", "%low = s20[] constant(-128)\n    %high = s20[] constant(127)\n    %s = s20[`m`, `n`] clamp(%low, %q, %high)"),
    ("RELU", "%low = s20[] constant(0)\n    %high = s20[] constant(127)\n    %s = s20[`m`, `n`] clamp(%low, %q, %high)"),
]
WRAPPING = [
    ("read    %a = spad[a + i][j", "read    %a = spad[(a + i) % 16384][j & 15"),
    ("write   acc[c + i][j : i < m", "write   acc[(c + i) & 1023][j : i < m"),
    ("read    %old = acc[c + i][j : i < m", "read    %old = acc[(c + i) & 1023][j : i < m"),
    ("dram[addr + i * stride + j : i < rows", "dram[(addr + i * stride + j) % (1 << 40) : i < rows"),
]
STRIDES = [
    ("use     a_addr_stride == 1", "use     a_addr_stride as a_stride"),
    ("use     c_addr_stride == 1", "use     c_addr_stride as c_stride"),
    ("read    %a = spad[a + i][j", "read    %a = spad[a + i * a_stride][j"),
    ("spad[c + i]", "spad[c + i * c_stride]"),
    ("acc[c + i]", "acc[c + i * c_stride]"),
]


@pytest.mark.parametrize("changes", [S20, WRAPPING, STRIDES], ids=["20-bit sums", "wrapping addresses", "register strides"])
def test_the_same_machine_described_in_another_way(changes):
    check(changed(*changes))


def test_sums_that_may_wrap_in_20_bits_are_not_widened():
    text = changed(*S20)
    text = text.replace("when    b_rows <= 16 and b_cols <= 16", "when    b_rows <= 64 and b_cols <= 64")
    for size in ("m", "k", "n"):
        text = text.replace(f"1 <= {size} and {size} <= 16", f"1 <= {size} and {size} <= 64")
    assert "s20" in repr(selector("matmul", text.replace("spad : s8[16384][16]", "spad : s8[16384][64]")).pattern)
    assert "s20" not in repr(selector("matmul", changed(*S20)).pattern)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("read    %b = spad[b + i][j", "read    %b = spad[b + i * i][j", "not linear"),
        ("read    %b = spad[b + i][j", "read    %b = spad[b + 2 * i][j", "next to each other"),
        ("read    %b = spad[b + i][j", "read    %b = spad[b + a + i][j", "several attributes"),
        ("read    %b = spad[b + i][j", "read    %b = spad[b + in_use + i][j", "staged register"),
    ],
)
def test_what_cannot_be_placed_is_not_selected(old, new, reason):
    rules = analyse(parse(TEXT.replace(old, new)))
    assert reason in dict(rules.unused)["matmul"]


def test_an_instruction_that_is_never_selected_is_never_used():
    text = TEXT.replace("  use     in_use as in_use\n  read    %a = spad[a + i][j", "  use     in_use == 0\n  read    %a = spad[a + i][j")
    assert {"matmul", "matmul_spad"} <= {name for name, _ in analyse(parse(text)).unused}


def test_the_reference_is_not_changed_by_these_tests():
    assert systolic().rules == analyse(parse(TEXT))


MODES = [
    (
        "instruction config_ex(activation, a_stride, c_stride)\n"
        "  encode  funct = 0; rs1[1:0] = 0; rs1[2:2] = 1; rs1[4:3] = activation; rs1[31:16] = a_stride; rs2[63:48] = c_stride\n"
        "  set     ex_activation = activation\n",
        "instruction config_ex(activation, a_stride, c_stride, only_strides)\n"
        "  encode  funct = 0; rs1[1:0] = 0; rs1[2:2] = 1; rs1[4:3] = activation; rs1[7:7] = only_strides; rs1[31:16] = a_stride; "
        "rs2[63:48] = c_stride\n"
        "  use     ex_activation as old\n"
        "  set     ex_activation = old if only_strides else activation % 4\n",
    ),
]


def test_an_instruction_with_modes_is_a_setter_in_each():
    rules = analyse(parse(changed(*MODES)))
    assert [(setter.fixed, len(setter.sets)) for setter in rules.setters if setter.name == "config_ex"] == [
        ((("only_strides", 0),), 3),
        ((("only_strides", 1),), 2),
    ]


def test_registers_are_set_in_the_mode_that_reaches_them():
    check(changed(*MODES))
