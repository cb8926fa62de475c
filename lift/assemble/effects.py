"""What a lifted function does, as data: stores under loops and conditions, or the final value of a register."""

from __future__ import annotations

from dataclasses import dataclass

from lift.unroll.terms import Term


@dataclass(frozen=True, slots=True)
class Effect:
    """One store: for all values of the loops' indices (outermost first, with their counts), when `conditions` hold, word `address` becomes
    `data`."""

    memory: str
    loops: tuple[tuple[Term, Term], ...]
    conditions: tuple[Term, ...]
    address: Term
    data: Term


@dataclass(frozen=True, slots=True)
class Reading:
    """The stores of a function in order, or the final value of a register."""

    effects: tuple[Effect, ...]
    result: Term | None
