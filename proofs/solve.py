"""A claim about Z3 values -> nothing, or an error that shows values of RTL names for which it does not hold.

Free variables carry the RTL's names.  Limits are Z3 resource units, never seconds; what Z3 cannot decide within them fails like what it refutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import z3

from lift.ir.subterms import free, subterms
from proofs import second

if TYPE_CHECKING:
    from proofs.replay import Subject

RLIMIT = 40_000_000


@dataclass(slots=True)
class Count:
    """Queries that went to Z3 in this process, and the resource units that they took."""

    queries: int = 0
    rlimit: int = 0


count = Count()


def check(solver: z3.Solver) -> z3.CheckSatResult:
    """`solver.check`, counted."""
    before = _used(solver)
    answer = solver.check()
    count.queries += 1
    count.rlimit += _used(solver) - before
    return answer


def _used(solver: z3.Solver) -> int:
    statistics = solver.statistics()
    return statistics.get_key_value("rlimit count") if "rlimit count" in statistics.keys() else 0  # noqa: SIM118


class NotProved(AssertionError):
    """A claim that does not stand; the message says which."""


class Undecided(NotProved):
    """Z3 reached its limit."""


class Refuted(NotProved):
    """`values` gives, for scalars by name and words of arrays as name[address], what makes the claim false; `subject` what the claim is about, for
    `replay`."""

    subject: Subject | None = None

    def __init__(self, what: str, values: Mapping[str, int], notes: Mapping[str, int]) -> None:
        lines = [f"{what} does not hold for", *(f"    {name} = {value:#x}" for name, value in sorted(values.items()))]
        super().__init__("\n".join([*lines, *(f"  where {name} is {value:#x}" for name, value in notes.items())]))
        self.values = dict(values)


def prove(what: str, claim: z3.BoolRef, assuming: Iterable[z3.BoolRef] = (), shown: Mapping[str, z3.ExprRef] | None = None, rlimit: int = RLIMIT) -> None:
    """Returns if `claim` holds for all values of its free variables that satisfy `assuming`; `shown` are values worth seeing in a counterexample."""
    assuming = list(assuming)
    fixed = [pair for pair in map(_fixes, assuming) if pair is not None]
    denial = z3.substitute(z3.Not(claim), *fixed)
    simple = z3.simplify(denial)
    decided = z3.is_false(simple) or _decide(what, [*assuming, simple], claim, shown or {}, rlimit)
    if not decided:
        _decide_otherwise(what, [*assuming, denial], rlimit)
    elif second.is_asked():
        second.confirm(what, [*assuming, denial])


def _decide_otherwise(what: str, conditions: list[z3.BoolRef], rlimit: int) -> None:
    """Returns if the second solver, where it is asked, finds that the conditions exclude each other."""
    match second.decides(conditions) if second.is_asked() else "unknown":
        case "unknown":
            raise Undecided(f"{what}: undecided after {rlimit} resource units")
        case "sat":
            raise NotProved(f"{what}: undecided by Z3, refuted by the second solver, which gives no values here")


def _decide(what: str, conditions: list[z3.BoolRef], claim: z3.BoolRef, shown: Mapping[str, z3.ExprRef], rlimit: int) -> bool:
    """True if the conditions exclude each other, False if Z3 does not decide it within its limit.  Raises Refuted."""
    solver = z3.SolverFor("QF_AUFBV")
    solver.set("rlimit", rlimit)
    solver.add(*conditions)
    answer = check(solver)
    if answer == z3.sat:
        model = solver.model()
        raise Refuted(what, _assignment(model, [*conditions, claim]), {name: _number(model, value) for name, value in shown.items()})
    return answer == z3.unsat


def prove_equal(what: str, before: z3.ExprRef, after: z3.ExprRef, assuming: Iterable[z3.BoolRef] = (), rlimit: int = RLIMIT) -> None:
    """`prove` of an equation; a counterexample shows both sides."""
    sides = {"before": before, "after": after} if z3.is_bv(before) else {}
    prove(what, before == after, assuming, sides, rlimit)


def is_possible(conditions: Iterable[z3.BoolRef], rlimit: int = RLIMIT) -> bool:
    """Whether the conditions can hold together.  Raises Undecided."""
    solver = z3.SolverFor("QF_AUFBV")
    solver.set("rlimit", rlimit)
    solver.add(*conditions)
    answer = check(solver)
    if answer == z3.unknown:
        raise Undecided(f"conditions: undecided after {rlimit} resource units ({solver.reason_unknown()})")
    return answer == z3.sat


def satisfiable(what: str, conditions: Iterable[z3.BoolRef], rlimit: int = RLIMIT) -> None:
    """Returns if the conditions can hold together: a claim under them is not empty."""
    if not is_possible(conditions, rlimit):
        raise NotProved(f"{what}: the assumptions exclude each other")


def at_some_point(value: z3.BitVecRef) -> int:
    """The value where all variables and arrays are 0."""
    zeros = [(v, z3.K(v.sort().domain(), z3.BitVecVal(0, v.sort().range().size())) if z3.is_array(v) else z3.BitVecVal(0, v.size())) for v in free([value])]
    return z3.simplify(z3.substitute(value, *zeros)).as_long()


def _fixes(assumption: z3.BoolRef) -> tuple[z3.ExprRef, z3.ExprRef] | None:
    """The variable and the constant of an assumption `variable == constant`: put in place before solving, as Z3 does not do so below multiplications."""
    if not z3.is_eq(assumption):
        return None
    name, value = assumption.children()
    return (name, value) if z3.is_const(name) and z3.is_bv(name) and z3.is_bv_value(value) else None


def _number(model: z3.ModelRef, value: z3.ExprRef) -> int:
    return model.eval(value, model_completion=True).as_long()


def _assignment(model: z3.ModelRef, roots: Iterable[z3.ExprRef]) -> dict[str, int]:
    values: dict[str, int] = {}
    for term in subterms(roots):
        if z3.is_bv(term) and z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            values[term.decl().name()] = _number(model, term)
        elif z3.is_select(term) and z3.is_const(term.arg(0)):
            values[f"{term.arg(0).decl().name()}[{_number(model, term.arg(1)):#x}]"] = _number(model, term)
    return values
