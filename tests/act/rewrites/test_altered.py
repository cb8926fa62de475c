"""The kernels by which rules that are functions are checked are themselves checked: rules changed in one place are found out.

A change is found out when a rule no longer fires where it must, fires where it must not, fails, or proposes something that is not equal.  The
changes of one run are by the date, printed, and set by the environment variable MUTANTS_SEED.  Some change nothing that could be seen: guards
that the normal form of the e-graph or another guard implies, orders of dimensions that do not matter, limits of size.  They are printed too.
"""

import os
from datetime import date
from random import Random

import pytest

from act.hlo import check_computation
from act.rewrites import algebraic, constants, conversion, convolution, dot, dot_parts, floats, joining, lowering, reduce, slicing, structural
from act.rewrites.pattern import Identity
from tests.act.rewrites.altered import alterations
from tests.act.rewrites.kernels import programs, texts
from tests.act.rewrites.soundness import differs, fires, pairs

MODULES = (structural, joining, slicing, algebraic, conversion, dot, dot_parts, convolution, reduce, constants, lowering, floats)
SEED = int(os.environ.get("MUTANTS_SEED", date.today().toordinal()))
TYPES = ("s8", "u8", "f32", "pred")


def found_out(module, function) -> bool:
    """The rules that the changed function makes, or all of the module when it is a helper."""
    rules = [rule for rule in module.RULES if not isinstance(rule, Identity)]
    own = [rule for rule in rules if getattr(rule.apply, "__name__", "") == function]
    return any(fails(rule) for rule in own or rules)


def fails(rule) -> bool:
    try:
        return any(not any(fires(rule, each) for each in programs(text, TYPES)) for text in texts(rule.name, True)) or wrong(rule)
    except Exception:
        return True


def wrong(rule) -> bool:
    if any(fires(rule, each) for text in texts(rule.name, False) for each in programs(text, TYPES)):
        return True
    for text in texts(rule.name, True):
        for program in programs(text, TYPES):
            for before, after in pairs(rule, program):
                check_computation(after)
                if before.result.shape != after.result.shape or differs(before, after):
                    return True
    return False


def missed(chosen) -> list[str]:
    return [f"{module.__name__}.{function}, {what}" for module, function, what, make in chosen if not found_out(make(), function)]


def everything():
    return [(module, function, what, make) for module in MODULES for function, what, make in alterations(module)]


@pytest.mark.slow
def test_changes_of_rules_are_found_out():
    chosen = Random(SEED).sample(everything(), 100)
    left = missed(chosen)
    print(f"\nMUTANTS_SEED={SEED}: {len(chosen) - len(left)} of {len(chosen)} found out; not these:", *left, sep="\n  ")
    assert len(left) <= len(chosen) // 5


def test_unchanged_rules_are_not_found_out():
    rules = [rule for module in MODULES for rule in module.RULES if not isinstance(rule, Identity)]
    assert not [rule.name for rule in Random(SEED).sample(rules, 25) if fails(rule)]


def test_some_changes_are_found_out():
    chosen = Random(SEED + 1).sample(everything(), 12)
    assert len(missed(chosen)) <= 4
