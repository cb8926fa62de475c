"""Room for deep recursion: long combinational paths are followed by functions that call themselves."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

STACK_BYTES = 512 << 20
Result = TypeVar("Result")


def with_deep_recursion(work: Callable[[], Result]) -> Result:
    """Run `work` in a thread whose stack is deep enough for long combinational paths."""
    outcome: list[Result] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # raised again in the caller's thread
            failure.append(error)

    before = threading.stack_size(STACK_BYTES)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    threading.stack_size(before)
    sys.setrecursionlimit(limit)
    if failure:
        raise failure[0]
    return outcome[0]
