"""Whole VTA programs: memory and every buffer afterwards equal the model's, whatever the memory's latency."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
import vta_instructions as vta
from vta_image import Case, check, expected
from vta_instructions import Tokens, micro_op
from vta_model import DEFAULT, SMALL, Config
from vta_streams import random_ordered_stream, random_stream

CONFIGS = [pytest.param(SMALL, id="small"), pytest.param(DEFAULT, id="default", marks=pytest.mark.slow)]


def matmul(rng: Random, config: Config, m: int, k: int, n: int) -> tuple[Case, np.ndarray, slice]:
    """C = A * W^T + bias, shifted right by 4 and clipped to int8, on tiles of one vector by one block; tokens order the three modules.

    m rows, k input blocks, n output blocks. Returns the program, the result that numpy expects, [n, m, block_out], and where it lies in memory.
    """
    generator = np.random.default_rng(rng.getrandbits(32))
    inp = generator.integers(-128, 128, (m, k, config.block_in), "i1")
    wgt = generator.integers(-128, 128, (n, k, config.block_out, config.block_in), "i1")
    bias = generator.integers(-(2**14), 2**14, (n, m, config.block_out), "<i4")
    uops = np.array([micro_op(j * m, kk, j * k + kk) for j in range(n) for kk in range(k)] + [micro_op()], "<u4")
    memory, places = bytearray(), []
    for part in (wgt, bias, inp, uops, np.zeros(bias.shape, "i1")):
        size = part[(0,) * (part.ndim - 2 if part is wgt else part.ndim - 1)].nbytes if part is not uops else 4
        memory += bytes(-len(memory) % size)
        places.append((len(memory) // size, len(memory)))
        memory += part.tobytes()
    whole = (1, 1)
    program = [
        vta.load(vta.UOP, 0, places[3][0], 1, len(uops), 0),
        vta.load(vta.ACC, 0, places[1][0], 1, n * m, 0),
        vta.load(vta.WGT, 0, places[0][0], n, k, k),
        vta.load(vta.INP, 0, places[2][0], m, k, k, tokens=Tokens(push_next=True)),
        vta.gemm((0, n * k), (m, 1), acc=(1, 0), inp=(k, 0), tokens=Tokens(pop_prev=True)),
        *(vta.alu(op, (n * k, n * k + 1), (n * m, 1), dst=whole, src=whole, imm=imm) for op, imm in ((vta.SHR, 4), (vta.MAX, -128))),
        vta.alu(vta.MIN, (n * k, n * k + 1), (n * m, 1), dst=whole, src=whole, imm=127, tokens=Tokens(push_next=True)),
        vta.store(0, places[4][0], n, m, m, tokens=Tokens(pop_prev=True, push_prev=True)),
        vta.finish(Tokens(pop_next=True)),
    ]
    total = np.einsum("mki,nkoi->nmo", inp.astype(int), wgt.astype(int)) + bias
    place = slice(places[4][1], places[4][1] + bias.size)
    return Case(program, bytes(memory)), np.clip(total >> 4, -128, 127).astype("i1"), place


@pytest.mark.parametrize("latency_seed", [0, 7])
@pytest.mark.parametrize("config", CONFIGS)
def test_a_matmul_with_bias_shift_and_clip_matches_numpy(config: Config, latency_seed: int, tmp_path: Path) -> None:
    rng = Random(str(config))
    built = [matmul(rng, config, rng.randint(1, 5), rng.randint(1, 3), rng.randint(1, 3)) for _ in range(5)]
    models = check(tmp_path, [case for case, _, _ in built], config, latency_seed)
    for model, (_, result, place) in zip(models, built, strict=True):
        assert np.array_equal(np.frombuffer(model.memory[place], "i1"), result.ravel())


def test_the_model_alone_gives_the_matmul() -> None:
    case, result, place = matmul(Random(3), DEFAULT, 3, 2, 2)
    assert np.array_equal(np.frombuffer(expected(case, DEFAULT).memory[place], "i1"), result.ravel())


@pytest.mark.parametrize("latency_seed", [0, 100])
@pytest.mark.parametrize("config", CONFIGS)
def test_random_streams_with_overlapping_modules_match_the_model(config: Config, latency_seed: int, tmp_path: Path) -> None:
    half = 4096 if config == SMALL else 8192
    cases = [random_stream(Random(f"{config} {latency_seed} {number}"), config, 40, half) for number in range(25)]
    check(tmp_path, cases, config, latency_seed)


@pytest.mark.parametrize("config", CONFIGS)
def test_random_streams_that_read_back_what_they_stored_match_the_model(config: Config, tmp_path: Path) -> None:
    size = 2048 if config == SMALL else 8192
    cases = [random_ordered_stream(Random(f"{config} {number}"), config, 40, size) for number in range(15)]
    check(tmp_path, cases, config, latency_seed=30)
