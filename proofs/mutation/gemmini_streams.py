"""An instruction set and a copy of the RTL -> what random streams of instructions leave otherwise on the RTL than the instruction set says.

The simulator is built from the copy, so what it needs beside the RTL is copied too. Streams are drawn and executed on the oracle once a process.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from own_tests import from_tests

machines, rtl = from_tests("end_to_end.machines"), from_tests("end_to_end.rtl")
tests = from_tests("end_to_end.test_streams")
Hardware, Job, Stream = Any, Any, Any
RUNNER: Path = rtl.RUNNER

ALONE, LONG, LENGTH = 130, 60, 10
"""Streams that end after one operation and what configures it; longer ones, of so many operations and the last one."""
CYCLES = "20000"
LATENCY_SEED = "1"
SECONDS = 240


@cache
def streams(text: str) -> tuple[Hardware, list[Stream]]:
    """Streams of a specification, and what they should leave."""
    target = machines.hardware(text)
    return target, [*tests.in_turn(target, range(ALONE)), *tests.in_turn(target, range(ALONE, ALONE + LONG), LENGTH)]


def prepare(text: str) -> None:
    """Have everything ready that all mutants share."""
    streams(text)
    subprocess.run([RUNNER, "--dim", str(machines.hardware(text).dim), "--build"], check=True, capture_output=True)


def run(text: str, folder: Path, count: int | None = None) -> tuple[list[str], tuple[int, ...]]:
    """Differences between the RTL in `folder` (a copy of the files of the design) and the instruction set `text`; the cycles of every stream."""
    target, found = streams(text)
    with_simulator(folder)
    return _compare(target, found[:count], folder.parent / "sim/gemmini", folder.parent / "jobs")


def with_simulator(folder: Path) -> None:
    """The simulator's sources beside the RTL, and its runtime library, which does not depend on the RTL."""
    shutil.copytree(RUNNER.parent, folder.parent / "sim", dirs_exist_ok=True)
    cache_folder = folder.parents[1] / "build/runner"
    cache_folder.mkdir(parents=True, exist_ok=True)
    for each in (RUNNER.parents[2] / "build/runner").glob("verilated*.o"):
        shutil.copy2(each, cache_folder)


def _compare(target: Hardware, found: Sequence[Stream], runner: Path, folder: Path) -> tuple[list[str], tuple[int, ...]]:
    listing = folder / "list"
    folder.mkdir()
    listing.write_text("".join(_write(stream.job, folder / str(number)) for number, stream in enumerate(found)))
    options = ["--dim", str(target.dim), "--cycle-limit", CYCLES, "--latency-seed", LATENCY_SEED, "--batch", str(listing)]
    done = subprocess.run([str(runner), *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode == 2:  # as the runner has it: the other reader of the RTL refuses it, which says nothing about results
        raise RuntimeError(f"the simulator could not be built: {done.stderr[-300:]}")
    if len(answers) != len(found):
        return [f"the simulator ended early: {done.stderr[-300:]}"], ()
    differences = [line for number, (stream, answer) in enumerate(zip(found, answers, strict=True)) for line in _one(stream, answer, folder / str(number))]
    return differences, tuple(int(answer.get("cycles", -1)) for answer in answers)


def _write(job: Job, folder: Path) -> str:
    for each in ("load", "dump"):
        (folder / each).mkdir(parents=True)
    (folder / "P.img").write_text(job.program)
    job.memory.tofile(folder / "IN.bin")
    for name, contents in job.state.items():
        contents.tofile(folder / "load" / name)
    return f"{folder / 'P.img'} {folder / 'IN.bin'} {folder / 'OUT.bin'} {folder / 'load'} {folder / 'dump'}\n"


def _one(stream: Stream, answer: dict[str, object], folder: Path) -> list[str]:
    """What one stream left otherwise."""
    where = f"stream {stream.seed}, ending in {stream.operations[-1][0]}"
    if "error" in answer:
        return [f"{where}: {str(answer['error']).partition(': ')[2]}"]
    files = {stream.hardware.host: folder / "OUT.bin"} | {name: folder / "dump" / file for file, name in stream.hardware.local.items()}
    wrong = []
    for name, file in files.items():
        expected = stream.machine.buffers[name]
        left = np.fromfile(file, expected.dtype).reshape(expected.shape)
        places = np.argwhere((left != expected) & ~stream.machine.unspecified[name].reshape(expected.shape))
        if len(places):
            at = tuple(places[0])
            wrong.append(f"{where}: {name}{list(map(int, at))} is {left[at]}, the specification says {expected[at]}")
    return wrong
