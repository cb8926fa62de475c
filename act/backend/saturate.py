"""An e-graph and rules -> the e-graph with everything the rules can show to be equal, within a budget of nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.egraph import EGraph


def saturate(graph: EGraph, roots: Iterable[int], rules: Sequence[Rule], rounds: int = 12, growth: int = 8) -> ClassGraph:
    """Applies all rules to the frozen graph and adds what they propose as one batch, until nothing changes, `rounds` are over, or the
    graph has `growth` times its first number of nodes (plus 1000).  Stopping early loses alternatives, never correctness."""
    roots, limit = list(roots), growth * len(graph) + 1000
    by_opcode: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        for opcode in rule.opcodes:
            by_opcode[opcode].append(rule)
    graph.rebuild()
    frozen = graph.freeze(roots)
    for _ in range(rounds):
        proposals = [(number, found) for number, node in frozen for rule in by_opcode[node.opcode] for found in rule.apply(frozen, node)]
        before = len(graph)
        changed = False
        for number, found in proposals:
            other = graph.add(found) if isinstance(found, ENode) else found
            changed |= graph.union(number, other)
        graph.rebuild()
        if not changed and len(graph) == before:
            break
        frozen = graph.freeze(roots)
        if len(graph) > limit:
            break
    return frozen
