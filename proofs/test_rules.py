"""Rewrite rules of the compiler are sound for integers: what a rule proposes is equal to what it was proposed for, for all inputs, by Z3.

An equation is proved for scalars of a few bits; a rule that is a function, on the kernels on which it must fire.  Floats are no part of it, nor
operators that the symbolic evaluator does not have: such rules are skipped here, and tried on samples among the tests of rules.  The quick tier takes
some, others every day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from random import Random

import pytest
from own_tests import from_tests

from act.backend.classes import Rule
from act.hlo import Computation
from act.rewrites import RULES
from act.rewrites.pattern import Identity, identity
from proofs.solve import Refuted, Undecided

equations, kernels, soundness, symbolic = (from_tests(f"act.rewrites.{name}") for name in ("equations", "kernels", "soundness", "symbolic"))

SMALL = ("s2", "s3", "u4", "pred")
SEED = date.today().toordinal()
QUICK = {rule.name for rule in Random(SEED).sample(RULES, 30)}
UNPROVED = frozenset({"power", "convolution", "reduce-window"})
"""Operators without a symbolic meaning."""
SAMPLED = frozenset("bitcast_of_bitcast reduce_of_no_elements slice_of_reduce reduce_of_nots reduce_of_converted".split())
"""Rules whose kernels have other attributes without one: conversions between widths, reductions that are no sums."""


def programs(rule: Rule) -> Iterator[Computation]:
    """Kernels on which it is to be proved."""
    if isinstance(rule, Identity):
        yield from (program for dtype in SMALL if (program := equations.kernel(rule.left, dtype, ())) is not None)
    else:
        yield from (program for text in kernels.texts(rule.name, True) for program in kernels.programs(text, SMALL))


def prove_sound(rule: Rule) -> int:
    """How many proposals were proved.  Raises Refuted, or Undecided at the limit of the solver."""
    proved = 0
    for program in programs(rule):
        for before, after in soundness.pairs(rule, program):
            try:
                answer = symbolic.equal(before, after)
            except symbolic.NotExpressible:
                continue
            if answer is None:
                raise Undecided(f"{rule.name}: undecided")
            if not answer:
                raise Refuted(f"{rule.name}: {before} is not {after}", {}, {})
            proved += 1
    return proved


def is_sampled(rule: Rule) -> bool:
    return rule.types == "floats" or bool(UNPROVED & (rule.opcodes | rule.within | rule.builds)) or rule.name in SAMPLED


@pytest.mark.parametrize("rule", [pytest.param(r, id=f"act-{r.name}", marks=[] if r.name in QUICK else pytest.mark.slow) for r in RULES])
def test_a_rule_is_sound_for_integers(rule: Rule) -> None:
    if not prove_sound(rule):
        assert is_sampled(rule), "nothing of the rule could be proved"
        pytest.skip("floats, or operators without a symbolic meaning: tried on samples only")


@pytest.mark.parametrize(
    ("types", "equation"),
    [("integers", "subtract(x, y) = subtract(y, x)"), ("signed", "abs(x) = maximum(x, 0)"), ("any", "maximum(x, y) = x")],
)
def test_a_wrong_rule_is_refuted(types: str, equation: str) -> None:
    with pytest.raises(Refuted):
        prove_sound(identity("algebraic", "wrong", types, equation))
