"""Lemmas: two cones over the same free leaves are equal for all their values, decided by Z3 and remembered by shape.

Limits are Z3 resource units, never seconds, so that the verdict does not depend on the machine.  *Unknown* is not *proved*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import z3
from xdsl.ir import SSAValue

from lift.ir.smt import TRANSLATE, Z3, fresh
from lift.prove import bitwuzla
from lift.prove.cone import Cone, Value, cone

DEFAULT_RLIMIT = 20_000_000

Verdict = Literal["proved", "refuted", "unknown"]


@dataclass(frozen=True, slots=True)
class Lemma:
    """The verdict about a cone with two roots; `counterexample` are values of its scalar leaves for which they differ."""

    verdict: Verdict
    counterexample: tuple[int, ...] | None = None


@dataclass(slots=True)
class Prover:
    """Decides lemmas; `cache` maps the key of a cone to its lemma, `counts` how the lemmas were found.  With `second`, what Z3 does not decide is asked of
    bitwuzla, whose package must be installed."""

    rlimit: int = DEFAULT_RLIMIT
    cache: dict[tuple[object, ...], Lemma] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    second: bool = False

    @property
    def solvers(self) -> tuple[object, ...]:
        """What a verdict depends on besides the lemma and the version of Z3."""
        return (self.rlimit, *(bitwuzla.identity() if self.second else ()))

    def equal(self, before: Value, after: Value, cut: Iterable[SSAValue] = (), loads: bool = False) -> tuple[Lemma, Cone]:
        """Whether two values are equal for all values of the leaves that `cut` gives their cones."""
        both = cone((before, after), cut, loads)
        return self.decide(both), both

    def decide(self, both: Cone) -> Lemma:
        """The lemma of a cone with two roots."""
        if both.roots[0] == both.roots[1]:
            self.counts["identical"] += 1
            return Lemma("proved")
        key = both.key
        found = self.cache.get(key)
        if found is None:
            self.counts["solved"] += 1
            found = self.cache[key] = self._solve(both)
        else:
            self.counts["cached"] += 1
        return found

    def _solve(self, both: Cone) -> Lemma:
        leaves = [fresh(leaf, f"x{k}") for k, leaf in enumerate(both.leaves)]
        before, after = translate_cone(both, leaves)
        difference = z3.simplify(before != after)
        if z3.is_false(difference):
            return Lemma("proved")
        solver = z3.SolverFor("QF_ABV" if any(z3.is_array(leaf) for leaf in leaves) else "QF_BV")
        solver.set("rlimit", self.rlimit)
        solver.add(difference)
        match solver.check():
            case z3.unsat:
                return Lemma("proved")
            case z3.sat:
                model: Z3 = solver.model()
                return Lemma("refuted", tuple(model.eval(leaf, model_completion=True).as_long() for leaf in leaves if z3.is_bv(leaf)))
        if self.second and bitwuzla.answer([difference]) == "unsat":
            self.counts["second solver"] += 1
            return Lemma("proved")
        return Lemma("unknown")


def translate_cone(both: Cone, leaves: Sequence[Z3]) -> tuple[Z3, ...]:
    """The roots of a cone over given Z3 values of its leaves."""
    values = list(leaves)
    for name, attribute, bits, operands in both.nodes:
        args = [values[k] for k in operands]
        values.append(z3.Select(*args) if name == "memref.load" else TRANSLATE[name](attribute, bits, args))
    return tuple(values[r] for r in both.roots)
