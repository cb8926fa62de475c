"""Plans whose shared parts are counted once: never worse than where the descent begins, never better than the best of all."""

import pytest

from act.backend.descent import Descent
from act.backend.kbest import KBest, Option, shortest
from tests.act.backend.test_kbest import Graph, graph_of

MANY = 1_000_000


def descent(graph: Graph, alone: bool = False, steps: int = MANY) -> Descent[int]:
    return Descent([0], lambda node: graph[node], shortest(graph, lambda node: graph[node]), lambda _: alone, steps)


def test_two_ways_that_share_a_part_beat_two_that_are_cheaper_alone():
    graph: Graph = {
        0: [Option(0, (1, 2))],
        1: [Option(3, ()), Option(0, (3,))],
        2: [Option(3, ()), Option(0, (3,))],
        3: [Option(4, ())],
    }
    search = descent(graph)
    first = next(KBest([0], lambda node: graph[node], search.best).plans())
    assert search.cost(first.choice) == 6
    graph[0] = [Option(0, (1, 2, 3))]
    search = descent(graph)
    first = next(KBest([0], lambda node: graph[node], search.best).plans())
    assert (search.cost(first.choice), search.cost(search.improved(first.choice))) == (10, 4)


def test_what_is_made_for_every_use_is_counted_for_every_use():
    graph: Graph = {0: [Option(1, (1, 1))], 1: [Option(2, ())]}
    choice = {0: graph[0][0], 1: graph[1][0]}
    assert (descent(graph).cost(choice), descent(graph, alone=True).cost(choice)) == (3, 5)


def test_a_circular_plan_has_no_cost():
    graph: Graph = {0: [Option(1, (1,))], 1: [Option(1, (0,)), Option(9, ())]}
    assert descent(graph).cost({0: graph[0][0], 1: graph[1][0]}) is None


@pytest.mark.parametrize("seed", range(80))
def test_between_the_first_and_the_best(seed):
    graph = graph_of(seed)
    search = descent(graph)
    plans = list(KBest([0], lambda node: graph[node], search.best).plans())
    if not plans:
        return
    costs = [search.cost(plan.choice) for plan in plans]
    improved = search.improved(plans[0].choice)
    found = search.cost(improved)
    assert found is not None and costs[0] is not None
    assert min(cost for cost in costs if cost is not None) <= found <= costs[0]
    assert set(improved) == set(search._reached(improved))


def test_steps_are_bounded():
    graph = graph_of(3, 12)
    search = descent(graph, steps=0)
    first = next(KBest([0], lambda node: graph[node], search.best).plans())
    assert search.improved(first.choice) == dict(first.choice)
