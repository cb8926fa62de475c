"""Every rule that is one equation: it fires on its left side, not on what differs in one thing, and both sides are equal."""

import pytest

from act.hlo import check_computation
from act.rewrites import RULES
from act.rewrites.pattern import TYPES, Identity
from tests.act.rewrites.equations import DTYPES, kernel, kernels, literals, near_misses
from tests.act.rewrites.soundness import differs, fires, pairs, proved

IDENTITIES = [rule for rule in RULES if isinstance(rule, Identity)]
SMALL = ("s2", "s3", "u4", "pred")
SURE = ("s32", "u32", "f32", "pred")
"""Types of every kind, with all the constants that occur."""
UNPROVED = frozenset(("power",))
"""Operators that the symbolic evaluator does not have."""


def each_identity():
    return pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in IDENTITIES])


@each_identity()
def test_it_fires_for_the_types_it_is_for_and_for_no_other(rule):
    found = {dtype: kernel(rule.left, dtype) for dtype in DTYPES}
    fired = {dtype for dtype, program in found.items() if program is not None and fires(rule, program)}
    claimed = {dtype for dtype in DTYPES if TYPES[rule.types](dtype)}
    assert fired
    assert fired <= claimed
    assert fired >= {dtype for dtype in SURE if dtype in claimed and found[dtype] is not None} - folded(rule)


def folded(rule):
    """The conversion of a predicate to a predicate is no operator."""
    return {"pred"} if "convert" in rule.within else set()


def same_literals(term, rule, dtype):
    return any(literals(term, each) == literals(rule.left, each) != [None] * len(literals(term, each)) for each in (dtype, "pred"))


@each_identity()
def test_it_does_not_fire_on_what_differs_in_one_thing(rule):
    tried = sum(kernel(rule.left, dtype) is not None for dtype in DTYPES if not TYPES[rule.types](dtype))
    wrong, renamed = [], list(near_misses(rule, literals=False))
    for term in near_misses(rule):
        for dtype in SURE:
            program = kernel(term, dtype)
            if program is not None and (term in renamed or not same_literals(term, rule, dtype)):
                tried += 1
                wrong += [(str(term), dtype)] if fires(rule, program) else []
    assert tried
    assert not wrong


@each_identity()
def test_both_sides_are_equal_on_samples(rule):
    for dtype in DTYPES:
        for program in kernels(rule.left, dtype):
            for before, after in pairs(rule, program):
                check_computation(after)
                assert after.result.shape == before.result.shape
                assert not differs(before, after), f"{rule.statement}: {dtype}"


@each_identity()
def test_both_sides_are_equal_for_all_integers(rule):
    answers = [proved(*pair) for dtype in SMALL if (program := kernel(rule.left, dtype, ())) for pair in pairs(rule, program)]
    assert False not in answers
    if rule.types not in ("floats", "any") and not UNPROVED & (rule.within | rule.opcodes | rule.builds):
        assert True in answers
