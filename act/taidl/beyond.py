"""What of an operation a compiler must know that selects instructions by what they read, compute and write."""

from __future__ import annotations

from act.taidl.expr import lookups
from act.taidl.model import Instruction


def beyond_selection(operation: Instruction) -> str | None:
    """The reason, in words, why reads, body and writes do not tell all that `operation` does or needs; None when they do.

    A generator that has no rule for these forms refuses the operation with this reason.
    """
    coordinates = [each for piece in operation.slices for each in piece.coordinates]
    reasons = {
        "it is a macro of other instructions": bool(operation.steps),
        "it waits for tokens, or gives them": bool(operation.pops or operation.pushes),
        "it must come before others": bool(operation.before),
        "it must not overlap with others": bool(operation.exclusive),
        "a predicate decides which elements it writes": any(write.mask is not None for write in operation.writes),
        "it finds an address in a buffer": any(map(lookups, coordinates)),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
