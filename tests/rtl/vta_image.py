"""Runs VTA programs on the RTL runner, many in one process, and gives back memories and buffers."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from model_build import REPOSITORY
from vta_model import DEFAULT, SMALL, Config, Machine

RUNNER = REPOSITORY / "rtl" / "sim" / "vta"
NAMES = {DEFAULT: "default", SMALL: "small"}


@dataclass(frozen=True, slots=True)
class Case:
    """A program (instruction words) and the memory that it starts with."""

    program: Sequence[int]
    memory: bytes


def write_program(path: Path, program: Sequence[int]) -> None:
    path.write_text("".join(f"{word:032x}\n" for word in program))


def run_cases(folder: Path, cases: Sequence[Case], config: Config, latency_seed: int, runner: Path = RUNNER) -> list[tuple[bytes, Mapping[str, bytes]]]:
    """Memory and buffers (by name) after each program, each on a fresh machine."""
    lines = []
    for number, case in enumerate(cases):
        write_program(folder / f"{number}.img", case.program)
        (folder / f"{number}.in").write_bytes(case.memory)
        lines.append(f"{folder}/{number}.img {folder}/{number}.in {folder}/{number}.out - {folder}/{number}.state")
    (folder / "list").write_text("\n".join(lines))
    command = [runner, "--batch", folder / "list", "--config", NAMES[config], "--latency-seed", str(latency_seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [((folder / f"{n}.out").read_bytes(), {path.stem: path.read_bytes() for path in (folder / f"{n}.state").iterdir()})
            for n in range(len(cases))]


def expected(case: Case, config: Config) -> Machine:
    machine = Machine(config, bytearray(case.memory))
    for word in case.program:
        machine.execute(word)
    return machine


def check(folder: Path, cases: Sequence[Case], config: Config, latency_seed: int = 0, runner: Path = RUNNER) -> list[Machine]:
    """Run on RTL and model; memory and every buffer must agree. Returns the models."""
    models = [expected(case, config) for case in cases]
    results = run_cases(folder, cases, config, latency_seed, runner)
    for number, (model, (memory, buffers)) in enumerate(zip(models, results, strict=True)):
        for name, buffer in model.buffers().items():
            seen = np.frombuffer(buffers[name], buffer.dtype).reshape(buffer.shape)
            assert np.array_equal(seen, buffer), f"{name} after program {number} in {folder}: elements {np.unique(np.nonzero(seen != buffer)[0])}"
        assert memory == bytes(model.memory), f"memory after program {number} in {folder}"
    return models
