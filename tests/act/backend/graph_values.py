"""The values of all nodes of an e-graph on given inputs, to see that equal nodes are equal."""

from collections.abc import Iterator, Mapping

import numpy as np

from act.backend.classes import ClassGraph, ENode
from act.hlo.evaluate import kernel
from act.hlo.model import Computation, Instruction


def node_values(graph: ClassGraph, inputs: Mapping[int, np.ndarray]) -> Iterator[tuple[int, ENode, np.ndarray]]:
    """Every node whose children have values, with its class and value; `inputs` are by parameter number."""
    known: dict[int, np.ndarray] = {}
    pending = list(graph)
    while pending:
        ready = [(number, node) for number, node in pending if all(child in known for child in node.children)]
        if not ready:
            return
        for number, node in ready:
            value = node_value(graph, node, inputs, [known[child] for child in node.children])
            known.setdefault(number, value)
            yield number, node, value
        pending = [each for each in pending if each not in ready]


def node_value(graph: ClassGraph, node: ENode, inputs: Mapping[int, np.ndarray], children: list[np.ndarray]) -> np.ndarray:
    match node.opcode:
        case "parameter":
            return inputs[node.attribute("number")]
        case "sum":
            total = children[0]
            for child in children[1:]:
                total = _apply(graph, ENode("add", (), node.shape, node.children[:2]), [total, child])
            return total
        case "assemble":
            whole = np.zeros(node.shape.dims, children[0].dtype)
            for start, child in zip(node.attribute("starts"), children, strict=True):
                whole[tuple(slice(first, first + size) for first, size in zip(start, child.shape, strict=True))] = child
            return whole
    return _apply(graph, node, children)


def _apply(graph: ClassGraph, node: ENode, children: list[np.ndarray]) -> np.ndarray:
    names = tuple(f"p{position}" for position in range(len(children)))
    parameters = [
        Instruction(name, graph.shape(child), "parameter", (), {"number": position})
        for position, (name, child) in enumerate(zip(names, node.children, strict=True))
    ]
    root = Instruction("root", node.shape, node.opcode, names, dict(node.attributes))
    return np.asarray(kernel(Computation("node", (*parameters, root), "root"))(*children))


def disagreeing(graph: ClassGraph, inputs: Mapping[int, np.ndarray]) -> list[str]:
    """The nodes whose value is not that of their class."""
    first: dict[int, np.ndarray] = {}
    wrong = []
    for number, node, value in node_values(graph, inputs):
        if not np.array_equal(first.setdefault(number, value), value):
            wrong.append(f"class {number}: {node}")
        if number in graph.splats and not np.all(value == graph.splats[number]):
            wrong.append(f"class {number} is not {graph.splats[number]} everywhere")
        if number in graph.ranges and not (graph.ranges[number][0] <= value.min() and value.max() <= graph.ranges[number][1]):
            wrong.append(f"class {number} is not within {graph.ranges[number]}")
    return wrong
