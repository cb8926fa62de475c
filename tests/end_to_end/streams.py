"""A random stream of instructions, executed on the oracle, and its comparison with the RTL."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from act.oracle import Executor
from act.oracle.machine import Array, Machine
from act.oracle.streams import Streams, commands
from act.oracle.strict import StrictMachine
from act.program import Command
from act.runner import program_image
from act.taidl.encode import Issue
from tests.end_to_end.machines import Hardware
from tests.end_to_end.rtl import RUNNER, Job, Result, run_batch

HOST_BYTES = 1 << 14
BATCH = 100


class Stream:
    """Operations drawn from `seed`: `length` arbitrary ones, then some that end with the one called `last`; `parts`: parts of composites alone, too."""

    def __init__(self, hardware: Hardware, seed: int, last: str, length: int = 0, parts: bool = True) -> None:
        self.hardware, self.seed = hardware, seed
        self.before = self._machine()
        self.machine = self._machine()
        drawn = Streams(self.machine, seed, parts)
        self.operations: list[Issue] = drawn.draw(length) + drawn.reach(last)
        self.commands = commands(hardware.accelerator, self.operations)

    def _machine(self) -> StrictMachine:
        hardware, random = self.hardware, np.random.default_rng(self.seed)
        machine = StrictMachine(hardware.accelerator, {hardware.host: _contents(random, (HOST_BYTES,), np.dtype(np.uint8))}, self.seed, hardware.local.values())
        for name in hardware.local.values():
            machine.buffers[name] = _contents(random, machine.buffers[name].shape, machine.buffers[name].dtype)
        return machine

    @property
    def job(self) -> Job:
        buffers, hardware = self.before.buffers, self.hardware
        program = program_image(hardware.accelerator, [Command(*each) for each in self.commands])
        return Job(program, buffers[hardware.host], {file: buffers[name] for file, name in hardware.local.items()})

    def differences(self, result: Result) -> list[str]:
        """What the RTL left otherwise than the oracle."""
        found = {self.hardware.host: result.memory} | {self.hardware.local[file]: contents for file, contents in result.state.items()}
        return [*self._different(found), *self._replayed()]

    def _replayed(self) -> Iterator[str]:
        """What differs when the commands are executed one by one, without composites, or as hardware gets them."""
        machine = self._machine()
        for name, attributes in self.commands:
            if self.hardware.accelerator.instructions[name].opaque:
                return
            machine.step(name, attributes)
        yield from self._different(machine.buffers, "executed instruction by instruction: ")

    def recognised(self) -> list[str]:
        """What differs when composites are found among the commands."""
        machine: Machine = self._machine()
        Executor(machine).execute(self.commands)
        return list(self._different(machine.buffers, "with composites recognised: "))

    def _different(self, found: dict[str, Array], how: str = "") -> Iterator[str]:
        for name, contents in found.items():
            expected, open_ = self.machine.buffers[name], self.machine.unspecified[name].reshape(contents.shape)
            wrong = np.argwhere((contents != expected) & ~open_)
            if wrong.size:
                at = tuple(wrong[0])
                values = f"{contents[at]} where the oracle has {expected[at]}"
                yield f"seed {self.seed}: {how}{len(wrong)} elements of {name} differ, first {list(map(int, at))}: {values}, after {self.operations}"


def _contents(random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Over the whole type, around what is cut off when it is narrowed, or near the ends of the type."""
    limits = np.iinfo(dtype)
    match random.integers(3):
        case 0:
            return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        case 1:
            return random.integers(max(limits.min, -200), min(limits.max, 200), shape, dtype, endpoint=True)
    return random.choice(np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype), shape)


def compare(hardware: Hardware, streams: Iterable[Stream], latency_seed: int, runner: Path = RUNNER) -> tuple[Counter[str], list[str]]:
    """How often each operation was executed, and all differences."""
    executed: Counter[str] = Counter()
    found: list[str] = []
    remaining = iter(streams)
    while batch := list(islice(remaining, BATCH)):
        for stream, result in zip(batch, _run(hardware, batch, latency_seed, runner), strict=True):
            found += stream.differences(result)
            executed.update(name for name, _ in stream.operations)
    return executed, found


def _run(hardware: Hardware, batch: Sequence[Stream], latency_seed: int, runner: Path) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        return run_batch([stream.job for stream in batch], Path(folder), hardware.dim, latency_seed, runner)
