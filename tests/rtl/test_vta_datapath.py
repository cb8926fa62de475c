"""VTA's arithmetic modules and its buffers against integers, with extreme and random operands."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from simulate import Simulation, pack, signed, unpack
from vta_model import operation

EXTREMES_8 = (-128, -1, 0, 1, 127)
EXTREMES_32 = (-(1 << 31), -(1 << 31) + 1, -33, -1, 0, 1, 31, 32, (1 << 31) - 1)


def int8(rng: Random) -> int:
    return rng.choice(EXTREMES_8) if rng.random() < 0.3 else rng.randrange(-128, 128)


def int32(rng: Random) -> int:
    return rng.choice(EXTREMES_32) if rng.random() < 0.5 else rng.randrange(-(1 << 31), 1 << 31)


def test_a_mac_gives_the_product_of_the_operands_of_the_cycle_before() -> None:
    pairs = [(a, b) for a in EXTREMES_8 for b in EXTREMES_8]
    with Simulation("rtl/vta", "MAC") as sim:
        sim.reset()
        seen = sim.trace([*({"in_a": a, "in_b": b} for a, b in pairs), {}], ["out_y"])
    assert [signed(y, 17) for (y,) in seen[1:]] == [a * b for a, b in pairs]


@pytest.mark.parametrize("block", [4, 8, 16])
def test_a_dot_product_is_exact_and_comes_two_cycles_after_its_operands(block: int) -> None:
    rng = Random(block)
    vectors = [([a] * block, [b] * block) for a in EXTREMES_8 for b in EXTREMES_8]
    vectors += [([int8(rng) for _ in range(block)], [int8(rng) for _ in range(block)]) for _ in range(500)]
    with Simulation("rtl/vta", "DotProduct", {"BLOCK_IN": block}) as sim:
        sim.reset()
        seen = sim.trace([*({"in_a": pack(a, 8), "in_b": pack(b, 8)} for a, b in vectors), {}, {}], ["out_y"])
    assert [signed(y, 32) for (y,) in seen[2:]] == [sum(x * y for x, y in zip(a, b, strict=True)) for a, b in vectors]


def test_the_matrix_vector_unit_multiplies_each_row_and_adds_acc_which_wraps() -> None:
    rng, rows, columns = Random(2), 8, 4
    cases = [([int8(rng) for _ in range(columns)], [[int8(rng) for _ in range(columns)] for _ in range(rows)], [int32(rng) for _ in range(rows)])
             for _ in range(200)]
    stimuli = [{"inp": pack(inp, 8), "wgt": pack([w for row in wgt for w in row], 8), "acc": pack(acc, 32)} for inp, wgt, acc in cases]
    with Simulation("rtl/vta", "MatrixVectorUnit", {"BLOCK_IN": columns, "BLOCK_OUT": rows}) as sim:
        sim.reset()
        seen = sim.trace([step for stimulus in stimuli for step in [stimulus] * 3], ["result"])[2::3]
    expected = [[signed(sum(x * w for x, w in zip(inp, row, strict=True)) + a, 32) for row, a in zip(wgt, acc, strict=True)] for inp, wgt, acc in cases]
    assert [unpack(result, 32, rows) for (result,) in seen] == expected


@pytest.mark.parametrize("op", range(4))
def test_an_alu_lane_matches_integers(op: int) -> None:
    rng = Random(op)
    cases = [(a, b, left) for a in EXTREMES_32 for b in EXTREMES_32 for left in (0, 1)]
    cases += [(int32(rng), int32(rng), rng.getrandbits(1)) for _ in range(500)]
    with Simulation("rtl/vta", "AluLane") as sim:
        seen = sim.trace([{"op": op, "a": a, "b": b, "shift_left": left} for a, b, left in cases], ["y"])
    expected = [int(operation(op, np.int64(a), np.int64(b), bool(left)).astype("<i4")) for a, b, left in cases]
    assert [signed(y, 32) for (y,) in seen] == expected


def test_a_buffer_gives_what_was_there_before_a_write_in_the_same_cycle_and_holds_it() -> None:
    rng, rows, held, expected = Random(3), [0] * 8, 0, []
    stimuli = [{"write_valid": 1, "write_index": n, "write_data": n} for n in range(8)]
    rows[:] = range(8)
    for _ in range(2000):
        step = {"read_valid": rng.getrandbits(1), "read_index": rng.randrange(8), "write_valid": rng.getrandbits(1), "write_index": rng.randrange(8),
                "write_data": rng.getrandbits(32)}
        stimuli.append(step)
        expected.append(held)
        held = rows[step["read_index"]] if step["read_valid"] else held
        if step["write_valid"]:
            rows[step["write_index"]] = step["write_data"]
    with Simulation("rtl/vta", "TensorMemory", {"WIDTH": 32, "LOG_DEPTH": 3}) as sim:
        sim.reset()
        seen = [data for (data,) in sim.trace(stimuli, ["read_data"])]
    assert seen[8:] == expected
