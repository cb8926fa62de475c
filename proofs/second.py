"""What Z3 has proved, asked of a second solver: bitwuzla, where it is installed and `PROOFS_SOLVER=bitwuzla` is set (`scripts/prove.py --solver bitwuzla`).

It gets each query as text, before Z3's simplifier has seen it.  Its limit counts its own questions whether to stop, not seconds.  What it cannot decide is
counted; what it decides otherwise is an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import z3

from lift.crosscheck.decide import subterms

CALLS = 200_000  # of the terminator


class Disagreement(AssertionError):
    """Two solvers say different things of one query."""


@dataclass(slots=True)
class Second:
    """How many queries it agreed on, and how many it could not decide."""

    agreed: int = 0
    unknown: int = 0


second = Second()


def is_asked() -> bool:
    return os.environ.get("PROOFS_SOLVER") == "bitwuzla"


def confirm(what: str, conditions: Sequence[z3.BoolRef]) -> None:
    """Asks whether the conditions, which Z3 found unsatisfiable, are.  Raises Disagreement."""
    import bitwuzla

    manager, options = bitwuzla.TermManager(), bitwuzla.Options()
    parser = bitwuzla.Parser(manager, options)
    parser.parse(smt_text(conditions), True, False)
    solver = parser.bitwuzla()
    solver.configure_terminator(_Calls())
    answer = solver.check_sat()
    if answer == bitwuzla.Result.SAT:
        raise Disagreement(f"{what}: proved by Z3, refuted by bitwuzla")
    if answer == bitwuzla.Result.UNSAT:
        second.agreed += 1
    else:
        second.unknown += 1


class _Calls:
    def __init__(self) -> None:
        self.left = CALLS

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def smt_text(conditions: Sequence[z3.BoolRef]) -> str:
    """SMT-LIB, as Z3 prints it, without a command to solve; names are numbered, as the RTL may use words of the language."""
    names = [t for t in subterms(conditions) if z3.is_const(t) and t.decl().kind() == z3.Z3_OP_UNINTERPRETED]
    plain = [(t, z3.Const(f"v{number}", t.sort())) for number, t in enumerate(names)]
    conditions = [_without_single(z3.substitute(c, *plain)) for c in conditions]
    solver = z3.SolverFor("QF_AUFBV")
    solver.set("rlimit", 1)
    solver.add(*conditions)
    return "(set-logic QF_AUFBV)\n" + solver.to_smt2().replace("(check-sat)", "")


def _without_single(condition: z3.BoolRef) -> z3.BoolRef:
    """Conjunctions and disjunctions of one condition are not in the language of the text."""
    while single := [t for t in subterms([condition]) if (z3.is_and(t) or z3.is_or(t)) and t.num_args() == 1]:
        condition = z3.substitute(condition, *((t, t.arg(0)) for t in single))  # type: ignore[assignment]
    return condition


__all__ = ["Disagreement", "confirm", "is_asked", "second"]
