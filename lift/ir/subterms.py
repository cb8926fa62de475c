"""Z3 expressions -> what they are made of, each subexpression once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import z3

from lift.ir.smt import Z3


def subterms(roots: Iterable[Z3]) -> Iterator[Z3]:
    """The roots and every expression below them."""
    seen = set[int]()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            stack.extend(term.children())
            yield term


def free(roots: Iterable[Z3]) -> list[Z3]:
    """The variables and arrays that are named in the roots."""
    return [t for t in subterms(roots) if z3.is_const(t) and t.decl().kind() == z3.Z3_OP_UNINTERPRETED]
