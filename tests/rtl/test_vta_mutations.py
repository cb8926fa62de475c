"""The program tests find mistakes: each change of the RTL makes random streams differ from the model."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from model_build import REPOSITORY
from vta_image import check
from vta_model import SMALL
from vta_streams import random_ordered_stream, random_stream

MUTATIONS = {
    "one pad column too few": ("GenVMECmd.v", "(x >= x_after)", "(x > x_after)"),
    "rows of the buffer without their pads": ("GenVMECmd.v", "y * x_end + x", "y * x_after + x"),
    "columns in memory counted from the pad": ("GenVMECmd.v", "column  = x - x_data", "column  = x"),
    "padding is not zero": ("TensorLoad.v", "padding ? {(ELEMENT_BYTES*8){1'b0}} : received", "padding ? ~received[ELEMENT_BYTES*8-1:0] : received"),
    "a store ends early": ("TensorStore.v", "state <= last ? IDLE : READ", "state <= IDLE"),
    "reset writes out": ("TensorGemm.v", "(state == WRITE) && !acc_reset", "(state == WRITE)"),
    "inp and wgt factors exchanged": ("TensorGemm.v", "inst[86 +: LOG_INP_DEPTH]", "inst[108 +: LOG_INP_DEPTH]"),
    "result a cycle early": ("TensorGemm.v", "MULTIPLY:  state <= REDUCE", "MULTIPLY:  state <= WRITE"),
    "operand a at dst": ("TensorAlu.v", ".a(use_imm ? src[j*32 +: 32] : acc_read_data[j*32 +: 32])", ".a(acc_read_data[j*32 +: 32])"),
    "logical shift": ("AluLane.v", "$signed(a) >>> b[4:0]", "a >> b[4:0]"),
    "unsigned products": ("MAC.v", "$signed(r_a) * $signed(r_b)", "r_a * r_b"),
    "inner sum kept": ("AffineIndex.v", "            sum_i <= {WIDTH{1'b0}};\n        end else if (next_i)", "        end else if (next_i)"),
    "loops compare with the bound": ("MicroOpLoop.v", "lp_1 - 14'd1", "lp_1"),
    "no waiting for the load": ("Compute.v", ".pop_prev(inst_bits[3])", ".pop_prev(1'b0)"),
    "tokens given at the start": ("InstructionControl.v", "give_next = done && push_next", "give_next = start && push_next"),
}


@pytest.fixture(name="copy")
def fixture_copy(tmp_path: Path) -> Path:
    """The RTL and its runner in a place of their own, with the parts of the build that no mutation changes."""
    shutil.copytree(REPOSITORY / "rtl", tmp_path / "rtl")
    cache = tmp_path / "build" / "runner"
    cache.mkdir(parents=True)
    for part in (REPOSITORY / "build" / "runner").glob("verilated*.o"):
        shutil.copy2(part, cache)
    return tmp_path


def run_streams(copy: Path) -> None:
    streams = [random_stream(Random(f"mutation {n}"), SMALL, 40) for n in range(20)]
    ordered = [random_ordered_stream(Random(f"mutation {n}"), SMALL, 40) for n in range(10)]
    for name, cases, seed in (("free", streams, 0), ("slow", streams, 50), ("ordered", ordered, 5)):
        (copy / name).mkdir()
        check(copy / name, cases, SMALL, seed, copy / "rtl" / "sim" / "vta")


@pytest.mark.slow
def test_the_copy_without_a_mutation_passes(copy: Path) -> None:
    run_streams(copy)


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_random_streams_find(name: str, copy: Path) -> None:
    file, before, after = MUTATIONS[name]
    source = copy / "rtl" / "vta" / file
    assert source.read_text().count(before) == 1
    source.write_text(source.read_text().replace(before, after))
    with pytest.raises(AssertionError, match=r"after program|not done"):
        run_streams(copy)
