"""The whole accelerator runs random programs; its memory afterwards equals numpy's, whatever the memory's latency."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from image import Image, run_images
from matmul_programs import chain_in_scratchpad, matmul_in_accumulator, output_stationary, transposed_weights, wide_moves
from model_build import REPOSITORY
from pooling_programs import pooled_image

Generator = Callable[[Random, int], tuple[Image, bytearray]]
SIZES = [(4, 30), (16, 12), (8, 4), pytest.param(32, 2, marks=pytest.mark.slow)]  # DIM, number of programs


def check(generator: Generator, dim: int, count: int, folder: Path, latency_seed: int) -> None:
    cases = [generator(Random(f"{generator.__name__} {dim} {number}"), dim) for number in range(count)]
    memories = run_images(folder, [image for image, _ in cases], dim, latency_seed)
    for number, ((_, expected), memory) in enumerate(zip(cases, memories, strict=True)):
        assert memory == expected, f"program {number} in {folder}"


@pytest.mark.parametrize("latency_seed", [0, 11])
@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_tiled_matmuls_with_bias_and_activation_match_numpy(dim: int, count: int, latency_seed: int, tmp_path: Path) -> None:
    check(matmul_in_accumulator, dim, count, tmp_path, latency_seed)


@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_chained_matmuls_in_the_scratchpad_match_numpy(dim: int, count: int, tmp_path: Path) -> None:
    check(chain_in_scratchpad, dim, count, tmp_path, latency_seed=5)


@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_sums_that_stay_in_the_array_match_numpy(dim: int, count: int, tmp_path: Path) -> None:
    check(output_stationary, dim, count, tmp_path, latency_seed=9)


@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_transposed_weights_match_numpy(dim: int, count: int, tmp_path: Path) -> None:
    check(transposed_weights, dim, count, tmp_path, latency_seed=2)


@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_wide_moves_shrink_and_accumulating_mvins_match_numpy(dim: int, count: int, tmp_path: Path) -> None:
    check(wide_moves, dim, count, tmp_path, latency_seed=3)


@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_max_pooling_on_the_way_out_matches_numpy(dim: int, count: int, tmp_path: Path) -> None:
    check(pooled_image, dim, count, tmp_path, latency_seed=7)


@pytest.mark.parametrize("dim", [4, 8, 16])
def test_verilator_has_no_warning_about_the_whole_design(dim: int) -> None:
    rtl = REPOSITORY / "rtl" / "gemmini"
    command = ["verilator", "--lint-only", "-Wall", f"-GDIM={dim}", "--top-module", "Gemmini", "-y", rtl, rtl / "Gemmini.v"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
