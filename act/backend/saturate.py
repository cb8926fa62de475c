"""An e-graph and rules -> the e-graph with everything the rules can show to be equal, within a budget of nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.egraph import EGraph


def saturate(graph: EGraph, roots: Iterable[int], rules: Sequence[Rule], rounds: int = 12, growth: int = 8, reach: int = 2) -> ClassGraph:
    """Applies all rules to the frozen graph and adds what they propose as one batch, until nothing changes, `rounds` are over, or the
    graph has `growth` times its first number of nodes (plus 1000).  Stopping early loses alternatives, never correctness.

    After the first round only the classes near those that changed are looked at, at most `reach` uses away: rules look so far down.  The
    first round takes those that are new since the last `freeze`, which are all of a new graph."""
    roots, limit = list(roots), growth * len(graph) + 1000
    graph.rebuild()
    near = _near(graph, reach)
    frozen = graph.freeze(roots)
    for _ in range(rounds):
        for number, found in list(_proposals(frozen, near, _by_opcode(frozen, rules))):
            graph.union(number, graph.add(found) if isinstance(found, ENode) else found)
        graph.rebuild()
        near = _near(graph, reach)
        frozen = graph.freeze(roots)
        if not near or len(graph) > limit:
            break
    return frozen


def _by_opcode(graph: ClassGraph, rules: Sequence[Rule]) -> dict[str, list[Rule]]:
    """For each operator of the graph the rules that may say something of it."""
    present = {node.opcode for _, node in graph}
    found: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        if rule.within <= present:
            for opcode in rule.opcodes & present:
                found[opcode].append(rule)
    return found


def _near(graph: EGraph, reach: int) -> list[int]:
    """The classes in which a rule may find something new, in order."""
    found = dict(graph.changed())
    edge = list(found)
    for _ in range(reach):
        edge = [user for user in dict.fromkeys(user for number in edge for user in graph.users(number)) if user not in found]
        found.update(dict.fromkeys(edge))
    return sorted(found)


def _proposals(frozen: ClassGraph, near: Sequence[int], by_opcode: dict[str, list[Rule]]) -> Iterator[tuple[int, ENode | int]]:
    for number in near:
        if number in frozen.splats:
            continue
        for node in frozen.classes[number]:
            for rule in by_opcode.get(node.opcode, ()):
                for found in rule.apply(frozen, node):
                    yield number, found
