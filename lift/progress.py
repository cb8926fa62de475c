"""What is being done, for the person who waits: a bar on a terminal, plain lines elsewhere, on stderr.  Also keeps the seconds of each stage."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from types import TracebackType
from typing import TextIO

QUIET_SECONDS = 5.0  # between two plain lines about steps of one stage
LONG = ("execute", "passes")  # stages worth a plain line before they are over


class Progress:
    """Counts seconds and shows nothing; `seconds` maps each finished stage to its wall time."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def stage(self, name: str, total: int | None = None) -> Iterator[None]:
        """The work inside is stage `name`, of `total` steps if that is known."""
        start = perf_counter()
        self.begin(name, total)
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
        self.end(name)

    def begin(self, name: str, total: int | None) -> None: ...

    def step(self, label: str, number: int = 1) -> None:
        """The next step of the stage begins (or `number` of them), and is about `label`."""

    def end(self, name: str) -> None: ...

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing is shown inside: no other thread holds a lock while processes are forked."""
        yield

    def close(self) -> None: ...


class Lines(Progress):
    """Plain lines: each stage that took a second, and from time to time the step that it is at."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self.out, self.name, self.total, self.done = out, "", None, 0
        self.spoke = perf_counter()

    def begin(self, name: str, total: int | None) -> None:
        self.name, self.total, self.done, self.spoke = name, total, 0, perf_counter()
        if name in LONG:
            print(f"{name} ...", file=self.out, flush=True)

    def step(self, label: str, number: int = 1) -> None:
        self.done += number
        if perf_counter() - self.spoke >= QUIET_SECONDS:
            self.spoke = perf_counter()
            of = f"{self.done} of {self.total}, " if self.total else ""
            print(f"{self.name}: {of}{label}", file=self.out, flush=True)

    def end(self, name: str) -> None:
        if self.seconds[name] >= 1:
            print(f"{name}: {self.seconds[name]:.1f} s", file=self.out, flush=True)


class Bar(Progress):
    """One live line on a terminal, gone when the work is done."""

    def __init__(self, out: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        super().__init__()
        label = TextColumn("{task.fields[label]}")
        columns = (SpinnerColumn(), TextColumn("{task.description:<9}"), BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn(), label)
        self.live = RichProgress(*columns, console=Console(file=out), transient=True)
        self.live.start()
        self.task = self.live.add_task("", total=None, label="")

    def begin(self, name: str, total: int | None) -> None:
        self.live.reset(self.task, description=name, total=total, completed=0, label="")

    def step(self, label: str, number: int = 1) -> None:
        self.live.update(self.task, advance=number, label=label)

    @contextmanager
    def still(self) -> Iterator[None]:
        self.live.stop()
        yield
        self.live.start()

    def close(self) -> None:
        self.live.stop()


def for_stream(out: TextIO = sys.stderr) -> Progress:
    """What suits `out`: a bar on a terminal, lines elsewhere."""
    return Bar(out) if out.isatty() else Lines(out)
