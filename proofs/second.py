"""What Z3 has proved, or cannot decide, asked of a second solver: bitwuzla, where it is installed and `PROOFS_SOLVER=bitwuzla` is set
(`scripts/prove.py --solver bitwuzla`).

It gets each query before Z3's simplifier has seen it.  What it cannot decide either is counted; what it decides otherwise is an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import z3

from lift.prove import bitwuzla


class Disagreement(AssertionError):
    """Two solvers say different things of one query."""


@dataclass(slots=True)
class Second:
    """How many queries it agreed on, how many it could not decide, and how many it decided that Z3 could not."""

    agreed: int = 0
    unknown: int = 0
    alone: int = 0


second = Second()


def is_asked() -> bool:
    return os.environ.get("PROOFS_SOLVER") == bitwuzla.NAME


def confirm(what: str, conditions: Sequence[z3.BoolRef]) -> None:
    """Asks whether the conditions, which Z3 found unsatisfiable, are.  Raises Disagreement."""
    match bitwuzla.answer(conditions):
        case "sat":
            raise Disagreement(f"{what}: proved by Z3, refuted by bitwuzla")
        case "unsat":
            second.agreed += 1
        case _:
            second.unknown += 1


def decides(conditions: Sequence[z3.BoolRef]) -> bitwuzla.Answer:
    """Asks what Z3 could not decide."""
    answer = bitwuzla.answer(conditions)
    second.alone += answer != "unknown"
    second.unknown += answer == "unknown"
    return answer


__all__ = ["Disagreement", "Second", "confirm", "decides", "is_asked", "second"]
