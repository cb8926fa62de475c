"""A node to the largest value that it can have, as far as its operators tell."""

from __future__ import annotations

from lift.netlist.model import Node


def maximum(node: Node) -> int:
    """An upper bound of the unsigned value of `node`, at most 2**width - 1."""
    return _maximum(node, {})


def _maximum(node: Node, known: dict[Node, int]) -> int:
    if node not in known:
        known[node] = min(_bound(node, known), (1 << node.width) - 1)
    return known[node]


def _bound(node: Node, known: dict[Node, int]) -> int:
    limit = (1 << node.width) - 1
    match node.op, node.args:
        case "const", _ if not node.xmask and isinstance(node.attr, int):
            return node.attr
        case "zext", (a,):
            return _maximum(a, known)
        case "concat", parts:
            result = 0
            for part in parts:
                result = result << part.width | _maximum(part, known)
            return result
        case "add", (a, b) if (total := _maximum(a, known) + _maximum(b, known)) <= limit:
            return total
        case "mul", (a, b) if (product := _maximum(a, known) * _maximum(b, known)) <= limit:
            return product
        case "and", (a, b):
            return min(_maximum(a, known), _maximum(b, known))
        case "mux", (_, a, b):
            return max(_maximum(a, known), _maximum(b, known))
    return limit
