"""Lifted functions, kept by what they are but for names: the shape of the update function and how its changes were justified."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from lift.cache.digest import digest, tool
from lift.cache.store import Store
from lift.passes.reuse import Lifted, Lifter, shape
from lift.unroll.function import Argument, UpdateFunction

FUNCTIONS = "functions"


@dataclass(frozen=True, slots=True)
class Kept:
    """`recall` tells a lifter of the functions that were lifted before; `keep` writes one that it has lifted."""

    recall: Callable[[Iterable[UpdateFunction], Lifter], None]
    keep: Callable[[UpdateFunction, Lifted], None]


def kept(store: Store | None, proved: bool) -> Kept:
    if store is None:
        return Kept(lambda functions, lifter: None, lambda function, lifted: None)
    there = store

    def key(form: tuple[object, ...]) -> str:
        return digest(tool(), "proved" if proved else "tested", form)

    def recall(functions: Iterable[UpdateFunction], lifter: Lifter) -> None:
        for function in functions:
            form = shape(function)
            found: tuple[tuple[Argument, ...], Lifted] | None = None if form in lifter.seen else there.load(FUNCTIONS, key(form))
            if found is not None:
                lifter.seen[form] = replace(function, arguments=found[0]), found[1]

    def keep(function: UpdateFunction, lifted: Lifted) -> None:
        """What could not be decided is tried again the next time."""
        if not lifted.reused and not any(r.unknown for r in lifted.reports):
            there.save(FUNCTIONS, key(shape(function)), (function.arguments, lifted))

    return Kept(recall, keep)
