"""The published instruction sets of isas/reference, and kernels as they were published with them.

TENSORLIFT_KERNELS may name a folder with more kernels (.hlo): those in bf16 are for the attention accelerator, the others for the systolic one.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from act.backend.compile import Compiled, compile_module
from act.backend.verify import disagreement
from act.hlo import parse_module
from act.oracle import Machine
from act.taidl import parse, print_text
from tests.act.backend.backends import ROOT, backend_of
from tests.act.backend.wrapping import TILE, composite, module, wrapping

REFERENCE = ROOT / "isas" / "reference"
FOLDER = os.environ.get("TENSORLIFT_KERNELS")
OTHERS = sorted(Path(FOLDER).rglob("*.hlo")) if FOLDER else []
ATTENTION = """HloModule attention

sum {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  ROOT z = bf16[] add(x, y)
}

ENTRY main {
  q = bf16[64,64] parameter(0)
  k = bf16[64,64] parameter(1)
  v = bf16[64,64] parameter(2)
  kt = bf16[64,64] transpose(k), dimensions={1,0}
  scores = bf16[64,64] dot(q, kt), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = bf16[64,64] exponential(scores)
  zero = bf16[] constant(0)
  s = bf16[64] reduce(e, zero), dimensions={1}, to_apply=sum
  b = bf16[64,64] broadcast(s), dimensions={0}
  p = bf16[64,64] divide(e, b)
  ROOT o = bf16[64,64] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
COMPOSITES = {
    "A*B": 4,
    "A*B + C": 5,
    "A + B": 5,
    "A + B + C": 7,
    "A*B + A*C": 6,
    "A*B + C + D": 8,
    "A*B*C": 6,
    "A*B*C + A": 7,
    "A*B*C + D": 7,
    "A*B*C*A": 7,
    "A*B*C*D": 8,
    "A*B + C*D": 7,
}
"""How many instructions: a move in for each tile, one for each product or sum, the matrix I where there are only sums, and a move out."""


def compiled(text: str, isa: str = "gemmini") -> Compiled:
    """A program whose outputs are those of the reference, from whatever the memories on chip hold before."""
    backend, kernel = backend_of((REFERENCE / f"{isa}.taidl").read_text()), parse_module(text)
    found = compile_module(backend, kernel)
    assert disagreement(backend.accelerator, kernel, found.program) is None
    return found


def names(found: Compiled) -> list[str]:
    return [command.instruction for command in found.program.commands]


@pytest.mark.parametrize("text", COMPOSITES)
def test_composites_stay_on_chip(text):
    issued = names(compiled(composite(text)))
    assert sum(name.startswith("mvout") for name in issued) == 1
    assert len(issued) == COMPOSITES[text]


@pytest.mark.parametrize("seed", range(60))
def test_arithmetic_that_wraps(seed):
    compiled(wrapping(seed))


@pytest.mark.parametrize("dimensions", ["0", "1", "0,1"])
def test_reversals_are_products(dimensions):
    issued = names(compiled(module([f"a = {TILE} parameter(0)", f"r = {TILE} reverse(a), dimensions={{{dimensions}}}"])))
    assert sum(name.startswith("mat") for name in issued) == len(dimensions.split(","))


def test_a_column_is_repeated_by_a_product():
    issued = names(compiled(module(["a = s8[16,1] parameter(0)", f"r = {TILE} broadcast(a), dimensions={{0,1}}"])))
    assert len(issued) == 4


def test_attention_is_the_program_of_the_paper():
    """Figure 13 (b)."""
    expected = "load_rm load_cm gemm softmax mov load_rm gemm mov store_rm"
    assert names(compiled(ATTENTION, "h_qkv")) == expected.split()


@pytest.mark.skipif(not OTHERS, reason="TENSORLIFT_KERNELS names no folder with .hlo files")
@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_other_kernels_compile_and_are_right(path):
    text = path.read_text()
    compiled(text, "h_qkv" if "bf16[" in text else "gemmini")


def test_the_memories_on_chip_hold_anything_at_the_start():
    accelerator = backend_of((REFERENCE / "gemmini.taidl").read_text()).accelerator
    spad = Machine(accelerator, seed=1).buffers["spad"]
    assert len(set(spad.flat)) == 256
    assert (Machine(accelerator, seed=2).buffers["spad"] != spad).any()


@pytest.mark.parametrize("left_out", range(4))
def test_a_program_without_one_of_its_instructions_is_noticed(left_out):
    found, kernel = compiled(composite("A*B")), parse_module(composite("A*B"))
    accelerator = backend_of((REFERENCE / "gemmini.taidl").read_text()).accelerator
    commands = (*found.program.commands[:left_out], *found.program.commands[left_out + 1 :])
    broken = replace(found.program, commands=commands)
    assert disagreement(accelerator, kernel, broken) is not None


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*.taidl")), ids=lambda path: path.stem)
def test_the_descriptions_are_canonical(path):
    assert print_text(parse(path.read_text())) == path.read_text()
