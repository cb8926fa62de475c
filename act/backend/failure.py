"""Why no program exists: the operator and the memories at which the search ended."""

from __future__ import annotations

from act.backend.classes import ClassGraph
from act.backend.extract import Extraction
from act.backend.needs import Need, OnChipNeed, StoreNeed
from act.taidl.model import Accelerator

MOVES = ("reshape", "slice", "broadcast", "transpose", "parameter", "constant", "assemble")


def explain(extraction: Extraction, root: Need, accelerator: Accelerator, output: str) -> str:
    """The message for an output that cannot be computed."""
    ends = extraction.dead_ends(root)
    graph = extraction.ways.graph
    blocked = _unreachable(extraction, ends)
    lines = dict.fromkeys(_line(graph, need) for need in blocked)
    shown = "\n  ".join(list(lines)[:4])
    return f"{accelerator.name} has no program for '{output}'. The search ended at:\n  {shown}"


def _unreachable(extraction: Extraction, ends: list[Need]) -> list[Need]:
    """Of the needs without a way, those of classes that can be computed in no memory, computed ones before moved ones."""
    graph = extraction.ways.graph
    solved = {need.number for need in extraction.best}
    candidates = [need for need in ends if need.number not in solved] or ends
    return sorted(candidates, key=lambda need: (_opcode(graph, need) in MOVES, -need.number))


def _opcode(graph: ClassGraph, need: Need) -> str:
    return graph.classes[need.number][0].opcode


def _line(graph: ClassGraph, need: Need) -> str:
    node = graph.classes[need.number][0]
    operands = ", ".join(str(graph.shape(child)) for child in node.children)
    opcode = "add" if node.opcode == "sum" else node.opcode
    match need:
        case OnChipNeed(_, buffer):
            where = f"into {buffer}"
        case StoreNeed(_, buffer, strides):
            where = f"to {buffer} with strides of {', '.join(map(str, strides)) or 'no'} bytes"
        case _:
            where = f"into {need.buffer}"
    return f"{opcode}({operands}) -> {node.shape}: no instruction computes it {where}"
