"""Plans come in the order of their costs, and all of them: compared with exhaustive enumeration on small random graphs with cycles."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from act.backend.kbest import KBest, Option, shortest

Graph = dict[int, list[Option[int]]]


def graph_of(seed: int, nodes: int = 7) -> Graph:
    random = Random(seed)
    graph: Graph = {}
    for node in range(nodes):
        options = []
        for _ in range(random.randint(1, 3)):
            parts = tuple(random.randrange(nodes) if random.random() < 0.2 else random.randint(node + 1, nodes) for _ in range(random.randint(0, 2)))
            options.append(Option(random.randint(0, 4), tuple(min(part, nodes - 1) if part == nodes else part for part in parts)))
        graph[node] = list(dict.fromkeys(options))
    return graph


def exhaustive(graph: Graph, roots: list[int]) -> Iterator[tuple[int, frozenset[tuple[int, int]]]]:
    """Every choice of options, by trying all of them: the cost and which option each node that is reached has."""

    def extend(choice: dict[int, int]) -> Iterator[dict[int, int]]:
        node = next(iter(reached(choice) - choice.keys()), None)
        if node is None:
            yield choice
            return
        for position in range(len(graph[node])):
            yield from extend({**choice, node: position})

    def reached(choice: dict[int, int]) -> set[int]:
        found, pending = set(), list(roots)
        while pending:
            node = pending.pop()
            if node not in found:
                found.add(node)
                pending += graph[node][choice[node]].parts if node in choice else ()
        return found

    def cost(node: int, choice: dict[int, int], above: tuple[int, ...]) -> int | None:
        if node in above:
            return None
        option = graph[node][choice[node]]
        parts = [cost(part, choice, (*above, node)) for part in option.parts]
        return None if None in parts else option.cost + sum(part for part in parts if part is not None)

    for choice in extend({}):
        costs = [cost(root, choice, ()) for root in roots]
        if None not in costs:
            yield sum(each for each in costs if each is not None), frozenset(choice.items())


def found_by(graph: Graph, roots: list[int]) -> KBest[int]:
    return KBest(roots, lambda node: graph[node], shortest(graph, lambda node: graph[node]))


@pytest.mark.parametrize("seed", range(150))
def test_equal_to_exhaustive_enumeration(seed):
    graph, roots = graph_of(seed), [0] if seed % 2 else [0, 1]
    expected = sorted(exhaustive(graph, roots), key=lambda each: each[0])
    plans = list(found_by(graph, roots).plans())
    found = [(plan.cost, frozenset((node, graph[node].index(option)) for node, option in plan.choice.items())) for plan in plans]
    assert [cost for cost, _ in found] == [cost for cost, _ in expected]
    assert len(set(found)) == len(found)
    assert set(found) == set(expected)


def test_a_part_is_solved_only_when_it_may_be_next():
    """Twenty nodes with two options each are a million plans; the first ten need few solutions."""
    graph: Graph = {node: [Option(1, (node + 1,)), Option(2 + node, (node + 1,))] for node in range(20)} | {20: [Option(0, ())]}
    search = found_by(graph, [0])
    assert [plan.cost for plan in islice(search.plans(), 10)] == [20, 21, 22, 23, 23, 24, 24, 25, 25, 25]
    assert search.solved < 40


def test_nodes_that_only_come_from_each_other_have_no_plan():
    graph: Graph = {0: [Option(0, (1,))], 1: [Option(0, (0,))]}
    assert list(found_by(graph, [0]).plans()) == []
