"""Random valid instruction streams leave the local memories and the host memory of RTL and oracle identical."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from act.oracle import Executor, Machine
from act.oracle.streams import random_stream
from act.program import Command
from act.runner import program_image
from act.taidl import Accelerator, parse
from act.taidl.encode import Issue

ROOT = Path(__file__).parents[2]
RUNNER = ROOT / "rtl/sim/gemmini"
DUMPS = {"spad.bin": 16384 * 16, "acc.bin": 1024 * 16 * 4}
"""The local memories that the runner loads and writes, with their bytes at DIM = 16."""
HOST_BYTES = 1 << 14
ISAS = [path for path in (ROOT / "isas/reference/systolic16.taidl", ROOT / "isas/generated/gemmini.taidl") if path.exists()]

pytestmark = pytest.mark.skipif(shutil.which("verilator") is None, reason="needs Verilator")


class Stream:
    """One random stream, executed on the oracle, and its files in `folder` for the runner."""

    def __init__(self, accelerator: Accelerator, seed: int, operations: int, folder: Path) -> None:
        self.folder = folder
        (host,) = [name for name, buffer in accelerator.buffers.items() if buffer.hbm]
        memory = np.random.default_rng(seed).integers(0, 256, HOST_BYTES, dtype=np.uint8)
        self.machine = Machine(accelerator, {host: memory.copy()}, seed)
        self.arrays = {name: self._local(size) for name, size in DUMPS.items()} | {"out.bin": self.machine.buffers[host]}
        for part in ("load", "dump"):
            (folder / part).mkdir(parents=True)
        for name in DUMPS:
            self.arrays[name].tofile(folder / "load" / name)
        memory.tofile(folder / "in.bin")
        before = {name: contents.copy() for name, contents in self.machine.buffers.items()}
        self.commands = random_stream(self.machine, seed, operations)
        self.replayed = replay(accelerator, before, seed, self.commands)
        (folder / "p.img").write_text(program_image(accelerator, [Command(*issue) for issue in self.commands]))

    def _local(self, size: int) -> np.ndarray:
        (found,) = [contents for contents in self.machine.buffers.values() if contents.nbytes == size]
        return found

    @property
    def line(self) -> str:
        return " ".join(str(self.folder / name) for name in ("p.img", "in.bin", "out.bin", "load", "dump"))

    def differences(self) -> list[str]:
        found = []
        for name, expected in self.arrays.items():
            file = self.folder / name if name == "out.bin" else self.folder / "dump" / name
            actual = np.fromfile(file, dtype=expected.dtype).reshape(expected.shape)
            if not np.array_equal(actual, expected):
                found.append(f"{name} differs first at {np.argwhere(actual != expected)[0].tolist()} after {self.commands}")
        return found


def replay(accelerator: Accelerator, before: dict[str, np.ndarray], seed: int, commands: list[Issue]) -> Machine:
    """A machine on which the commands were executed as hardware gets them, composites in parts."""
    machine = Machine(accelerator, seed=seed)
    machine.buffers.update(before)
    Executor(machine).execute(commands)
    return machine


def run(streams: list[Stream], folder: Path) -> None:
    listing = folder / "list"
    listing.write_text("\n".join(stream.line for stream in streams) + "\n")
    done = subprocess.run([RUNNER, "--batch", listing], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(streams) and all("cycles" in answer for answer in answers), answers


def compare(isa: Path, count: int, operations: int, folder: Path) -> Counter[str]:
    """How often each instruction was executed, after all `count` streams were found equal."""
    accelerator = parse(isa.read_text())
    streams = [Stream(accelerator, seed, operations, folder / str(seed)) for seed in range(count)]
    run(streams, folder)
    assert [difference for stream in streams for difference in stream.differences()] == []
    for stream in streams:
        assert all(np.array_equal(stream.replayed.buffers[name], contents) for name, contents in stream.machine.buffers.items())
    return Counter(name for stream in streams for name, _ in stream.commands)


@pytest.mark.parametrize("isa", ISAS, ids=lambda path: path.stem)
def test_single_instructions_have_the_same_effect(isa: Path, tmp_path: Path) -> None:
    compare(isa, 40, 3, tmp_path)


@pytest.mark.parametrize("isa", ISAS, ids=lambda path: path.stem)
def test_short_streams_have_the_same_effect(isa: Path, tmp_path: Path) -> None:
    executed = compare(isa, 40, 12, tmp_path)
    never = [each.name for each in parse(isa.read_text()).instructions.values() if not executed[each.name]]
    assert len(never) <= len(executed) // 4, f"the streams never contain {never}"
