"""What single VTA instructions do, and where that departs from the documented simulator; the RTL on the small configuration."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
import vta_instructions as vta
from vta_image import Case, check, run_cases
from vta_instructions import Tokens, micro_op
from vta_model import SMALL, Machine

ELEMENTS = {vta.UOP: ("uop", 4), vta.WGT: ("wgt", 16), vta.INP: ("inp", 4), vta.ACC: ("acc", 16)}
MEMORY = Random(1).randbytes(2048)
OUT_AT = 1024  # bytes; where programs here store to
ACC_ROWS = np.array([[5, -5, 1 << 20, -(1 << 31)], [3, -3, 33, 1 << 30], [-1, 1, -33, 31]], "<i4")


def run(program: list[int], memory: bytes, folder: Path, latency_seed: int = 3) -> tuple[bytes, dict[str, np.ndarray]]:
    """Memory and buffers after the program on the RTL."""
    ((after, buffers),) = run_cases(folder, [Case(program, memory)], SMALL, latency_seed)
    shapes = Machine(SMALL, bytearray()).buffers()
    return after, {name: np.frombuffer(buffers[name], buffer.dtype).reshape(buffer.shape) for name, buffer in shapes.items()}


def acc_after(instruction: int, rows: np.ndarray, uop: int, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """acc and out after an instruction on a memory of these acc rows, with one micro-op."""
    memory = rows.tobytes() + np.uint32(uop).tobytes()
    program = [vta.load(vta.ACC, 0, 0, 1, len(rows), 0), vta.load(vta.UOP, 0, rows.nbytes // 4, 1, 1, 0), instruction]
    buffers = run(program, memory, folder)[1]
    return buffers["acc"], buffers["out"]


@pytest.mark.parametrize("kind", ELEMENTS)
def test_a_load_puts_rows_with_their_pads_one_after_the_other(kind: int, tmp_path: Path) -> None:
    name, size = ELEMENTS[kind]
    _, buffers = run([vta.load(kind, 0, 0, 1, 16, 0), vta.load(kind, 1, 2, 2, 2, 3, (1, 0, 1, 0))], MEMORY, tmp_path)
    element = [MEMORY[n * size : (n + 1) * size] for n in range(16)]
    zero = bytes(size)
    rectangle = [zero, zero, zero, zero, element[2], element[3], zero, element[5], element[6]]
    assert buffers[name].tobytes()[: 16 * size] == b"".join([element[0], *rectangle, *element[10:16]])


@pytest.mark.parametrize("kind", ELEMENTS)
def test_loads_of_every_stride_and_pad_match_the_model(kind: int, tmp_path: Path) -> None:
    rng, cases = Random(kind), []
    for _ in range(40):
        pads = tuple(rng.choice([0, 1, 2, 15]) for _ in range(4))
        rectangle = (rng.randrange(64), rng.randrange(40), rng.randrange(4), rng.randrange(4), rng.randrange(9))
        cases.append(Case([vta.load(kind, 0, 0, 1, 16, 0), vta.load(kind, *rectangle, pads)], MEMORY))
    check(tmp_path, cases, SMALL, latency_seed=5)


def test_a_load_of_odd_micro_ops_starts_in_the_middle_of_eight_bytes(tmp_path: Path) -> None:
    _, buffers = run([vta.load(vta.UOP, 0, 3, 1, 2, 0)], MEMORY, tmp_path)
    assert buffers["uop"].tobytes()[:8] == MEMORY[12:20]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_a_load_of_nothing_does_not_even_pad(shape: tuple[int, int], tmp_path: Path) -> None:
    _, buffers = run([vta.load(vta.INP, 0, 0, 1, 8, 0), vta.load(vta.INP, 0, 0, *shape, 1, (2, 2, 2, 2))], MEMORY, tmp_path)
    assert buffers["inp"].tobytes()[:32] == MEMORY[:32]


def test_a_store_skips_by_its_stride_and_ignores_pads(tmp_path: Path) -> None:
    program = [vta.load(vta.ACC, 0, 0, 1, 8, 0), vta.alu(vta.ADD, (0, 1), (8, 1), dst=(1, 0), src=(1, 0), imm=0, tokens=Tokens(push_next=True)),
               vta.store(1, OUT_AT // 4, 2, 2, 5, Tokens(pop_prev=True)) | 0xFFFF << 112]
    after, buffers = run(program, MEMORY, tmp_path)
    rows = [buffers["out"][n].tobytes() for n in range(8)]
    expected = bytearray(MEMORY)
    for place, row in zip((0, 1, 5, 6), rows[1:5], strict=True):
        expected[OUT_AT + 4 * place : OUT_AT + 4 * place + 4] = row
    assert after == bytes(expected)


def test_out_is_the_low_byte_of_acc_and_does_not_saturate(tmp_path: Path) -> None:
    acc, out = acc_after(vta.alu(vta.ADD, (0, 1), imm=300), np.array([[0, 100, -400, 212]], "<i4"), micro_op(0, 0), tmp_path)
    assert acc[0].tolist() == [300, 400, -100, 512]
    assert out[0].tolist() == [44, -112, -100, 0]


def test_gemm_adds_wraps_and_writes_out(tmp_path: Path) -> None:
    acc, inp = np.array([[2**31 - 1, 0, 0, 0]], "<i4"), np.array([1, -128, 127, 0], "i1")
    wgt = np.array([[1, 0, 0, 0], [0, -128, 0, 0], [127, 127, 127, 127], [-128, -128, -128, -128]], "i1")
    memory = acc.tobytes() + wgt.tobytes() + inp.tobytes() + np.uint32(micro_op()).tobytes()
    program = [vta.load(vta.ACC, 0, 0, 1, 1, 0), vta.load(vta.UOP, 0, 9, 1, 1, 0), vta.load(vta.WGT, 0, 1, 1, 1, 0),
               vta.load(vta.INP, 0, 8, 1, 1, 0, tokens=Tokens(push_next=True)), vta.gemm((0, 1), tokens=Tokens(pop_prev=True))]
    buffers = run(program, memory, tmp_path)[1]
    assert buffers["acc"][0].tolist() == [-(2**31), 16384, 0, 0]
    assert buffers["out"][0].tolist() == [0, 0, 0, 0]


def test_gemm_reset_clears_acc_and_leaves_out(tmp_path: Path) -> None:
    memory = ACC_ROWS.tobytes() + np.uint32(micro_op()).tobytes()
    program = [vta.load(vta.ACC, 0, 0, 1, 3, 0), vta.load(vta.UOP, 0, 12, 1, 1, 0), vta.alu(vta.ADD, (0, 1), imm=1), vta.gemm((0, 1), reset=True)]
    buffers = run(program, memory, tmp_path)[1]
    assert buffers["acc"][0].tolist() == [0, 0, 0, 0]
    assert buffers["out"][0].tolist() == [6, -4, 1, 1]


def test_with_an_immediate_operand_a_is_read_at_src(tmp_path: Path) -> None:
    acc, _ = acc_after(vta.alu(vta.ADD, (0, 1), imm=-2), ACC_ROWS, micro_op(0, 1), tmp_path)
    assert acc[0].tolist() == [1, -5, 31, (1 << 30) - 2]


@pytest.mark.parametrize(("imm", "shifted"), [(2, [1, -2, 1 << 18, -(1 << 29)]), (-2, [20, -20, 1 << 22, 0]), (34, [1, -2, 1 << 18, -(1 << 29)])])
def test_a_negative_immediate_shifts_to_the_left(imm: int, shifted: list[int], tmp_path: Path) -> None:
    acc, out = acc_after(vta.alu(vta.SHR, (0, 1), imm=imm), ACC_ROWS, micro_op(0, 0), tmp_path)
    assert acc[0].tolist() == shifted
    assert out[0].tolist() == acc[0].astype("i1").tolist()


@pytest.mark.parametrize(("imm_field", "shifted"), [(0, [-1, -3, 16, 0]), (-1, [-2, -(1 << 31), 66, 1 << 30])])
def test_without_an_immediate_the_unused_field_still_chooses_the_direction(imm_field: int, shifted: list[int], tmp_path: Path) -> None:
    rows = np.array([[-2, -3, 33, 1 << 30], [1, 32, 1, 31]], "<i4")
    if imm_field:
        rows[1] = [0, -31, -1, 32]
    acc, _ = acc_after(vta.alu(vta.SHR, (0, 1), imm_field=imm_field), rows, micro_op(0, 1), tmp_path)
    assert acc[0].tolist() == shifted


@pytest.mark.parametrize("bounds", [{"uops": (0, 1), "loops": (0, 1)}, {"uops": (0, 1), "loops": (1, 0)}, {"uops": (0, 0), "loops": (1, 1)}])
def test_a_loop_bound_of_zero_runs_16384_iterations(bounds: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    acc, _ = acc_after(vta.alu(vta.ADD, **bounds, imm=1), np.zeros((1, 4), "<i4"), micro_op(0, 0), tmp_path)
    assert acc[0].tolist() == [1 << 14] * 4


def test_loop_factors_wrap_at_the_buffer(tmp_path: Path) -> None:
    acc, _ = acc_after(vta.alu(vta.ADD, (0, 1), (2, 2), dst=(17, 31), src=(0, 0), imm=0), ACC_ROWS, micro_op(30, 1), tmp_path)
    touched = {30, 29, (30 + 17) % 32, (30 + 17 + 31) % 32}
    assert {n for n in range(3, 32) if acc[n].any()} == touched


@pytest.mark.parametrize("word", [vta.encode(vta.LOAD, id=n, ysize=1, xsize=1) for n in range(4, 8)] + [5, 6, 7]
                         + [vta.encode(vta.ALU, alu_op=n, uop_end=1, lp_0=1, lp_1=1) for n in range(4, 8)])
def test_unknown_instructions_are_consumed_without_effect_and_their_tokens_too(word: int, tmp_path: Path) -> None:
    before = [vta.load(vta.ACC, 0, 0, 1, 3, 0)]
    all_tokens = 15 << 3
    memory = ACC_ROWS.tobytes()
    assert run([*before, word | all_tokens], memory, tmp_path)[1]["acc"].tobytes() == run(before, memory, tmp_path)[1]["acc"].tobytes()
