"""Random graphs over all operators print to text that reads as the same graph, and XLA's CPU computes the same values.

Graphs of integers are compared as a whole, bit for bit (without division, since XLA folds constants by the host's, which
traps, and without powers of integers, of which test_against_xla.py compares those that XLA has right).  Then each
operator gets what the evaluator gave its operands, so that the distance is that of one operator: none for integers, data movement and
what IEEE 754 fixes; distances.py says how much for the others.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from act.hlo import Computation, Instruction, Module, TupleShape, check_module, parse_module, print_module
from act.hlo.evaluate import evaluate
from act.hlo.opcodes import ALL
from act.hlo.samples import samples
from tests.act.hlo.distances import check
from tests.act.hlo.random_graphs import FLOATS, INTEGERS, NOT_IN_XLA, random_module

SEEDS = range(8)
DIVISIONS = frozenset(("divide", "remainder"))
POWER = frozenset(("power",))
NOT_DRAWN = {"call", "fusion", "get-tuple-element", "copy", "optimization-barrier", "reduce-precision"} | NOT_IN_XLA


@pytest.mark.parametrize("types", [INTEGERS, FLOATS], ids=["integers", "floats"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_graph_is_well_typed_and_its_text_reads_as_the_same_graph(seed, types):
    module = random_module(seed, types)
    check_module(module)
    assert parse_module(print_module(module)) == module


def test_all_operators_are_drawn():
    found = Counter(each.opcode for seed in range(60) for types in (INTEGERS, FLOATS) for each in random_module(seed, types).main)
    assert not {opcode for opcode in ALL - NOT_DRAWN if not found[opcode]}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_graph_of_integers_computes_what_xla_computes(seed):
    from tests.act.hlo import xla

    module = random_module(seed, INTEGERS, without=DIVISIONS | POWER)
    reference = xla.reference(module)
    stream = samples([each.shape for each in module.main.parameters], np.random.default_rng(seed))
    for _ in range(3):
        arguments = next(stream)
        for each, found, expected in zip(_outputs(module), evaluate(module, arguments), reference(arguments), strict=True):
            np.testing.assert_array_equal(found, expected, err_msg=f"{each} in\n{print_module(module)}")


@pytest.mark.parametrize("types", [INTEGERS, FLOATS], ids=["integers", "floats"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_operators_of_a_graph_compute_what_xla_computes(seed, types):
    from tests.act.hlo import xla

    module = random_module(seed, types, without=POWER if types == INTEGERS else frozenset())
    arguments = next(samples([each.shape for each in module.main.parameters], np.random.default_rng(seed)))
    values = dict(zip([each.name for each in _outputs(module)], evaluate(module, arguments), strict=True))
    values |= {each.name: value for each, value in zip(module.main.parameters, arguments, strict=True)}
    apart, given = _apart(module)
    operands = [values[name] for name in given]
    for each, found, expected in zip(_outputs(apart), evaluate(apart, operands), xla.reference(apart)(operands), strict=True):
        check(each, [values[name] for name in module.main[each.name].operands], found, expected)


def _outputs(module: Module) -> list[Instruction]:
    return [module.main[name] for name in module.main.result.operands]


def _apart(module: Module) -> tuple[Module, list[str]]:
    """Each operator of parameters; with what these stand for."""
    given: dict[str, Instruction] = {}
    steps = []
    for each in (each for each in module.main if each.opcode not in ("parameter", "constant", "tuple")):
        for name in each.operands:
            given.setdefault(name, Instruction(f"of_{name}", module.main[name].shape, "parameter", (), {"number": len(given)}))
        steps.append(replace(each, operands=tuple(f"of_{name}" for name in each.operands)))
    root = Instruction("out", TupleShape(tuple(each.shape for each in steps)), "tuple", tuple(each.name for each in steps))
    computation = Computation("main", (*given.values(), *steps, root), "out")
    return replace(module, computations={"main": computation}), list(given)
