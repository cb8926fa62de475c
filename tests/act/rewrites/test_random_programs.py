"""On random programs all that the rules say is equal: one application at a time, and after saturation every node of every class."""

from collections import Counter

import numpy as np
import pytest

from act.backend.saturate import saturate
from act.hlo import Shape, check_computation, parse_module, print_module
from act.hlo.evaluate import kernel
from act.hlo.model import Module
from act.hlo.samples import samples
from act.rewrites import RULES
from tests.act.rewrites.graphs import Extraction, frozen, graph_of, inputs, proposals
from tests.act.rewrites.programs import Program

DTYPES = ("s8", "u8", "s32", "f32")
PROGRAMS = 250


def programs(count: int):
    for seed in range(count):
        yield seed, Program(seed, DTYPES[seed % len(DTYPES)], 26).computation


def equal(one, other, arguments) -> bool:
    """Floats are whole numbers, so that sums are exact; products of many of them may not be, hence a tolerance."""
    first, second = one(*arguments), other(*arguments)
    if first.dtype.kind == "f":
        return np.allclose(first, second, rtol=1e-5, equal_nan=True)
    return np.array_equal(first, second)


def arguments(parameters, seed: int):
    stream = samples([each.shape for each in parameters if isinstance(each.shape, Shape)], np.random.default_rng(seed))
    return [[np.rint(each) if each.dtype.kind == "f" else each for each in next(stream)] for _ in range(3)]


def test_random_programs_are_well_typed_and_print():
    for _, program in programs(20):
        check_computation(program)
        module = Module("m", {"main": program}, "main")
        assert parse_module(print_module(module)) == module


def test_every_proposal_on_a_random_program_is_equal():
    fired = Counter()
    for seed, program in programs(PROGRAMS):
        graph, parameters = frozen(program), inputs(program)
        extraction, values = Extraction(graph), arguments(parameters, seed)
        for rule, node, found in proposals(graph, RULES):
            fired[rule.name] += 1
            before, after = extraction.of(node, parameters), extraction.of(found, parameters)
            check_computation(after)
            one, other = kernel(before), kernel(after)
            assert all(equal(one, other, each) for each in values), f"{rule.name} on program {seed}: {node} is not {found}"
    assert len(fired) >= 0.25 * len(RULES), f"the programs say nothing about {sorted({rule.name for rule in RULES} - set(fired))}"


@pytest.mark.parametrize("seed", range(0, 40))
def test_after_saturation_all_nodes_of_a_class_are_equal(seed):
    program = Program(seed, DTYPES[seed % 3], 12).computation
    graph, root = graph_of(program)
    full, parameters = saturate(graph, [root], RULES, rounds=3, growth=4), inputs(program)
    extraction, values = Extraction(full), arguments(parameters, seed)[:2]
    for number, nodes in full.classes.items():
        one = kernel(extraction.of(number, parameters))
        for node in nodes:
            other = kernel(extraction.of(node, parameters))
            assert all(equal(one, other, each) for each in values), f"class {number}: {node}"
