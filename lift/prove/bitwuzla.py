"""Conditions over Z3's terms -> the answer of a second solver, bitwuzla, where its package is installed (the extra of that name).

It gets them as text.  Its limit counts its own questions whether to stop, not seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Literal

import z3

from lift.ir.smt import Z3
from lift.ir.subterms import free, subterms

CALLS = 200_000  # of the terminator
NAME = "bitwuzla"
Answer = Literal["unsat", "sat", "unknown"]


def is_installed() -> bool:
    return find_spec(NAME) is not None


def identity() -> tuple[str, str, int]:
    """What an answer depends on besides the conditions: solver, version, limit."""
    return NAME, version(NAME), CALLS


def answer(conditions: Sequence[Z3], calls: int = CALLS) -> Answer:
    """Whether the conditions can hold together."""
    bitwuzla: Any = import_module(NAME)  # compiled, without stubs

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(smt_text(conditions), True, False)
    solver = parser.bitwuzla()
    solver.configure_terminator(_Calls(calls))
    answers: dict[Any, Answer] = {bitwuzla.Result.SAT: "sat", bitwuzla.Result.UNSAT: "unsat"}
    return answers.get(solver.check_sat(), "unknown")


class _Calls:
    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def smt_text(conditions: Sequence[Z3]) -> str:
    """SMT-LIB, as Z3 prints it, without a command to solve; names are numbered, as the RTL may use words of the language."""
    plain = [(t, z3.Const(f"v{number}", t.sort())) for number, t in enumerate(free(conditions))]
    conditions = [_without_single(z3.substitute(c, *plain)) for c in conditions]
    solver = z3.SolverFor("QF_AUFBV")
    solver.set("rlimit", 1)
    solver.add(*conditions)
    return "(set-logic QF_AUFBV)\n" + solver.to_smt2().replace("(check-sat)", "")


def _without_single(condition: Z3) -> Z3:
    """Conjunctions and disjunctions of one condition are not in the language of the text."""
    while single := [t for t in subterms([condition]) if (z3.is_and(t) or z3.is_or(t)) and t.num_args() == 1]:
        condition = z3.substitute(condition, *((t, t.arg(0)) for t in single))
    return condition
