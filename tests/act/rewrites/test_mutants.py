"""The checks of the equations are checked: thousands of rules that are wrong in one thing, each of which is found out or is no error.

A mutant drops an equality of operands, or has another constant, operator, order of operands or range of element types.  It is found out when
a kernel shows a difference or its proposal is ill-typed; it is no error when Z3 proves it for small integers and no sample of floats differs.
The mutants of one run are by the date, printed, and set by the environment variable MUTANTS_SEED; the slow test has all of some rules.
"""

import os
from datetime import date
from random import Random

import pytest

from act.errors import UserError
from act.hlo import check_computation
from act.hlo.dtypes import is_float
from act.hlo.opcodes import OPERANDS
from act.rewrites import RULES
from act.rewrites.pattern import Identity
from tests.act.rewrites.equations import kernel, mutants
from tests.act.rewrites.soundness import differs, pairs, proved

IDENTITIES = [rule for rule in RULES if isinstance(rule, Identity)]
SEED = int(os.environ.get("MUTANTS_SEED", date.today().toordinal()))
TYPES = ("s32", "u8", "f32", "pred", "s3", "u4", "s2", "s1", "f16")
SMALL = ("s2", "s3", "u4", "pred", "s1")
UNDECIDED = ("power", "exponential", "is-finite", "divide", "floor", "ceil", "round-nearest-even", "round-nearest-afz")
"""Operators of floats, about which samples alone decide."""


def judged(wrong, left) -> str:
    """`found`, `no error`, or `missed`."""
    proofs, tried = [], 0
    for dtype in TYPES:
        for dims in ((), (2, 3)):
            program = kernel(left, dtype, dims)
            for before, after in pairs(wrong, program) if program is not None else ():
                tried += 1
                try:
                    check_computation(after)
                except UserError:
                    return "found"
                if any(each.opcode in OPERANDS and len(each.operands) != OPERANDS[each.opcode] for each in after):
                    return "found"
                if differs(before, after, 12):
                    return "found"
                if not dims and dtype in SMALL:
                    proofs.append(proved(before, after))
                elif is_float(dtype):
                    proofs.append(True)
    if False in proofs:
        return "found"
    return "no error" if not tried or True in proofs or set(UNDECIDED) & (wrong.opcodes | {part.opcode for part in parts(left)}) else "missed"


def parts(term):
    from act.rewrites.pattern import Apply

    return [term, *(each for child in term.children if isinstance(child, Apply) for each in parts(child))]


def run(chosen) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"found": [], "no error": [], "missed": []}
    for name, what, wrong, left in chosen:
        found[judged(wrong, left)].append(f"{name}: {what}")
    return found


def everything(rules):
    return [(rule.name, what, wrong, left) for rule in rules for what, wrong, left in mutants(rule)]


def test_a_sample_of_wrong_rules_is_found_out():
    chosen = Random(SEED).sample(everything(IDENTITIES), 120)
    found = run(chosen)
    print(f"\nMUTANTS_SEED={SEED}: " + ", ".join(f"{len(names)} {verdict}" for verdict, names in found.items()))
    assert not found["missed"]
    assert len(found["found"]) > 60


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_wrong_rules_are_found_out(part):
    found = run(everything(IDENTITIES[part::8]))
    assert not found["missed"]
    assert len(found["found"]) > len(found["no error"])


def test_a_rule_with_a_dropped_condition_is_found_out():
    rule = next(each for each in IDENTITIES if each.name == "maximum_absorbs")
    (wrong, left) = next((wrong, left) for what, wrong, left in mutants(rule) if what.startswith("left"))
    assert judged(wrong, left) == "found"
