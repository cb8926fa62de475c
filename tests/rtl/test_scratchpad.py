"""The scratchpad against a list of rows: banks, lane masks, both clients, read latency of one cycle."""

from __future__ import annotations

import random

import pytest
from simulate import Simulation, pack

BANK_ROWS = 4
ROWS = 4 * BANK_ROWS


def random_write(rng: random.Random, dim: int, client: str) -> dict[str, int]:
    other = "dma" if client == "exec" else "exec"
    return {
        f"{other}_write_valid": 0,
        f"{client}_write_valid": int(rng.random() < 0.8),
        f"{client}_write_addr": rng.randrange(ROWS),
        f"{client}_write_mask": rng.getrandbits(dim),
        f"{client}_write_data": rng.getrandbits(dim * 8),
    }


def random_read(rng: random.Random) -> dict[str, int]:
    client, other = rng.sample(["exec", "dma"], 2)
    return {f"{other}_read_valid": 0, f"{client}_read_valid": int(rng.random() < 0.8), f"{client}_read_addr": rng.randrange(ROWS)}


def fill(dim: int) -> list[dict[str, int]]:
    """Writes that give every row a known value (its number in every lane)."""
    return [{"dma_write_valid": 1, "dma_write_addr": row, "dma_write_mask": (1 << dim) - 1,
             "dma_write_data": pack([row] * dim, 8)} for row in range(ROWS)]


def written(inputs: dict[str, int], rows: list[int], dim: int) -> None:
    """Apply the write of one cycle's inputs to the model."""
    for client in ("exec", "dma"):
        if inputs.get(f"{client}_write_valid"):
            lanes = inputs[f"{client}_write_mask"]
            bits = pack([0xFF if lanes >> i & 1 else 0 for i in range(dim)], 8)
            row = inputs[f"{client}_write_addr"]
            rows[row] = (rows[row] & ~bits) | (inputs[f"{client}_write_data"] & bits)


def read(inputs: dict[str, int], rows: list[int], held: int) -> int:
    for client in ("exec", "dma"):
        if inputs.get(f"{client}_read_valid"):
            return rows[inputs[f"{client}_read_addr"]]
    return held


@pytest.mark.parametrize("dim", [4, 16])
def test_random_reads_and_masked_writes_of_both_clients_match_a_list_of_rows(dim: int) -> None:
    rng = random.Random(dim)
    first = {"dma_write_valid": 0, "exec_read_valid": 1, "exec_read_addr": 0}
    stimuli = [*fill(dim), first, *({**random_write(rng, dim, rng.choice(["exec", "dma"])), **random_read(rng)} for _ in range(3000))]
    rows, held, expected = [0] * ROWS, 0, []
    for inputs in stimuli:
        expected.append(held)
        held = read(inputs, rows, held)
        written(inputs, rows, dim)
    with Simulation("rtl/gemmini", "Scratchpad", {"DIM": dim, "SP_BANK_ROWS": BANK_ROWS}) as sim:
        sim.reset()
        seen = [data for (data,) in sim.trace(stimuli, ["read_data"])]
    assert seen[ROWS + 1 :] == expected[ROWS + 1 :]


def test_the_default_size_keeps_16384_rows_apart() -> None:
    rows = [0, 1, 4095, 4096, 8191, 8192, 12288, 16383]
    writes = [{"exec_write_valid": 1, "exec_write_addr": row, "exec_write_mask": 0xF, "exec_write_data": row} for row in rows]
    reads = [{"exec_write_valid": 0, "exec_read_valid": 1, "exec_read_addr": row} for row in rows]
    with Simulation("rtl/gemmini", "Scratchpad", {"DIM": 4}) as sim:
        sim.reset()
        seen = [data for (data,) in sim.trace([*writes, *reads, {"exec_read_valid": 0}], ["read_data"])]
    assert seen[-len(rows) :] == rows
