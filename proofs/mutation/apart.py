"""Functions -> their results, each computed in a forked process, of which some run at a time and none for too long."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")
PATIENCE = 8
"""How much longer than on a quiet machine something may take."""


@dataclass(frozen=True, slots=True)
class Failed:
    """No result: the function raised, the process died, or its time was over (`late`)."""

    why: str
    late: bool = False


@dataclass(slots=True)
class _Running:
    process: BaseProcess
    pipe: Connection
    ends: float


class Apart(Generic[Result]):
    """Runs each of `tasks` in a process that inherits everything, `jobs` at a time, each for at most `seconds` of the processor, or `PATIENCE` times as many
    of the clock; yields results in the order of tasks."""

    def __init__(self, tasks: Sequence[Callable[[], Result]], jobs: int, seconds: float) -> None:
        self.tasks, self.jobs, self.seconds = tasks, jobs, seconds
        self.running: dict[int, _Running] = {}
        self.done: dict[int, Result | Failed] = {}

    def results(self) -> Iterator[Result | Failed]:
        started = 0
        for number in range(len(self.tasks)):
            while number not in self.done:
                while len(self.running) < self.jobs and started < len(self.tasks):
                    self._start(started)
                    started += 1
                self._collect()
            yield self.done.pop(number)

    def _start(self, number: int) -> None:
        context = multiprocessing.get_context("fork")
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(there, self.tasks[number]))
        process.start()
        there.close()
        self.running[number] = _Running(process, here, monotonic() + PATIENCE * self.seconds)

    def _collect(self) -> None:
        ready = wait([each.pipe for each in self.running.values()], timeout=1)
        for number, each in list(self.running.items()):
            if each.pipe in ready:
                self._finish(number, _received(each))
            elif monotonic() > each.ends or _processor_seconds(each.process.pid) > self.seconds:
                each.process.kill()
                self._finish(number, Failed(f"not done after {self.seconds:.0f} s", late=True))

    def _finish(self, number: int, result: Result | Failed) -> None:
        each = self.running.pop(number)
        each.process.join()
        each.pipe.close()
        self.done[number] = result


def _processor_seconds(process: int | None) -> float:
    """What a process, and those that it waited for, has used; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def apart(task: Callable[[], Result], seconds: float) -> Result | Failed:
    """One function in a process of its own."""
    return next(Apart([task], 1, seconds).results())


def _received(each: _Running) -> Any:
    try:
        return each.pipe.recv()
    except EOFError:
        each.process.join()
        return Failed(f"the process ended with status {each.process.exitcode}")


def _send(there: Connection, task: Callable[[], Any]) -> None:
    try:
        there.send(task())
    except BaseException as error:  # whatever it is, it is the result
        there.send(Failed(f"{type(error).__name__}: {str(error)[:300]}"))
    there.close()
    os._exit(0)  # threads that still run are given up
