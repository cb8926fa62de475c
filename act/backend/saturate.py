"""An e-graph and rules -> the e-graph with everything the rules can show to be equal, within a budget of nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.egraph import EGraph

REACH = 2
"""A rule looks at a node, its children and their children: so far above a change it may find something new."""


def saturate(graph: EGraph, roots: Iterable[int], rules: Sequence[Rule], rounds: int = 12, growth: int = 8) -> ClassGraph:
    """Applies all rules to the frozen graph and adds what they propose as one batch, until nothing changes, `rounds` are over, or the
    graph has `growth` times its first number of nodes (plus 1000).  Stopping early loses alternatives, never correctness.

    After the first round only the classes near those that changed are looked at; the first takes those that are new since the last
    `freeze`, which are all of a new graph."""
    roots, limit = list(roots), growth * len(graph) + 1000
    by_opcode: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        for opcode in rule.opcodes:
            by_opcode[opcode].append(rule)
    graph.rebuild()
    near = _near(graph)
    frozen = graph.freeze(roots)
    for _ in range(rounds):
        for number, found in list(_proposals(frozen, near, by_opcode)):
            graph.union(number, graph.add(found) if isinstance(found, ENode) else found)
        graph.rebuild()
        near = _near(graph)
        frozen = graph.freeze(roots)
        if not near or len(graph) > limit:
            break
    return frozen


def _near(graph: EGraph) -> list[int]:
    """The classes in which a rule may find something new, in order."""
    found = dict(graph.changed())
    edge = list(found)
    for _ in range(REACH):
        edge = [user for user in dict.fromkeys(user for number in edge for user in graph.users(number)) if user not in found]
        found.update(dict.fromkeys(edge))
    return sorted(found)


def _proposals(frozen: ClassGraph, near: Sequence[int], by_opcode: dict[str, list[Rule]]) -> Iterator[tuple[int, ENode | int]]:
    for number in near:
        for node in frozen.classes[number]:
            for rule in by_opcode.get(node.opcode, ()):
                for found in rule.apply(frozen, node):
                    yield number, found
