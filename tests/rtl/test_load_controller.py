"""LoadController: the DMA requests of random mvins under random bank configurations, against a loop over blocks and rows."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from commands import ACCUMULATE, ACCUMULATOR, FUNCT_CONFIG, config_ld, config_st, mvin
from dma_requests import Request, requests_of
from simulate import Simulation

FIELDS = ("vaddr", "data", "is_acc_addr", "accumulate", "has_acc_bitwidth", "all_zeros", "cols")


@dataclass(frozen=True, slots=True)
class Bank:
    stride: int = 0
    shrink: int = 0
    block_stride: int = 0


def expected(bank: Bank, address: int, local: int, rows: int, cols: int, dim: int) -> list[Request]:
    wide = int(bool(local & ACCUMULATOR) and not bank.shrink)
    return [
        {
            "vaddr": (address + row * bank.stride + block * dim * (4 if wide else 1)) % 2**40,
            "data": (local + row + block * bank.block_stride) % 2**14,
            "is_acc_addr": local >> 31,
            "accumulate": local >> 30 & 1,
            "has_acc_bitwidth": wide,
            "all_zeros": int(address == 0),
            "cols": min(dim, cols - block * dim),
        }
        for block in range(-(-cols // dim))
        for row in range(rows)
    ]


def random_bank(rng: random.Random) -> Bank:
    return Bank(rng.choice([0, 16, rng.getrandbits(40)]), rng.getrandbits(1), rng.choice([16, rng.getrandbits(14)]))


def random_mvin(rng: random.Random, dim: int) -> tuple[int, int, int, int]:
    address = rng.choice([0, 1 << rng.randrange(40), rng.getrandbits(40)])
    local = rng.getrandbits(14) | rng.choice([0, ACCUMULATOR, ACCUMULATOR | ACCUMULATE])
    return address, local, rng.choice([1, dim, rng.randint(1, dim)]), rng.choice([dim, 4 * dim, rng.randint(1, 4 * dim)])


@pytest.mark.parametrize("dim", [4, 16])
def test_random_mvins_request_every_row_of_every_block(dim: int) -> None:
    rng = random.Random(dim)
    banks = [Bank(), Bank(), Bank()]
    with Simulation("rtl/gemmini", "LoadController", {"DIM": dim}) as sim:
        sim.reset()
        for _ in range(60):
            number, bank = rng.randrange(3), random_bank(rng)
            banks[number] = bank
            configure = config_ld(bank.stride, number, bool(bank.shrink), bank.block_stride, rng.getrandbits(32), rng.randrange(256))
            assert requests_of(sim, configure, FIELDS, rng) == []
            used, operands = rng.randrange(3), random_mvin(rng, dim)
            assert requests_of(sim, mvin(*operands, bank=used), FIELDS, rng) == expected(banks[used], *operands, dim)


def test_commands_of_other_controllers_change_nothing() -> None:
    rng = random.Random(1)
    with Simulation("rtl/gemmini", "LoadController", {"DIM": 4}) as sim:
        sim.reset()
        requests_of(sim, config_ld(100), FIELDS, rng)
        for other in (config_st(7), (FUNCT_CONFIG, 0x8, 7), (3, 5, 1 << 48), (6, 1, 1), (127, 0, 0)):
            assert requests_of(sim, other, FIELDS, rng) == []
        assert requests_of(sim, mvin(1, 0, 2, 4), FIELDS, rng) == expected(Bank(100), 1, 0, 2, 4, 4)
