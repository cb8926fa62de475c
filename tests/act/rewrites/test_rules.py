"""Every rule proposes something where it should, nothing where it should not, and only what is equal.

Equality is shown twice: by evaluation on random and edge inputs for several element types, and for integers by Z3 on small shapes.
"""

import re

import numpy as np
import pytest

from act.backend.classes import Rule
from act.errors import UserError
from act.hlo import check_computation
from act.hlo.evaluate import kernel
from act.hlo.samples import samples
from act.rewrites import RULES
from tests.act.rewrites import symbolic
from tests.act.rewrites.cases import FIRES, SILENT
from tests.act.rewrites.graphs import Extraction, computation, frozen, inputs, proposals

BY_NAME = {rule.name: rule for rule in RULES}
DTYPES = ("s8", "u8", "s32", "s3", "f32", "pred")
SMALL = ("s3", "u8")


def instantiated(text: str, dtype: str):
    """The computation of a case for one element type; None when it is not well-typed for that."""
    text = text.replace("PLAIN", "lhs_contracting_dims={1}, rhs_contracting_dims={0}")
    parameters, *lines = re.sub(r"\bT\b", dtype, text).split(";")
    try:
        return computation(parameters, *lines)
    except UserError:
        return None


def cases(table: dict[str, list[str]], dtypes: tuple[str, ...]):
    for name, texts in table.items():
        for text in texts:
            for dtype in dtypes if re.search(r"\bT\b", text) else ("-",):
                yield name, text, dtype


def pairs(rule: Rule, program):
    """Each node on which the rule says something, and what it says, as computations of the same parameters."""
    graph = frozen(program)
    extraction, parameters = Extraction(graph), inputs(program)
    for _, node, found in proposals(graph, (rule,)):
        yield extraction.of(node, parameters), extraction.of(found, parameters)


def differs(before, after, count: int = 6) -> bool:
    """Whether the two computations give different values on some of the samples."""
    one, other = kernel(before), kernel(after)
    stream = samples([each.shape for each in before.parameters], np.random.default_rng(2))
    for _ in range(count):
        arguments = next(stream)
        if not np.array_equal(one(*arguments), other(*arguments), equal_nan=before.result.shape.dtype == "f32"):
            return True
    return False


def test_every_rule_has_a_case():
    assert set(FIRES) == set(BY_NAME)
    assert set(SILENT) <= set(BY_NAME)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in FIRES.items() for text in texts])
def test_a_rule_fires_for_some_element_type(name, text):
    programs = [program for dtype in DTYPES if (program := instantiated(text, dtype))]
    assert any(True for program in programs for _ in pairs(BY_NAME[name], program))


@pytest.mark.parametrize(("name", "text", "dtype"), list(cases(SILENT, DTYPES)))
def test_a_rule_says_nothing_where_its_condition_does_not_hold(name, text, dtype):
    program = instantiated(text, dtype)
    if program is not None:
        assert not list(pairs(BY_NAME[name], program))


@pytest.mark.parametrize(("name", "text", "dtype"), list(cases(FIRES, DTYPES)))
def test_proposals_are_well_typed_and_equal_on_samples(name, text, dtype):
    program = instantiated(text, dtype)
    for before, after in pairs(BY_NAME[name], program) if program else ():
        check_computation(after)
        assert after.result.shape == before.result.shape
        assert not differs(before, after)


@pytest.mark.parametrize(("name", "text", "dtype"), list(cases(FIRES, SMALL)))
def test_proposals_on_integers_are_equal_for_all_inputs(name, text, dtype):
    program = instantiated(text, dtype)
    for before, after in pairs(BY_NAME[name], program) if program else ():
        try:
            assert symbolic.equal(before, after) is True
        except symbolic.NotExpressible:
            pytest.skip("not about integers of one width")


def wrong_rule(graph, node):
    """slice(x) = x, which ignores every attribute but the shape."""
    if graph.shape(node.children[0]) == node.shape:
        yield node.children[0]


def test_a_wrong_rule_is_found_out():
    program = computation("a:s8[2,2]", "r = s8[2,2] transpose(a), dimensions={1,0}")
    ((before, after),) = pairs(Rule("wrong", frozenset(("transpose",)), wrong_rule), program)
    assert differs(before, after)
    assert symbolic.equal(before, after) is False
