"""Functions of parts of an instruction set, remembered by identity: those parts live as long as the backend, and to hash an expression is to
walk through all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from act.taidl.expr import names
from act.taidl.model import Expr

Result = TypeVar("Result")

MOST = 20_000
"""Results that are kept; then all are forgotten."""


def by_identity(function: Callable[..., Result]) -> Callable[..., Result]:
    """The function, which looks at its first argument once for each object; all other arguments are compared as usual."""
    known: dict[tuple[Any, ...], tuple[Any, Result]] = {}

    def remembered(first: Any, *rest: Any) -> Result:
        found = known.get((id(first), *rest))
        if found is None:
            if len(known) >= MOST:
                known.clear()
            found = known[id(first), *rest] = first, function(first, *rest)  # the object is kept, so that its number stays its own
        return found[1]

    return remembered


@by_identity
def names_of(expr: Expr) -> frozenset[str]:
    """The names that occur in an expression of an instruction."""
    return names(expr)
