"""Of all rules those are taken that can matter for an accelerator, and each is taken or left for a reason."""

from act.rewrites import RULES, for_vocabulary, relevant, verdicts
from act.rewrites.model import Expressible

MATRICES = frozenset("dot sum clamp convert broadcast transpose slice concatenate".split())
EVERYTHING = frozenset(name.removesuffix(":constant") for rule in RULES for name in rule.opcodes | rule.within | rule.builds | rule.either)


def names(operators):
    return {rule.name for rule, _ in relevant(RULES, operators)}


def test_every_rule_has_a_verdict_with_a_reason():
    found = list(verdicts(RULES, MATRICES))
    assert [each.rule for each in found] == list(RULES)
    assert all(each.reason for each in found)
    assert 0 < sum(each.kept for each in found) < len(RULES)


def test_what_builds_operators_that_nothing_computes_is_left_out():
    assert "unsigned_divide_is_shift" not in names(MATRICES)
    assert "unsigned_divide_is_shift" in names(MATRICES | {"shift-right-logical"})
    assert "select_by_multiply" not in names(MATRICES)


def test_an_operator_that_the_accelerator_has_is_not_turned_into_others():
    assert "reverse_by_dot" in names(MATRICES)
    assert "reverse_by_dot" not in names(MATRICES | {"reverse"})
    assert "maximum_by_relu" in names(MATRICES)
    assert "maximum_by_relu" not in names(MATRICES | {"maximum"})


def test_an_operator_is_made_in_one_way_only():
    for operators in (MATRICES, frozenset(("select", "compare", "sum", "not")), frozenset(("or", "not", "dot", "sum"))):
        known = Expressible(RULES, operators)
        made = [rule.replaces for rule in RULES if rule.name in known.lowerings]
        assert len(made) == len(set(made))
        assert not set(made) & operators


def test_a_rule_that_leads_to_an_instruction_through_another_is_kept():
    """A selection is a maximum, which is a sum and a maximum with 0, which is a clamp."""
    assert "select_greater" in names(MATRICES)
    assert "select_greater" not in names({"dot"})


def test_all_simplifications_are_kept_for_an_accelerator_with_every_operator():
    left = [each.rule for each in verdicts(RULES, EVERYTHING) if not each.kept]
    assert all(rule.replaces is not None for rule in left)


def test_the_choice_is_made_once():
    assert for_vocabulary(MATRICES) is for_vocabulary(MATRICES)
