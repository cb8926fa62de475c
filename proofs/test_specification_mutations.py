"""The proofs about the specification can fail: a change of its text is refuted, in bodies, slices, conditions, registers and encodings.

Each changes one place in the text of one instruction with 4 x 4 elements; what the text then says must not be proved, whichever claim fails.  The quick tier
takes every fifth.
"""

from __future__ import annotations

import pytest

from act.taidl.verify import load
from proofs.commands import code_of, selected
from proofs.designs import lift_of_gemmini, specification_text
from proofs.effects import Effect
from proofs.encodings import of_code, prove_arrays_exist, prove_distinct, prove_nothing_left_out, prove_selection
from proofs.replay import about, must_be_confirmed
from proofs.replay_command import by_text
from proofs.solve import NotProved, Refuted, Undecided
from proofs.specification import Command
from proofs.test_passes import EFFECTS

DIM = 4
# instruction, what is wrong -> old text, new text
MUTATIONS = {
    # bodies
    ("mvin_accumulator_shrinks", "unsigned-bytes"): ("%v0 = s8[", "%v0 = u8["),
    ("mvin_accumulator_shrinks_accumulate", "difference"): ("add(%x0, %v1)", "subtract(%x0, %v1)"),
    ("mvin_accumulator_shrinks_accumulate", "old-value-dropped"): ("add(%x0, %v1)", "add(%v1, %v1)"),
    ("mvin_scratchpad_all_zeros", "ones"): ("constant(0)", "constant(1)"),
    ("mvout_accumulator_relu", "limit-one-lower"): ("constant(127)", "constant(126)"),
    ("mvout_accumulator_relu", "no-relu"): ("constant(0)", "constant(-128)"),
    ("compute_preloaded_scratchpad", "limit-one-higher"): ("constant(-128)", "constant(-127)"),
    ("compute_preloaded_scratchpad", "bias-subtracted"): ("add(%v7, %v5)", "subtract(%v5, %v7)"),
    ("compute_preloaded_scratchpad", "bias-twice"): ("add(%v7, %v5)", "add(%v7, %v7)"),
    ("compute_preloaded_scratchpad", "transposed-weights"): ("rhs_contracting_dims={0}", "rhs_contracting_dims={1}"),
    ("compute_preloaded_scratchpad", "transposed-activations"): ("lhs_contracting_dims={1}", "lhs_contracting_dims={0}"),
    ("compute_preloaded_scratchpad", "unsigned-activations"): (
        "%v2 = s32[4, 4] convert(%v1)",
        "%v1u = u8[4, 4] bitcast-convert(%v1)\n    %v2 = s32[4, 4] convert(%v1u)",
    ),
    ("compute_preloaded_scratchpad", "weights-as-they-are"): ("%v4 = s32[4, 4] convert(%v3)", "%v4 = s32[4, 4] convert(%x1)"),
    ("compute_preloaded_scratchpad", "padded-in-front"): ("0_`4 - a_rows`x0", "`4 - a_rows`_0x0"),
    ("compute_accumulated_accumulator_accumulate", "old-value-dropped"): ("add(%x0, %v9)", "add(%v9, %v9)"),
    ("compute_accumulated_accumulator", "buffer-not-emptied"): ("%v0_1 = s32[] constant(0)", "%v0_1 = s32[] constant(1)"),
    ("compute_preloaded", "old-sum-dropped"): ("add(%v6, %v5)", "add(%v5, %v5)"),
    ("compute_preloaded", "sum-of-eight-bits"): ("%v6 = s20[4, 4] convert(%x2)", "%v6n = s8[4, 4] convert(%x2)\n    %v6 = s20[4, 4] convert(%v6n)"),
    ("compute_preloaded", "rows-of-a"): ("lhs_contracting_dims={0}", "lhs_contracting_dims={1}"),
    ("compute_preloaded", "sum-in-the-other-buffer"): ("write   c[1 - in_prop]", "write   c[in_prop]"),
    ("compute_preloaded", "sums-leave"): ("use     c_addr == 0xffffffff", "use     c_addr == 0"),
    ("compute_preloaded_scratchpad_output_stationary", "weight-stationary"): ("current_dataflow == 0", "current_dataflow == 1"),
    ("compute_preloaded_scratchpad_output_stationary", "rounded-down"): ("select(%v34, %v35, %v24)", "select(%v34, %v24, %v24)"),
    ("compute_preloaded_scratchpad_output_stationary", "ties-up"): ("and(%v22, %v32)", "or(%v22, %v22)"),
    ("compute_preloaded_accumulator_output_stationary", "not-shifted"): ("%v1 = s32[] constant(`in_shift`)", "%v1 = s32[] constant(0)"),
    ("compute_accumulated_accumulator_output_stationary_accumulate", "ones-are-left"): ("%v0_2 = s32[] constant(0)", "%v0_2 = s32[] constant(1)"),
    ("preload", "not-padded-with-zeros"): ("constant(0)", "constant(1)"),
    ("preload", "transposed"): ("ROOT %v2 = s32[4, 4] convert(%v1)", "%t = s8[4, 4] transpose(%v1), dimensions={1,0}\n    ROOT %v2 = s32[4, 4] convert(%t)"),
    ("preload_bd_transpose", "not-transposed"): ("dimensions={1,0}", "dimensions={0,1}"),
    ("preload_bd_transpose", "output-stationary"): ("current_dataflow == 1", "current_dataflow == 0"),
    # slices
    ("mvin_scratchpad", "next-row"): (
        "write   scratchpad[block_strides * (j / 4) + i + local_row]",
        "write   scratchpad[block_strides * (j / 4) + i + local_row + 1]",
    ),
    ("mvin_scratchpad", "block-stride-dropped"): ("block_strides * (j / 4) + i", "j / 4 + i"),
    ("mvin_scratchpad", "stride-dropped"): ("i * strides + j", "i + j"),
    ("mvin_accumulator", "element-size"): ("4 * j + vaddr", "2 * j + vaddr"),
    ("mvin_accumulator", "big-endian"): ("mem[b + i", "mem[3 - b + i"),
    ("mvout_scratchpad", "lane-reversed"): ("][j % 4 :", "][3 - j % 4 :"),
    ("mvout_accumulator", "rows-of-another-block"): ("4 * (j / 4)", "8 * (j / 4)"),
    ("compute_preloaded_scratchpad", "row-stride-dropped"): ("a_addr_stride * i]", "i]"),
    ("compute_preloaded_scratchpad", "result-stride-dropped"): ("c_addr_stride * i]", "i]"),
    ("compute_preloaded_scratchpad", "the-other-weights"): ("%x1 = c[1 - in_prop]", "%x1 = c[in_prop]"),
    ("compute_preloaded_scratchpad", "the-other-buffer-emptied"): ("write   c[in_prop]", "write   c[1 - in_prop]"),
    ("compute_preloaded_scratchpad", "addend-one-row-down"): ("scratchpad[bd_addr + i]", "scratchpad[bd_addr + i + 1]"),
    ("compute_preloaded_scratchpad", "weights-in-no-buffer"): ("%x1 = c[1 - in_prop]", "%x1 = c[1 + in_prop]"),
    ("compute_preloaded_scratchpad", "weights-before-the-buffers"): ("%x1 = c[1 - in_prop]", "%x1 = c[in_prop - 1]"),
    ("preload", "into-no-buffer"): ("write   c[1 - in_prop]", "write   c[1 + in_prop]"),
    ("preload", "into-the-buffer-in-use"): ("write   c[1 - in_prop]", "write   c[in_prop]"),
    # registers
    ("preload", "rows-and-columns-swapped"): ("set     c_cols = c_cols", "set     c_cols = c_rows"),
    ("compute_preloaded_scratchpad", "buffers-not-swapped"): ("set     in_prop = 1 - in_prop", "set     in_prop = in_prop"),
    ("config_ex", "other-dataflow"): ("set     current_dataflow = current_dataflow", "set     current_dataflow = 1 - current_dataflow"),
    ("config_ex", "strides-swapped"): ("set     a_addr_stride = a_addr_stride", "set     a_addr_stride = c_addr_stride"),
    ("config_ex_set_only_strides", "activation-cleared"): (
        "set     a_addr_stride = a_addr_stride",
        "set     a_addr_stride = a_addr_stride\n  set     activation = 0",
    ),
    ("config_ld", "next-bank"): ("set     strides[bank]", "set     strides[(bank + 1) % 3]"),
    ("config_st", "stride-plus-one"): ("set     stride = stride", "set     stride = stride + 1"),
    # conditions
    ("mvin_scratchpad", "one-row-too-many"): ("rows <= 4", "rows <= 5"),
    ("mvin_scratchpad", "one-row-too-few"): ("rows <= 4", "rows <= 3"),
    ("mvin_scratchpad", "one-block-too-few"): ("cols <= 16", "cols <= 12"),
    ("mvin_scratchpad", "no-row"): ("1 <= rows", "0 <= rows"),
    ("mvin_scratchpad", "zero-address"): ("vaddr != 0", "vaddr != 1"),
    ("mvin_accumulator", "shrinks"): ("shrinks[0] == 0", "shrinks[0] == 1"),
    ("mvin_accumulator", "shrinks-of-another-bank"): ("shrinks[0] == 0", "shrinks[1] == 0"),
    ("compute_preloaded_accumulator", "adds"): ("% 2 == 0", "% 2 == 1"),
    ("compute_preloaded_accumulator_accumulate", "garbage"): ("c_addr != 0xffffffff", "c_addr != 0"),
    ("compute_preloaded_scratchpad", "relu"): ("activation != 1", "activation != 2"),
    # encodings
    ("mvin_scratchpad", "opcode-of-mvin2"): ("funct = 2", "funct = 1"),
    ("mvin_scratchpad", "no-opcode"): ("funct = 2", "funct = 9"),
    ("mvin_scratchpad", "address-one-bit-up"): ("rs1[39:0] = vaddr", "rs1[40:1] = vaddr"),
    ("mvin_scratchpad", "address-one-bit-too-short"): ("rs1[39:0] = vaddr", "rs1[38:0] = vaddr"),
    ("mvout_scratchpad", "row-one-bit-too-short"): ("rs2[13:0] = local_row", "rs2[12:0] = local_row"),
    ("config_ld", "stride-one-bit-too-short"): ("rs2[39:0] = strides", "rs2[38:0] = strides"),
    ("config_st", "stride-one-bit-too-short"): ("rs2[31:0] = stride", "rs2[30:0] = stride"),
    ("config_ex", "stride-one-bit-too-short"): ("rs2[63:48] = c_addr_stride", "rs2[62:48] = c_addr_stride"),
    ("mvin_scratchpad", "accumulator-bit"): ("rs2[31:31] = 0", "rs2[31:31] = 1"),
    ("mvin_scratchpad", "rows-and-columns-swapped"): ("rs2[47:32] = cols; rs2[63:48] = rows", "rs2[47:32] = rows; rs2[63:48] = cols"),
    ("mvin_accumulator", "accumulates"): ("rs2[30:30] = 0", "rs2[30:30] = 1"),
    ("config_ld", "bank-field"): ("rs1[4:3] = bank", "rs1[5:4] = bank"),
    ("config_ex", "only-strides"): ("rs1[7:7] = 0", "rs1[7:7] = 1"),
    ("preload", "word-swapped"): ("rs1[13:0] = bd_addr", "rs1[27:14] = bd_addr"),
    ("compute_accumulated_scratchpad", "rows-field"): ("rs1[47:32] = a_cols; rs1[63:48] = a_rows", "rs1[47:32] = a_rows; rs1[63:48] = a_cols"),
}  # fmt: skip


