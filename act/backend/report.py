"""What a compilation found, as text to read: the e-graph and the operations with the classes that they compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.classes import ClassGraph, ENode
from act.backend.emit import Operation


def render(graph: ClassGraph, issued: Sequence[Operation]) -> dict[str, str]:
    """File names and texts."""
    return {"egraph.txt": "\n".join(_classes(graph)) + "\n", "operations.txt": "\n".join(_operations(issued)) + "\n"}


def _classes(graph: ClassGraph) -> Iterator[str]:
    for number, nodes in graph.classes.items():
        yield f"%{number} : {graph.shape(number)}"
        yield from (f"    {_node(node)}" for node in nodes)


def _node(node: ENode) -> str:
    attributes = "".join(f", {name}={value}" for name, value in node.attributes)
    return f"{node.opcode}({', '.join(f'%{child}' for child in node.children)}){attributes}"


def _operations(issued: Sequence[Operation]) -> Iterator[str]:
    for operation in issued:
        attributes = " ".join(f"{name}={value}" for name, value in operation.attributes.items())
        step = operation.step
        result = "" if step is None else f"%{step.number} = "
        operands = "" if step is None else f"({', '.join(f'%{number}' for number in step.match.operands)})"
        yield f"{result}{operation.name}{operands} {attributes}"
