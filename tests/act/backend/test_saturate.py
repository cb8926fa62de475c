"""Rules that are not asked again where nothing they look at has changed, and rules about types that do not occur."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from act.backend import modular, normalise, products, select
from act.backend.classes import ENode, Rule
from act.backend.compile import BUDGET
from act.backend.egraph import EGraph
from act.backend.saturate import saturate
from act.generator.analyse import analyse
from act.generator.model import Rules
from act.hlo import parse_module
from act.hlo.model import Shape
from act.records import replace
from act.taidl import parse
from tests.kernels import generate

ROOT = Path(__file__).parents[3]
EVERY = (normalise.RULES, normalise.APART, products.RULES, modular.PRODUCTS, modular.RECTIFIED)
MACHINES = ("isas/reference/gemmini.taidl", "isas/reference/systolic16.taidl", "isas/generated/gemmini.taidl")


@cache
def analysed(machine: str) -> Rules:
    return analyse(parse((ROOT / machine).read_text()))


@pytest.mark.parametrize("machine", MACHINES)
def test_asking_shallow_rules_again_and_rules_of_absent_types_adds_nothing(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = analysed(machine)
    few = select.rewrites(rules, False)
    assert any(rule.shallow for rule in few) and any(rule.among for rule in few)
    modules = [parse_module(generate(seed), f"network {seed}") for seed in range(8)]
    found = [select.lower(rules, module, BUDGET).graph.classes for module in modules]
    always = tuple(replace(rule, shallow=False, among=None) for rule in few)
    monkeypatch.setattr(select, "rewrites", lambda *_: always)
    assert [select.lower(rules, module, BUDGET).graph.classes for module in modules] == found


@pytest.mark.parametrize("rule", dict.fromkeys(each for rules in EVERY for each in rules if each.shallow), ids=lambda rule: rule.name)
def test_shallow_rules_look_at_no_nodes_below(rule: Rule) -> None:
    """A graph that has nothing but types, splats and ranges is enough for them."""
    for seed in range(8):
        graph = select.lower(analysed(MACHINES[0]), parse_module(generate(seed), f"network {seed}"), BUDGET).graph
        surface = SimpleNamespace(shape=graph.shape, splats=graph.splats, ranges=graph.ranges)
        for _, node in graph:
            if node.opcode in rule.opcodes:
                assert list(rule.apply(surface, node)) == list(rule.apply(graph, node))


def test_a_rule_that_looks_deeper_than_it_says_misses_what_comes_later() -> None:
    """negate(negate(x)) = x needs the node below, which becomes a negation only in the second round."""

    def inner(graph, node):
        return [child.children[0] for child in graph.nodes(node.children[0], "negate")]

    def made(graph, node):
        return [ENode("negate", (), node.shape, node.children)]

    sizes = []
    for shallow in (False, True):
        graph, shape = EGraph(), Shape("s8", (2,))
        x = graph.make("parameter", (("number", 0),), shape, ())
        root = graph.make("negate", (), shape, [graph.make("not", (), shape, [x])])
        rules = [Rule("inner", frozenset(["negate"]), inner, shallow=shallow), Rule("made", frozenset(["not"]), made)]
        saturate(graph, [root], rules)
        sizes.append(graph.find(root) == graph.find(x))
    assert sizes == [True, False]
