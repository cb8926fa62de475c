"""Programs and memories -> what the Verilated RTL leaves in its memories, many programs in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).parents[2]
RUNNER = ROOT / "rtl/sim/gemmini"
MISSING = [tool for tool in ("verilator", "g++") if shutil.which(tool) is None]
needs_rtl = pytest.mark.skipif(bool(MISSING), reason=f"the RTL runs with Verilator and g++; missing: {', '.join(MISSING)}")

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Job:
    """`program` is the text of a program image, `memory` the host memory; `state` gives the local memories by file name, or nothing (zeros)."""

    program: str
    memory: Array
    state: Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Result:
    """The same after the program; `state` only when it was given before."""

    memory: Array
    state: Mapping[str, Array]
    cycles: int


def run_batch(
    jobs: Sequence[Job], folder: Path, size: int | str, latency_seed: int = 0, runner: Path = RUNNER, cycle_limit: int | None = None
) -> list[Result]:
    """All jobs on one simulator process of this DIM, or configuration; job n has the memory latency of seed `latency_seed` + n, none when it is 0.  A
    command that takes more than `cycle_limit` cycles is an error (None: as the simulator has it)."""
    listing = folder / "list"
    listing.write_text("".join(f"{_prepare(job, folder / str(number))}\n" for number, job in enumerate(jobs)))
    command = [str(runner), "--dim" if isinstance(size, int) else "--config", str(size), "--latency-seed", str(latency_seed), "--batch", str(listing)]
    command += ["--cycle-limit", str(cycle_limit)] if cycle_limit is not None else []
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    errors = {number: answer["error"] for number, answer in enumerate(answers) if "error" in answer}
    assert done.returncode == 0 and len(answers) == len(jobs), f"exit status {done.returncode}; {errors}; {done.stderr[-2000:]}"
    return [_result(job, folder / str(number), answer["cycles"]) for number, (job, answer) in enumerate(zip(jobs, answers, strict=True))]


def _prepare(job: Job, folder: Path) -> str:
    for each in ("load", "dump"):
        (folder / each).mkdir(parents=True)
    (folder / "P.img").write_text(job.program)
    job.memory.tofile(folder / "IN.bin")
    for name, contents in job.state.items():
        contents.tofile(folder / "load" / name)
    state = f"{folder / 'load'} {folder / 'dump'}" if job.state else ""
    return f"{folder / 'P.img'} {folder / 'IN.bin'} {folder / 'OUT.bin'} {state}"


def _result(job: Job, folder: Path, cycles: int) -> Result:
    state = {name: np.fromfile(folder / "dump" / name, before.dtype).reshape(before.shape) for name, before in job.state.items()}
    memory = np.fromfile(folder / "OUT.bin", np.uint8)
    shutil.rmtree(folder)
    return Result(memory, state, cycles)
