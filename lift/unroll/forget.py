"""What is remembered about terms, for a while only: a design is lifted unit by unit, and no unit needs the terms of another."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from lift.unroll import memory, relevance, solver, table


@contextmanager
def forgetting() -> Iterator[None]:
    """Terms that are made inside must not be used afterwards; those that were made before stay what they are."""
    remembered = (table.terms_made(), memory.known(), relevance.known(), solver.known())
    tables = [each for group in remembered for each in group]
    before = [dict(each) for each in tables]
    try:
        yield
    finally:
        for now, then in zip(tables, before, strict=True):
            now.clear()
            now.update(then)
        memory.merge_banks.cache_clear()
        solver.forget()
        gc.collect()  # exceptions and the frames that they come from hold one another
