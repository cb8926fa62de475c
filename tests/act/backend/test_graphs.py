"""The saturated graphs of kernels: every node is well-typed, and has the value of its class."""

import numpy as np
import pytest

from act.backend import select
from act.backend.classes import ClassGraph, ENode
from act.backend.compile import Backend, lower
from act.backend.dots import PLAIN_DOT
from act.backend.modular import diagonal
from act.backend.normalise import rule
from act.backend.select import Kernel
from act.backend.verify import inputs
from act.hlo import parse_module
from act.hlo.infer import infer
from act.hlo.model import Module
from tests.act.backend.backends import backend_of, hlo, systolic
from tests.act.backend.graph_values import disagreeing, node_values
from tests.act.backend.test_attributes import KERNELS, REDUCER
from tests.act.backend.test_compile import EXAMPLES
from tests.act.backend.test_published import OTHERS, REFERENCE
from tests.act.backend.wrapping import composite, wrapping
from tests.kernels import generate

PUBLISHED = {
    **{f"wrapping {seed}": wrapping(seed) for seed in range(12)},
    **{text: composite(text) for text in ("A*B + C", "A + B + C", "A*B*C + A")},
    **{path.stem: path.read_text() for path in OTHERS if "bf16" not in path.read_text()},
}
UNTYPED = ("parameter", "constant", "sum", "assemble")


def attribute_kernel(name: str) -> str:
    text = hlo(*KERNELS[name])
    return text.replace("ENTRY", f"{REDUCER}ENTRY") if "to_apply" in text else text


REFUSED = {name for name in KERNELS if name.startswith(("bytes as", "words as"))}
TEXTS = {
    **{f"random {seed}": generate(seed) for seed in range(16)},
    **{path.stem: path.read_text() for path in EXAMPLES if "64" not in path.stem},
    **{name: attribute_kernel(name) for name in KERNELS if name not in REFUSED},
}


@pytest.mark.parametrize("thorough", [False, True], ids=["few rules", "all rules"])
@pytest.mark.parametrize("name", TEXTS)
def test_equal_nodes_are_equal(name, thorough):
    check(lower(systolic(), parse_module(TEXTS[name]), 10_000, thorough), parse_module(TEXTS[name]))


@pytest.mark.parametrize("name", PUBLISHED)
def test_equal_nodes_are_equal_modulo_256(name):
    module = parse_module(PUBLISHED[name])
    check(lower(published(), module, 10_000), module)


def published() -> Backend:
    return backend_of((REFERENCE / "gemmini.taidl").read_text())


def check(kernel: Kernel, module: Module) -> None:
    """Every node is well-typed, and has the value of its class on extreme and random inputs; every class has a node that can be computed."""
    for number, node in kernel.graph:
        if node.opcode not in UNTYPED:
            operands = tuple(kernel.graph.shape(child) for child in node.children)
            assert infer(node.opcode, operands, dict(node.attributes), node.shape) == node.shape, (number, node)
    for case, values in inputs(module, seed=1, rounds=1):
        if case in ("extremes", "random 0"):
            by_number = dict(enumerate(values.values()))
            assert disagreeing(kernel.graph, by_number) == []
            computed = {number for number, _, _ in node_values(kernel.graph, by_number)}
            assert computed == set(kernel.graph.classes), "a class has no node that can be computed"


def test_a_wrong_node_would_be_seen():
    kernel = lower(systolic(), parse_module(generate(3)), 10_000)
    first, second = [number for number, node in kernel.graph if node.opcode == "parameter"][:2]
    classes = dict(kernel.graph.classes)
    shape = kernel.graph.shape(first)
    other = kernel.graph.classes[second][0]
    classes[first] = (*classes[first], type(other)("negate", (), shape, (first,)))
    values = {number: np.ones(kernel.graph.shape(found).dims, dtype=np.int8) for number, (_, found) in enumerate(kernel.inputs)}
    wrong = type(kernel.graph)(classes, kernel.graph.roots, kernel.graph.splats, kernel.graph.ranges)
    assert disagreeing(wrong, values)


def negation_without_its_sign(graph: ClassGraph, node: ENode):
    """A wrong rule: -x = dot(x, I)."""
    yield ENode("dot", PLAIN_DOT, node.shape, (node.children[0], diagonal(16, 1, "s8")))


def test_a_wrong_rule_is_seen(monkeypatch):
    text = hlo("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "c = s8[16,16] subtract(a, b)")
    rules = select.rewrites(published().rules, False)
    monkeypatch.setattr(select, "rewrites", lambda *_: (*rules, rule(negation_without_its_sign, "negate")))
    with pytest.raises(AssertionError):
        check(lower(published(), parse_module(text), 10_000), parse_module(text))
