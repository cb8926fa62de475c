"""StoreController: the DMA requests of random mvouts, against a loop over blocks and rows."""

from __future__ import annotations

import random

import pytest
from commands import ACCUMULATOR, FULL_ROW, config_ld, config_st, mvout
from dma_requests import Request, requests_of
from simulate import Simulation

FIELDS = ("vaddr", "data", "is_acc_addr", "read_full_acc_row", "activation", "cols")


def expected(stride: int, activation: int, address: int, local: int, rows: int, cols: int, dim: int) -> list[Request]:
    full = int(bool(local & ACCUMULATOR) and bool(local & FULL_ROW))
    return [
        {
            "vaddr": (address + row * stride + block * dim * (4 if full else 1)) % 2**40,
            "data": (local + row + block * dim) % 2**14,
            "is_acc_addr": local >> 31,
            "read_full_acc_row": full,
            "activation": activation,
            "cols": min(dim, cols - block * dim),
        }
        for block in range(-(-cols // dim))
        for row in range(rows)
    ]


def random_mvout(rng: random.Random, dim: int) -> tuple[int, int, int, int]:
    local = rng.getrandbits(14) | rng.choice([0, FULL_ROW, ACCUMULATOR, ACCUMULATOR | FULL_ROW])
    return rng.getrandbits(40), local, rng.choice([1, dim, rng.randint(1, dim)]), rng.choice([dim, 4 * dim, rng.randint(1, 4 * dim)])


@pytest.mark.parametrize("dim", [4, 16])
def test_random_mvouts_request_every_row_of_every_block(dim: int) -> None:
    rng = random.Random(dim)
    with Simulation("rtl/gemmini", "StoreController", {"DIM": dim}) as sim:
        sim.reset()
        for _ in range(60):
            stride, activation = rng.choice([16, rng.getrandbits(32)]), rng.randrange(4)
            assert requests_of(sim, config_st(stride, activation, rng.getrandbits(32)), FIELDS, rng) == []
            operands = random_mvout(rng, dim)
            assert requests_of(sim, mvout(*operands), FIELDS, rng) == expected(stride, activation, *operands, dim)


def test_commands_of_other_controllers_change_nothing() -> None:
    rng = random.Random(1)
    with Simulation("rtl/gemmini", "StoreController", {"DIM": 4}) as sim:
        sim.reset()
        requests_of(sim, config_st(100, 1), FIELDS, rng)
        for other in (config_ld(7), (2, 5, 1 << 48), (6, 1, 1), (7, 0, 0)):
            assert requests_of(sim, other, FIELDS, rng) == []
        assert requests_of(sim, mvout(1, 0, 2, 4), FIELDS, rng) == expected(100, 1, 1, 0, 2, 4, 4)
