"""The proof of the selection knows a sum by all of its terms, however the body of an instruction groups them."""

from types import SimpleNamespace

import pytest

from act.backend.classes import ClassGraph, ENode
from act.backend.dots import PLAIN_DOT
from act.backend.egraph import EGraph
from act.backend.matching import Match
from act.backend.prove import Prover, WrongSelection
from act.hlo.model import Shape
from tests.act.backend.backends import ROOT, backend_of, error_of, hlo, reference

WIDE, NARROW = Shape("s32", (16, 16)), Shape("s8", (16, 16))
ADDING = "preload_compute_preloaded_accumulator_accumulate_add"
"""Adds a product, and a tensor in 8 bits, to what the accumulator holds."""


def proof(terms: int, left_out: int = 0) -> None:
    """Of `ADDING` for a sum of `terms` inputs, a product and a converted tensor, when the accumulator holds all but `left_out` inputs."""
    backend, graph = backend_of((ROOT / "isas" / "generated" / "gemmini.taidl").read_text()), EGraph()
    given = [graph.make("parameter", (("number", number),), WIDE, ()) for number in range(terms)]
    a, b, d = (graph.make("parameter", (("number", terms + number),), NARROW, ()) for number in range(3))
    product = graph.make("dot", PLAIN_DOT, WIDE, [a, b])
    whole = graph.make("sum", (), WIDE, [*given, product, graph.make("convert", (), WIDE, [d])])
    graph.rebuild()
    frozen = graph.freeze([whole])
    partial = max(frozen.classes) + 1
    held = ENode("sum", (), WIDE, tuple(given[left_out:]))
    selection = ClassGraph({**frozen.classes, partial: (held,)}, frozen.roots, frozen.splats, frozen.ranges)
    selector = next(each for each in backend.rules.selectors if each.name == ADDING)
    match = Match(selector, (("c_rows", 16), ("c_cols", 16), ("a_cols", 16)), (partial, a, b, d))
    Prover(backend.target, graph, frozen, selection, ()).prove([SimpleNamespace(number=whole, match=match)])


@pytest.mark.parametrize("terms", [2, 12, 40])
def test_a_sum_of_any_length_is_proved_without_trying_groups(terms, monkeypatch):
    monkeypatch.setattr("act.backend.prove.MOST_GROUPINGS", 0)
    proof(terms)


def test_a_sum_without_one_of_its_terms_is_not():
    with pytest.raises(WrongSelection):
        proof(12, left_out=1)


def test_what_is_to_be_proved_is_looked_at_before_what_a_budget_left_over():
    limits = ("c = s8[] constant(0)", "d = s8[] constant(127)", "e = s8[32,20] clamp(c, b, d)", "f = s8[] constant(-5)", "g = s8[] constant(16)")
    kernel = hlo("a = s8[32,20] parameter(0)", "b = s8[32,20] minimum(a, a)", *limits, "h = s8[32,20] clamp(f, e, g)", "r = s8[32,20] abs(h)")
    assert error_of(reference("gemmini"), kernel) is None
