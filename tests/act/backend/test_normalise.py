"""Every rule, on random expressions over narrow types: all nodes of a class have the same value."""

from random import Random

import numpy as np
import pytest

from act.backend.classes import ENode
from act.backend.dots import PLAIN_DOT
from act.backend.egraph import EGraph
from act.backend.normalise import RULES as NORMAL_FORMS
from act.backend.products import RULES as PRODUCTS
from act.backend.saturate import saturate
from act.hlo.arrays import numpy_dtype
from act.hlo.dtypes import integer_range
from act.hlo.model import Shape
from tests.act.backend.graph_values import disagreeing

TYPES = ("s4", "u4", "s8", "s16")
DIMS = (16, 4)
RULES = (*NORMAL_FORMS, *PRODUCTS)


class Expressions:
    """Random terms of the operators that the rules look at."""

    def __init__(self, seed: int) -> None:
        self.random, self.graph = Random(seed), EGraph()

    def term(self, dtype: str, depth: int) -> int:
        shape = Shape(dtype, DIMS)
        if depth == 0:
            return self.graph.make("parameter", (("number", TYPES.index(dtype) * 2 + self.random.randint(0, 1)),), shape, [])
        match self.random.choice(("limit", "clamp", "clamp", "convert", "convert", "sum", "subtract", "reshape", "negate", "multiply", "dot", "reverse")):
            case "limit":
                opcode = self.random.choice(("maximum", "minimum"))
                operands = [self.term(dtype, depth - 1), self.splat(dtype)]
                self.random.shuffle(operands)
                return self.graph.make(opcode, (), shape, operands)
            case "clamp":
                return self.graph.make("clamp", (), shape, [self.splat(dtype), self.term(dtype, depth - 1), self.splat(dtype)])
            case "convert":
                return self.graph.make("convert", (), shape, [self.term(self.random.choice(TYPES), depth - 1)])
            case "sum":
                return self.graph.make(
                    "add", (), shape, [left := self.term(dtype, depth - 1), self.random.choice((self.splat, self.leaf, lambda _: left))(dtype)]
                )
            case "reverse":
                return self.graph.make("reverse", (("dimensions", self.random.choice(((0,), (0, 1)))),), shape, [self.term(dtype, depth - 1)])
            case "negate":
                return self.graph.make("negate", (), shape, [self.term(dtype, depth - 1)])
            case "multiply":
                return self.graph.make("multiply", (), shape, [self.term(dtype, depth - 1), self.splat(dtype)])
            case "dot":
                square = self.graph.constant(self.value(dtype), Shape(dtype, (4, 4)))
                return self.graph.make("dot", PLAIN_DOT, shape, [self.term(dtype, depth - 1), square])
            case "reshape":
                inner = self.graph.make("reshape", (), Shape(dtype, (8, 8)), [self.term(dtype, depth - 1)])
                return self.graph.make("reshape", (), shape, [inner])
        return self.graph.make("subtract", (), shape, [self.term(dtype, depth - 1), self.splat(dtype)])

    def leaf(self, dtype: str) -> int:
        return self.term(dtype, 0)

    def splat(self, dtype: str) -> int:
        return self.graph.constant(self.value(dtype), Shape(dtype, DIMS))

    def value(self, dtype: str) -> int:
        low, high = integer_range(dtype)
        return self.random.randint(low, high) if self.random.random() < 0.5 else self.random.randint(max(low, -9), min(high, 9))


def inputs(seed: int) -> dict[int, np.ndarray]:
    random = np.random.default_rng(seed)
    found = {}
    for position, dtype in enumerate(TYPES):
        low, high = integer_range(dtype)
        for each in (0, 1):
            found[2 * position + each] = random.integers(low, high, DIMS, endpoint=True).astype(numpy_dtype(dtype))
    return found


@pytest.mark.parametrize("seed", range(150))
def test_rules_equate_only_what_is_equal(seed):
    expressions = Expressions(seed)
    root = expressions.term(expressions.random.choice(TYPES), 5)
    graph = saturate(expressions.graph, [root], RULES)
    assert disagreeing(graph, inputs(seed)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_exercised(rule):
    for seed in range(200):
        expressions = Expressions(seed)
        root = expressions.term(expressions.random.choice(TYPES), 5)
        graph = saturate(expressions.graph, [root], [each for each in RULES if each is not rule])
        if any(True for _, node in graph if node.opcode in rule.opcodes for _ in rule.apply(graph, node)):
            return
    pytest.fail("never applied")


def test_a_wrong_rule_is_seen():
    wrong = RULES[0].__class__("wrong", frozenset(["maximum"]), lambda graph, node: [ENode("minimum", (), node.shape, node.children)])
    seen = 0
    for seed in range(20):
        expressions = Expressions(seed)
        graph = saturate(expressions.graph, [expressions.term("s8", 5)], [wrong])
        seen += bool(disagreeing(graph, inputs(seed)))
    assert seen


def test_relu_after_a_saturating_conversion_is_one_clamp():
    graph = EGraph()
    wide, narrow = Shape("s32", (4, 4)), Shape("s8", (4, 4))
    x = graph.make("parameter", (("number", 0),), wide, [])
    limited = graph.make("clamp", (), wide, [graph.constant(-128, wide), x, graph.constant(127, wide)])
    relu = graph.make("maximum", (), narrow, [graph.make("convert", (), narrow, [limited]), graph.constant(0, narrow)])
    saturate(graph, [relu], RULES)
    wanted = graph.make("clamp", (), wide, [graph.constant(0, wide), x, graph.constant(127, wide)])
    assert graph.find(graph.make("convert", (), narrow, [wanted])) == graph.find(relu)
