"""An instruction set and a copy of the RTL -> what random streams of instructions leave otherwise on the RTL than the instruction set says.

The simulator is built from the copy, so what it needs beside the RTL is copied too. Streams are drawn and executed on the oracle once a process.
"""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from own_tests import from_tests

from proofs.mutation.simulator import DUMP, OUTPUT, Ended, cycles_of, executed, with_simulator

machines, rtl = from_tests("end_to_end.machines"), from_tests("end_to_end.rtl")
tests = from_tests("end_to_end.test_streams")
Hardware, Stream = Any, Any
RUNNER: Path = rtl.RUNNER

ALONE, LONG, LENGTH = 130, 60, 10
"""Streams that end after one operation and what configures it; longer ones, of so many operations and the last one."""


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
    found, jobs = found[:count], folder.parent / "jobs"
    try:
        answers = executed([stream.job for stream in found], with_simulator(RUNNER, folder), ["--dim", str(target.dim)], jobs)
    except Ended as error:
        return [str(error)], ()
    differences = [line for number, (stream, answer) in enumerate(zip(found, answers, strict=True)) for line in _one(stream, answer, jobs / str(number))]
    return differences, cycles_of(answers)


def _one(stream: Stream, answer: dict[str, object], folder: Path) -> list[str]:
    """What one stream left otherwise."""
    where = f"stream {stream.seed}, ending in {stream.operations[-1][0]}"
    if "error" in answer:
        return [f"{where}: {str(answer['error']).partition(': ')[2]}"]
    files = {stream.hardware.host: folder / OUTPUT} | {name: folder / DUMP / file for file, name in stream.hardware.local.items()}
    wrong = []
    for name, file in files.items():
        expected = stream.machine.buffers[name]
        left = np.fromfile(file, expected.dtype).reshape(expected.shape)
        places = np.argwhere((left != expected) & ~stream.machine.unspecified[name].reshape(expected.shape))
        if len(places):
            at = tuple(places[0])
            wrong.append(f"{where}: {name}{list(map(int, at))} is {left[at]}, the specification says {expected[at]}")
    return wrong
