"""Saturation ends by itself: no two rules undo each other without end, on kernels of networks and of data movement."""

import pytest

from act.backend.egraph import EGraph
from act.backend.saturate import saturate
from act.rewrites import for_vocabulary
from tests.act.rewrites.graphs import graph_of
from tests.act.rewrites.programs import Program

MACHINES = {
    "matrices": frozenset("dot sum clamp convert broadcast transpose slice concatenate pad".split()),
    "vectors": frozenset("sum subtract multiply maximum minimum and or xor not shift-left convert select compare reduce broadcast slice".split()),
}
ROUNDS = 30
MOST = 2500
"""Nodes; the kernels have ten or so."""


def nodes(graph: EGraph, root: int, rules, rounds: int) -> int:
    return sum(map(len, saturate(graph, [root], rules, rounds=rounds, growth=1000).classes.values()))


@pytest.mark.parametrize("machine", MACHINES)
def test_small_programs_are_saturated_in_few_rounds(machine):
    rules, ended = for_vocabulary(MACHINES[machine]), 0
    for seed in range(24):
        graph, root = graph_of(Program(seed, ("s8", "u8", "s32")[seed % 3], 10).computation)
        found = nodes(graph, root, rules, ROUNDS)
        assert found < MOST, f"program {seed}"
        ended += found == nodes(graph, root, rules, 1)
    assert ended >= 22
