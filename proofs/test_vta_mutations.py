"""The proofs about the text of rtl/vta can fail: a change of one place in it is refuted, in tokens, loops, steps, slices, bodies and encodings."""

from __future__ import annotations

import pytest

from act.taidl.verify import load
from proofs.encodings import prove_distinct, prove_modes
from proofs.solve import NotProved, Undecided
from proofs.specification import Command
from proofs.test_vta_lifted import EFFECTS
from proofs.vta import specification_text
from proofs.vta_effects import Effect, code_of, selected, tokens_are_there

# The whole design is lifted for these, and its text assembled.
pytestmark = pytest.mark.slow

STEP = "gemm_step_inp"
# instruction that is proved, what is wrong -> block of the text, old text, new text
MUTATIONS = {
    # tokens
    ("store_pop_prev", "takes-none"): ("store_pop_prev", "  pop     compute_to_store\n", ""),
    ("store_pop_prev", "gives-without-being-asked"): ("store_pop_prev", "if push_prev == 1", "if push_prev <= 1"),
    ("finish", "gives-to-the-other"): ("finish", "compute_to_load if push_prev", "compute_to_load if push_next"),
    ("finish", "takes-twice"): ("finish", "  pop     store_to_compute", "  pop     load_to_compute\n  pop     store_to_compute"),
    # registers
    ("finish", "not-finished"): ("finish", "set     finish = 1", "set     finish = 0"),
    # loops over rows and elements
    ("store_out", "next-row"): ("store_out", "+ sram_offset]", "+ sram_offset + 1]"),
    ("store_out", "stride-dropped"): ("store_out", "4 * i * xstride", "4 * i"),
    ("store_out", "lanes-reversed"): ("store_out", "][l : ", "][3 - l : "),
    ("store_out", "rows-and-elements-swapped"): ("store_out", "4 * i * xstride + 4 * j", "4 * j * xstride + 4 * i"),
    ("load_id_inp_inp", "padded-with-ones"): ("load_id_inp_inp", "constant(0)", "constant(1)"),
    ("load_id_inp_inp", "padded-behind"): ("load_id_inp_inp", "padding=`ypad_112`_`ypad`", "padding=`ypad`_`ypad_112`"),
    # macros and their steps
    ("gemm", "iterations-of-the-other-loop"): ("gemm", "for n0 < lp {", "for n0 < lp_49 {"),
    ("gemm", "factors-swapped"): ("gemm", "factor_64 = factor_64", "factor_64 = factor_75"),
    ("gemm", "another-field-of-the-operation"): (STEP, "/ 2048 % 32", "/ 1024 % 32"),
    ("gemm", "difference"): (STEP, "add(%x2, %v2)", "subtract(%x2, %v2)"),
    ("gemm", "transposed-weights"): (STEP, "rhs_contracting_dims={1}", "rhs_contracting_dims={0}"),
    ("gemm", "output-of-the-product-alone"): (STEP, "s8[4] convert(%v3)", "s8[4] convert(%v2)"),
    ("gemm", "output-elsewhere"): (STEP, "write   out[factor_64 * n0", "write   out[factor_64 * n1"),
    ("gemm_acc_reset", "ones"): ("gemm_step", "constant(0)", "constant(1)"),
    # conditions and encodings
    ("gemm", "no-operation"): ("gemm", "1 <= uop_end - uop_begin", "0 <= uop_end - uop_begin"),
    ("gemm", "fields-swapped"): ("gemm", "bits[68:64] = factor_64; bits[79:75] = factor_75", "bits[68:64] = factor_75; bits[79:75] = factor_64"),
    ("store_out", "opcode-of-load"): ("store_out", "bits[2:0] = 1", "bits[2:0] = 0"),
    ("store_push_prev", "as-without-it"): ("store_push_prev", "bits[3:3] = 0", "bits[3:3] = 1"),
}  # fmt: skip


def changed(name: str, block: str, old: str, new: str) -> Command:
    """The instruction of a text in which one place of a block differs."""
    text = specification_text()
    start = text.index(f"\ninstruction {block}(")
    end = text.index("\n\n", start + 1)
    assert old in text[start:end], f"{old!r} does not occur in {block}"
    accelerator = load(text[:start] + text[start:end].replace(old, new, 1) + text[end:], "changed")
    return Command(accelerator, accelerator.instructions[name])


def prove_everything(stated: Command) -> None:
    """Every claim of `test_vta_lifted` about the text of one instruction, and that no other has its commands."""
    prove_modes(stated, selected(stated), tokens_are_there(stated))
    for other in (o for o in stated.accelerator.instructions.values() if o.encode and o is not stated.operation):
        prove_distinct([stated, Command(stated.accelerator, other)])
    for chosen in selected(stated):
        for target in EFFECTS[code_of(stated)]:
            Effect(stated, chosen, target).prove()


@pytest.mark.parametrize(("name", "what"), MUTATIONS, ids=[f"vta-{'-'.join(case)}" for case in MUTATIONS])
def test_a_change_of_the_text_is_refuted(name: str, what: str) -> None:
    with pytest.raises(NotProved) as caught:
        prove_everything(changed(name, *MUTATIONS[name, what]))
    assert not isinstance(caught.value, Undecided)
    print(caught.value)


def test_the_text_as_it_is_is_not_refuted() -> None:
    prove_everything(changed("store_pop_prev", "store_pop_prev", "cost    3", "cost    3"))
