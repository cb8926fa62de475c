"""The instruction set of rtl/vta and a copy of the RTL -> what random streams of instructions leave otherwise on the RTL than the instruction set says.

Streams are drawn and executed on the oracle once a process; they take and give tokens, so that modules run side by side only where that changes nothing.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from own_tests import FOLDER, from_tests

from act.program import Command
from act.runner import program_image
from proofs.mutation.simulator import DUMP, OUTPUT, Ended, cycles_of, executed, with_simulator

sys.path.append(str(FOLDER / "rtl"))  # where the model of the design and of its instructions are
hardware, tests, rtl = (from_tests(f"end_to_end.{name}") for name in ("vta_hardware", "test_vta_streams", "rtl"))
Hardware, Stream = Any, Any
RUNNER: Path = hardware.RUNNER
PARAMETERS: dict[str, int | str] = hardware.CONFIG.parameters()
OPTIONS = ["--config", "small"]

ALONE, LONG, LENGTH = 150, 50, 8
"""Streams that end after one operation and what it needs; longer ones, of so many operations and the last one."""


@cache
def streams(text: str) -> tuple[Hardware, list[Stream]]:
    """Streams of a specification, and what they should leave."""
    target = hardware.Hardware(text)
    return target, [*tests.in_turn(target, range(ALONE)), *tests.in_turn(target, range(ALONE, ALONE + LONG), LENGTH)]


def prepare(text: str) -> None:
    """Have everything ready that all mutants share."""
    streams(text)
    subprocess.run([RUNNER, *OPTIONS, "--build"], check=True, capture_output=True)


def run(text: str, folder: Path) -> tuple[list[str], tuple[int, ...]]:
    """Differences between the RTL in `folder` (a copy of the files of the design) and the instruction set `text`; the cycles of every stream."""
    target, found = streams(text)
    jobs = folder.parent / "jobs"
    try:
        answers = executed([_job(target, stream) for stream in found], with_simulator(RUNNER, folder), OPTIONS, jobs)
    except Ended as error:
        return [str(error)], ()
    differences = [line for number, (stream, answer) in enumerate(zip(found, answers, strict=True)) for line in _one(stream, answer, jobs / str(number))]
    return differences, cycles_of(answers)


def _job(target: Hardware, stream: Stream) -> Any:
    program = program_image(target.accelerator, [Command(*each) for each in stream.operations])
    return rtl.Job(program, stream.before["mem"], {f"{name}.bin": stream.before[name] for name in hardware.BUFFERS})


def _one(stream: Stream, answer: dict[str, Any], folder: Path) -> list[str]:
    """What one stream left otherwise."""
    if "error" in answer:
        return [f"seed {stream.seed}: {str(answer['error']).partition(': ')[2]}"]
    files = {"mem": folder / OUTPUT} | {name: folder / DUMP / f"{name}.bin" for name in hardware.BUFFERS}
    return list(hardware.differences(stream, {name: np.fromfile(file, np.uint8) for name, file in files.items()}))