def changed(name: str, *places: tuple[str, str]) -> Command:
    """The instruction of a text in which one place differs, or several that say one thing; (what is there, what is put there)."""
    text = specification_text(DIM)
    start = text.index(f"\ninstruction {name}(")
    end = text.index("\n\n", start + 1)
    block = text[start:end]
    for old, new in places:
        assert old in block, f"{old!r} does not occur in {name}"
        block = block.replace(old, new, 1)
    accelerator = load(text[:start] + block + text[end:], "changed")
    return Command(accelerator, accelerator.instructions[name])


def prove_everything(stated: Command) -> None:
    """Every claim about one instruction, and about all that its text has for the same opcode."""
    code = code_of(DIM, stated)
    prove_selection(DIM, stated)
    prove_arrays_exist(stated)
    for mode in selected(DIM, stated):
        for target in EFFECTS[code]:
            Effect(stated, mode, target, DIM).prove()
    together = of_code(DIM, stated.accelerator, code)
    prove_distinct(together)
    prove_nothing_left_out(DIM, code, together)


CASES = [pytest.param(*case, id=f"gemmini-{'-'.join(case)}", marks=[] if n % 5 == 0 else pytest.mark.slow) for n, case in enumerate(MUTATIONS)]


@pytest.mark.parametrize(("name", "what"), CASES)
def test_a_change_of_the_text_is_refuted(name: str, what: str) -> None:
    with pytest.raises(NotProved) as caught:
        prove_everything(changed(name, MUTATIONS[name, what]))
    assert not isinstance(caught.value, Undecided)
    print(caught.value)


def test_the_text_as_it_is_is_not_refuted() -> None:
    prove_everything(changed("mvin_scratchpad"))


def test_a_counterexample_speaks_of_attributes_and_of_the_rtl() -> None:
    with pytest.raises(Refuted, match=r"rows = 0x[^$]*where before is 0x"):
        prove_everything(changed("mvin_scratchpad", ("i * strides + j", "i + j")))


REPLAYED = [
    ("mvin_scratchpad", "stride-dropped"), ("mvin_scratchpad", "opcode-of-mvin2"), ("mvout_scratchpad", "lane-reversed"), ("preload", "transposed"),
    ("config_ld", "next-bank"), ("config_st", "stride-plus-one"), ("compute_preloaded_scratchpad", "buffers-not-swapped"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "what"), REPLAYED, ids=[f"gemmini-{'-'.join(case)}" for case in REPLAYED])
def test_the_rtl_does_what_the_counterexample_says(name: str, what: str) -> None:
    """And not what the changed text says."""
    wrong = changed(name, MUTATIONS[name, what])
    with pytest.raises(Refuted) as caught, about(by_text(lift_of_gemmini(DIM), wrong)):
        prove_everything(wrong)
    must_be_confirmed(caught.value)
