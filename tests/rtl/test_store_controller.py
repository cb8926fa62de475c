"""StoreController: the DMA requests of random mvouts, against a loop over blocks and rows."""

from __future__ import annotations

import itertools
import random

import pytest
from commands import ACCUMULATOR, FULL_ROW, Pooling, config_ld, config_st, mvout
from dma_requests import Request, requests_of
from simulate import Simulation

FIELDS = ("vaddr", "data", "is_acc_addr", "read_full_acc_row", "all_zeros", "pool_en", "store_en", "activation", "cols")


def expected(stride: int, activation: int, address: int, local: int, rows: int, cols: int, dim: int) -> list[Request]:
    full = int(bool(local & ACCUMULATOR) and bool(local & FULL_ROW))
    return [
        {
            "vaddr": (address + row * stride + block * dim * (4 if full else 1)) % 2**40,
            "data": (local + row + block * dim) % 2**14,
            "is_acc_addr": local >> 31,
            "read_full_acc_row": full,
            "all_zeros": 0,
            "pool_en": 0,
            "store_en": 1,
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


def pooled(pool: Pooling, stride: int, address: int, local: int, cols: int) -> list[Request]:
    """The requests for every element of every window, without activation; `data` counts only inside the image."""
    requests = []
    for porow, pocol, wrow, wcol in itertools.product(range(pool.porows), range(pool.pocols), range(pool.size), range(pool.size)):
        row, col = porow * pool.stride + wrow - pool.upad, pocol * pool.stride + wcol - pool.lpad
        inside = 0 <= row < pool.orows and 0 <= col < pool.ocols
        requests.append({
            "vaddr": (address + (porow * pool.out_dim + pocol) * stride) % 2**40,
            "data": (local + row * pool.ocols + col) % 2**14 if inside else 0,
            "is_acc_addr": local >> 31,
            "read_full_acc_row": 0,
            "all_zeros": int(not inside),
            "pool_en": int((wrow, wcol) != (0, 0)),
            "store_en": int((wrow, wcol) == (pool.size - 1, pool.size - 1)),
            "activation": 1,
            "cols": cols,
        })
    return requests


def random_pooling(rng: random.Random) -> Pooling:
    return Pooling(stride=rng.randint(1, 3), size=rng.randint(1, 3), upad=rng.randrange(4), lpad=rng.randrange(4),
                   out_dim=rng.randrange(256), porows=rng.randint(1, 3), pocols=rng.randint(1, 4),
                   orows=rng.choice([255, rng.randint(1, 6)]), ocols=rng.choice([255, rng.randint(1, 6)]))


@pytest.mark.parametrize("dim", [4, 16])
def test_a_pooled_mvout_requests_every_element_of_every_window(dim: int) -> None:
    rng = random.Random(dim)
    with Simulation("rtl/gemmini", "StoreController", {"DIM": dim}) as sim:
        sim.reset()
        for _ in range(30):
            pool, stride = random_pooling(rng), rng.choice([16, rng.getrandbits(32)])
            requests_of(sim, config_st(stride, 1, 0, pool), FIELDS, rng)
            address, local, rows, _ = random_mvout(rng, dim)
            cols = rng.randint(1, dim)
            seen = requests_of(sim, mvout(address, local, rows, cols), FIELDS, rng, limit=3 * 4 * 9)
            assert [each | {"data": 0} if each["all_zeros"] else each for each in seen] == pooled(pool, stride, address, local, cols)


def test_after_a_pooled_mvout_plain_ones_start_from_the_first_row() -> None:
    rng = random.Random(5)
    with Simulation("rtl/gemmini", "StoreController", {"DIM": 4}) as sim:
        sim.reset()
        requests_of(sim, config_st(8, 1, 0, Pooling(1, 2, porows=2, pocols=2, orows=3, ocols=3)), FIELDS, rng)
        requests_of(sim, mvout(1, 0, 2, 4), FIELDS, rng)
        requests_of(sim, config_st(8, 1), FIELDS, rng)
        assert requests_of(sim, mvout(1, 0, 2, 4), FIELDS, rng) == expected(8, 1, 1, 0, 2, 4, 4)


def test_commands_of_other_controllers_change_nothing() -> None:
    rng = random.Random(1)
    with Simulation("rtl/gemmini", "StoreController", {"DIM": 4}) as sim:
        sim.reset()
        requests_of(sim, config_st(100, 1), FIELDS, rng)
        for other in (config_ld(7), (2, 5, 1 << 48), (6, 1, 1), (7, 0, 0)):
            assert requests_of(sim, other, FIELDS, rng) == []
        assert requests_of(sim, mvout(1, 0, 2, 4), FIELDS, rng) == expected(100, 1, 1, 0, 2, 4, 4)
