"""Programs with memories -> what a simulator that is built from a copy of the RTL answers and leaves, all in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CYCLES = "100000"  # a window of 4 x 4 for each of some hundred pixels takes tens of thousands
LATENCY_SEED = "1"
SECONDS = 240
OUTPUT, DUMP = "OUT.bin", "dump"
Job = Any


class Ended(Exception):
    """The simulator did not answer for every program; the message is its own."""


def with_simulator(runner: Path, folder: Path) -> Path:
    """The simulator's sources beside the RTL in `folder`, and its runtime library, which does not depend on the RTL.  Returns the runner there."""
    shutil.copytree(runner.parent, folder.parent / "sim", dirs_exist_ok=True)
    cache_folder = folder.parents[1] / "build/runner"
    cache_folder.mkdir(parents=True, exist_ok=True)
    for each in (runner.parents[2] / "build/runner").glob("verilated*.o"):
        shutil.copy2(each, cache_folder)
    return folder.parent / "sim" / runner.name


def executed(jobs: Sequence[Job], runner: Path, options: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """The answers; job n leaves its memory in `folder`/n/OUT.bin and its buffers in `folder`/n/dump.  Raises Ended."""
    folder.mkdir()
    listing = folder / "list"
    listing.write_text("".join(_written(job, folder / str(number)) for number, job in enumerate(jobs)))
    command = [str(runner), *options, "--cycle-limit", CYCLES, "--latency-seed", LATENCY_SEED, "--batch", str(listing)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode == 2:  # as the runner has it: the other reader of the RTL refuses it, which says nothing about results
        raise RuntimeError(f"the simulator could not be built: {done.stderr[-300:]}")
    if len(answers) != len(jobs):
        raise Ended(f"the simulator ended early: {done.stderr[-300:]}")
    return answers


def _written(job: Job, folder: Path) -> str:
    for each in ("load", DUMP):
        (folder / each).mkdir(parents=True)
    (folder / "P.img").write_text(job.program)
    job.memory.tofile(folder / "IN.bin")
    for name, contents in job.state.items():
        contents.tofile(folder / "load" / name)
    return f"{folder / 'P.img'} {folder / 'IN.bin'} {folder / OUTPUT} {folder / 'load'} {folder / DUMP}\n"


def cycles_of(answers: Sequence[dict[str, Any]]) -> tuple[int, ...]:
    return tuple(int(answer.get("cycles", -1)) for answer in answers)
