"""Loops over micro-operations: where an iteration stores to an address that is read from memory, nothing says that iterations keep out of each
other's way, so they are a sequence of steps, each a function of what the one before it has left.
"""

from __future__ import annotations

import re
from collections.abc import Container

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.terms import Term

Nest = tuple[tuple[Term, Term], ...]  # index and number of iterations, outermost first
INDEX = re.compile(r"i(\d+)'?")


def micro_coded(statements: tuple[Statement, ...], tables: Container[str]) -> tuple[Nest, tuple[Statement, ...]]:
    """The loops around one iteration and its statements; no loops where no address is read from one of `tables`, or the loops are not nested
    perfectly."""
    loops: list[tuple[Term, Term]] = []
    inner = statements
    while len(inner) == 1 and isinstance(inner[0], Loop):
        loops.append((inner[0].index, inner[0].count))
        inner = inner[0].body
    stores = [s for s in inner if isinstance(s, Store)]
    if not loops or len(stores) < len(inner) or not any(t.op == "load" and str(t.attr) in tables for s in stores for t in terms.walk(s.address)):
        return (), statements
    return tuple(loops), inner


def is_index(term: Term) -> bool:
    """The index of a loop, or of an earlier iteration of it."""
    return term.op == "sym" and INDEX.fullmatch(str(term.attr)) is not None


def of_iterations(condition: Term) -> bool:
    """Is it about two iterations of a loop?"""
    return any(is_index(t) and str(t.attr).endswith("'") for t in terms.walk(condition))
