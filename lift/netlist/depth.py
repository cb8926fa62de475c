"""Recursion over expressions: as deep as the design is, which may be far deeper than Python's limit.

Python 3.11 keeps frames of Python functions on the heap, so that a high limit is safe as long as the recursion does not pass through C.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 1_000_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow recursion of depth `LIMIT` inside."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
