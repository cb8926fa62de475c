"""The accumulator against numpy rows: banks, masks, accumulation, ReLU and saturation on the read side."""

from __future__ import annotations

import random

import numpy as np
import pytest
from simulate import Simulation, pack, unpack

BANK_ROWS = 4
ROWS = 2 * BANK_ROWS
EDGES = [0, 1, -1, 127, 128, -128, -129, 2**31 - 1, -(2**31), 300, -300]
RELU = 1


def element(rng: random.Random) -> int:
    return rng.choice(EDGES) if rng.random() < 0.5 else rng.randrange(-(2**31), 2**31)


def random_cycle(rng: random.Random, dim: int) -> dict[str, int]:
    client, other = rng.sample(["exec", "dma"], 2)
    return {
        f"{other}_write_valid": 0,
        f"{client}_write_valid": int(rng.random() < 0.7),
        f"{client}_write_addr": rng.randrange(ROWS),
        f"{client}_write_accumulate": rng.getrandbits(1),
        f"{client}_write_mask": rng.getrandbits(dim),
        f"{client}_write_data": pack((element(rng) for _ in range(dim)), 32),
        "read_valid": int(rng.random() < 0.7),
        "read_addr": rng.randrange(ROWS),
        "read_activation": rng.randrange(4),
    }


def fill(dim: int) -> list[dict[str, int]]:
    return [{"dma_write_valid": 1, "dma_write_addr": row, "dma_write_mask": (1 << dim) - 1, "dma_write_data": 0} for row in range(ROWS)]


def write(inputs: dict[str, int], rows: np.ndarray) -> None:
    """Apply one cycle's write to `rows` (int32, ROWS x DIM), wrapping at 32 bits."""
    dim = rows.shape[1]
    for client in ("exec", "dma"):
        if inputs.get(f"{client}_write_valid"):
            data = np.array(unpack(inputs[f"{client}_write_data"], 32, dim), dtype=np.int32)
            old = rows[inputs[f"{client}_write_addr"]]
            mask = np.array([inputs[f"{client}_write_mask"] >> i & 1 for i in range(dim)], dtype=bool)
            new = old + data if inputs.get(f"{client}_write_accumulate") else data
            rows[inputs[f"{client}_write_addr"]] = np.where(mask, new, old)


def narrowed(row: np.ndarray, activation: int) -> list[int]:
    activated = np.maximum(row, 0) if activation == RELU else row
    return np.clip(activated, -128, 127).tolist()


@pytest.mark.parametrize("dim", [4, 16])
def test_random_accumulation_and_reads_match_numpy(dim: int) -> None:
    rng = random.Random(dim)
    stimuli = [*fill(dim), *(random_cycle(rng, dim) for _ in range(2000))]
    with Simulation("rtl/gemmini", "AccumulatorMem", {"DIM": dim, "ACC_BANK_ROWS": BANK_ROWS}) as sim:
        sim.reset()
        seen = sim.trace(stimuli, ["read_data_full", "read_data"])
    rows = np.zeros((ROWS, dim), dtype=np.int32)
    for inputs, (full, narrow) in zip(stimuli, seen[1:], strict=False):
        if inputs.get("read_valid"):
            row = rows[inputs["read_addr"]]
            assert unpack(full, 32, dim) == row.tolist()
            assert unpack(narrow, 8, dim) == narrowed(row, inputs["read_activation"])
        write(inputs, rows)


def test_the_default_size_keeps_1024_rows_apart() -> None:
    rows = [0, 511, 512, 1023]
    writes = [{"exec_write_valid": 1, "exec_write_addr": row, "exec_write_mask": 0xF, "exec_write_data": row + 1} for row in rows]
    reads = [{"exec_write_valid": 0, "read_valid": 1, "read_addr": row} for row in rows]
    with Simulation("rtl/gemmini", "AccumulatorMem", {"DIM": 4}) as sim:
        sim.reset()
        seen = [data for (data,) in sim.trace([*writes, *reads, {"read_valid": 0}], ["read_data_full"])]
    assert seen[-len(rows) :] == [row + 1 for row in rows]
