"""What was claimed of which instruction and state variable, with what result, in how many seconds and resource units of the solver: gathered test by test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import Any

from proofs import solve

Recorder = Callable[..., AbstractContextManager[None]]


class Claims:
    """`made` are the claims of one test as plain data."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    @contextmanager
    def __call__(self, **about: Any) -> Iterator[None]:
        """What is proved inside is one claim; it counts as proved if nothing is raised."""
        start, used = perf_counter(), solve.count.rlimit
        result = "refuted"
        try:
            yield
            result = "proved"
        except solve.Undecided:
            result = "unknown"
            raise
        except solve.Refuted:
            raise
        except solve.NotProved:
            result = "not proved"
            raise
        finally:
            self.made.append({**about, "result": result, "seconds": round(perf_counter() - start, 3), "rlimit": solve.count.rlimit - used})


__all__ = ["Claims", "Recorder"]
