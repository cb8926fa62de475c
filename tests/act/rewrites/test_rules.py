"""Every rule that is a function proposes something where it should, nothing where it should not, and only what is equal.

Equality is shown twice: by evaluation on random and edge inputs for several element types, and for integers by Z3 on small shapes.
"""

import pytest

from act.backend.classes import ENode, Rule
from act.hlo import check_computation
from act.rewrites import FAMILIES, RULES
from act.rewrites.pattern import Identity
from tests.act.rewrites import symbolic
from tests.act.rewrites.graphs import computation, frozen, proposals
from tests.act.rewrites.kernels import cases, programs, texts
from tests.act.rewrites.soundness import differs, fires, pairs, proved

FUNCTIONS = {rule.name: rule for rule in RULES if not isinstance(rule, Identity)}
POSITIVE = [(name, text) for name in FUNCTIONS for text in texts(name, True)]
NEGATIVE = [(name, text) for name in FUNCTIONS for text in texts(name, False)]
SMALL = ("s3", "u8")


def test_there_are_rules_of_every_family_and_no_two_of_one_name():
    assert all(FAMILIES.values())
    assert len(RULES) >= 175
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_every_rule_has_kernels_on_which_it_must_and_must_not_fire():
    assert set(cases()) == set(FUNCTIONS)
    assert all({sign for sign, _ in found} == {True, False} for found in cases().values())


@pytest.mark.parametrize(("name", "text"), POSITIVE)
def test_a_rule_fires(name, text):
    found = [program for program in programs(text) if fires(FUNCTIONS[name], program)]
    assert found
    if FUNCTIONS[name].types == "any":
        assert len(found) >= len(list(programs(text))) - 2


@pytest.mark.parametrize(("name", "text"), NEGATIVE)
def test_a_rule_says_nothing_where_its_condition_does_not_hold(name, text):
    found = list(programs(text))
    assert found, "the kernel is well-typed for no element type"
    assert not any(fires(FUNCTIONS[name], program) for program in found)


@pytest.mark.parametrize(("name", "text"), POSITIVE)
def test_proposals_are_well_typed_and_equal_on_samples(name, text):
    for program in programs(text):
        for before, after in pairs(FUNCTIONS[name], program):
            check_computation(after)
            assert after.result.shape == before.result.shape
            assert not differs(before, after)


@pytest.mark.parametrize(("name", "text"), POSITIVE)
def test_proposals_on_integers_are_equal_for_all_inputs(name, text):
    answers = [proved(*pair) for program in programs(text, SMALL) for pair in pairs(FUNCTIONS[name], program)]
    assert False not in answers


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_rule_names_the_operators_it_looks_for_and_makes(name):
    """By this it is chosen for an accelerator, and left out where a graph lacks one of them."""
    rule, built = FUNCTIONS[name], set()
    for text in texts(name, True):
        for program in programs(text):
            graph = frozen(program)
            present = {node.opcode for _, node in graph}
            for _, _, found in proposals(graph, (rule,)):
                assert rule.within <= present
                built |= operators(found)
    allowed = {each.removesuffix(":constant") for each in rule.builds | rule.either}
    same = {"broadcast", "constant", "reshape"} | (set(rule.opcodes) if name in ("movement_of_elementwise",) else set())
    everything = allowed | same | ({"sum", "negate", "add", "convert", "clamp", "select", "compare"} if name == "movement_of_elementwise" else set())
    assert built <= everything


def operators(found):
    return {found.opcode}.union(*map(operators, found.children)) if isinstance(found, ENode) else set()


def wrong_rule(graph, node):
    """slice(x) = x, which ignores every attribute but the shape."""
    if graph.shape(node.children[0]) == node.shape:
        yield node.children[0]


def test_a_wrong_rule_is_found_out():
    program = computation("a:s8[2,2]", "r = s8[2,2] transpose(a), dimensions={1,0}")
    ((before, after),) = pairs(Rule("wrong", frozenset(("transpose",)), wrong_rule), program)
    assert differs(before, after)
    assert symbolic.equal(before, after) is False
