"""The transposer: rows enter, last one first, and columns leave, last one first, with any pauses."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from simulate import Simulation, pack, unpack

Inputs = dict[str, int]


def schedule(random: Random, matrix: list[list[int]]) -> list[Inputs]:
    """The rows, then a step for each column; pauses show the transposer arbitrary data."""
    dim = len(matrix)
    steps = [{"enter": 1, "in_row": pack(row, 8)} for row in reversed(matrix)] + [{"leave": 1}] * dim
    return [each for step in steps for each in (*({},) * random.choice([0, 0, 1, 3]), step)]


@pytest.mark.parametrize("dim", [4, 8, 16])
def test_columns_leave_the_last_one_first(dim: int) -> None:
    random = Random(dim)
    matrices = np.random.default_rng(dim).integers(-128, 128, (6, dim, dim)).tolist()
    cycles = [each for matrix in matrices for each in schedule(random, matrix)]
    noisy = [{"enter": 0, "leave": 0, "in_row": random.getrandbits(8 * dim)} | each for each in cycles]
    with Simulation("rtl/gemmini", top="Transposer", parameters={"DIM": dim}) as sim:
        seen = [unpack(column, 8, dim) for (column,), each in zip(sim.trace(noisy, ["out_column"]), noisy, strict=True) if each["leave"]]
    assert seen == [[row[c] for row in matrix] for matrix in matrices for c in reversed(range(dim))]
