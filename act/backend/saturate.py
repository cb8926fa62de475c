"""An e-graph and rules -> the e-graph with everything the rules can show to be equal, within a budget of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.egraph import EGraph

Rules = dict[str, tuple[list[Rule], list[Rule]]]
"""For an operator all rules that may say something of it, and those of them that are not shallow."""

MOST_NEW = 4000
"""Nodes that are added to a graph, and proposals that are looked at in one round: a matter of a second."""


def saturate(
    graph: EGraph,
    roots: Iterable[int],
    rules: Sequence[Rule],
    rounds: int = 12,
    growth: int = 8,
    reach: int = 2,
    enough: Callable[[], bool] | None = None,
    newest_first: bool = False,
    most: int = MOST_NEW,
) -> ClassGraph:
    """Applies all rules to the frozen graph and adds what they propose as one batch, until nothing changes, `rounds` are over, or the
    graph has `growth` times its first number of nodes (plus 1000), or `most` new ones, or is `enough`.  Stopping early loses
    alternatives, never correctness.

    After the first round only the classes near those that changed are looked at, at most `reach` uses away: rules look so far down.  The
    first round takes those that are new since the last `freeze`, which are all of a new graph.  What was added last is looked at first
    (`newest_first`) where it is what matters, and the limits may leave out the rest."""
    roots, limit = list(roots), min(growth * len(graph) + 1000, len(graph) + most)
    graph.rebuild()
    seen: dict[int, ENode] = {}
    near = _near(graph, reach, newest_first)
    frozen = graph.freeze(roots)
    for _ in range(rounds):
        for number, found in list(islice(_proposals(frozen, near, _by_opcode(graph, rules), seen), most)):
            graph.union(number, graph.add(found) if isinstance(found, ENode) else found)
        graph.rebuild()
        near = _near(graph, reach, newest_first)
        frozen = graph.freeze(roots)
        if not near[0] or len(graph) > limit or (enough is not None and enough()):
            break
    return frozen


def _by_opcode(graph: EGraph, rules: Sequence[Rule]) -> Rules:
    """The rules for each operator of the graph."""
    present, types = graph.kinds()
    found: Rules = {}
    for rule in rules:
        if rule.within <= present and (rule.among is None or any(map(rule.among, types))):
            for opcode in rule.opcodes & present:
                every, deep = found.setdefault(opcode, ([], []))
                every.append(rule)
                if not rule.shallow:
                    deep.append(rule)
    return found


Near = tuple[list[int], set[int], set[int]]
"""The classes in which a rule may find something new, in order; those that make it new for the nodes that use them; and those of these of
whose elements more is known."""


def _near(graph: EGraph, reach: int, newest_first: bool) -> Near:
    found = dict(graph.changed())
    edge, inner = list(found), set(found)
    for _ in range(reach):
        inner = set(found)
        edge = [user for user in dict.fromkeys(user for number in edge for user in graph.users(number)) if user not in found]
        found.update(dict.fromkeys(edge))
    return sorted(found, reverse=newest_first), inner, graph.informed()


def _proposals(frozen: ClassGraph, near: Near, by_opcode: Rules, seen: dict[int, ENode]) -> Iterator[tuple[int, ENode | int]]:
    """What the rules say of nodes that they have not seen, or not with what is known now of the classes below."""
    numbers, inner, informed = near
    for number in numbers:
        if number in frozen.splats:
            continue
        for node in frozen.classes[number]:
            rules = by_opcode.get(node.opcode)
            if rules is None:
                continue
            again, children = id(node) in seen, node.children
            if again and inner.isdisjoint(children):
                continue
            seen[id(node)] = node
            for rule in rules[again and informed.isdisjoint(children)]:
                for found in rule.apply(frozen, node):
                    yield number, found
