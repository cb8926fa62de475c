"""A module that tests itself to the design in it: what its test bench drives becomes inputs.

A test bench is a process with delays, an initial block that prints, or an always block that only waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyslang
import pyslang.syntax as syntax

_Kind = syntax.SyntaxKind
_ASSIGNMENTS = frozenset(k for k in (getattr(_Kind, n) for n in dir(_Kind) if n.endswith("AssignmentExpression")) if isinstance(k, _Kind))


def without_test_bench(path: Path, folder: Path) -> Path | None:
    """A copy in `folder` without test benches, None if no module drives itself."""
    manager = pyslang.SourceManager()
    tree = syntax.SyntaxTree.fromFile(str(path), manager)
    text = path.read_bytes().decode("latin-1")
    edits = [edit for module in _of_kind(tree.root, _Kind.ModuleDeclaration) for edit in _module(module, text)]
    if not edits:
        return None
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    copy = folder / f"design_{path.name}"
    copy.write_bytes(text.encode("latin-1"))
    return copy


def _module(module: Any, text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, new text): processes go, what they alone assign becomes ports."""
    benches, others = [], []
    for member in module.members:
        process = member.kind in (_Kind.InitialBlock, _Kind.AlwaysBlock)
        (benches if process and _is_test_bench(member, text) else others).append(member)
    if not benches or _has_ports(module, text):
        return
    driven = {n for m in others for n in _assigned(m, text)}
    inputs = {n for m in benches for n in _assigned(m, text)} - driven
    declared = [d for m in others if m.kind == _Kind.DataDeclaration for d in _inputs(m, inputs, text)]
    names = [name for name, _ in declared]
    for member in benches:
        yield (*_span(member), "")
    yield from {edit for _, edit in declared}
    header = module.header
    start = header.name.range.end.offset
    yield start, _span(header)[1], f"({', '.join(names)});"


def _has_ports(module: Any, text: str) -> bool:
    ports = module.header.ports
    return ports is not None and _text(ports, text).strip("() \n\t") != ""


def _is_test_bench(member: Any, text: str) -> bool:
    body = _text(member, text)
    if "#" in body or "$finish" in body:
        return True
    return member.kind == _Kind.InitialBlock and ("$display" in body or "@" in body)


def _assigned(member: Any, text: str) -> Iterator[str]:
    for node in _walk(member):
        if node.kind in _ASSIGNMENTS or node.kind in (_Kind.PostincrementExpression, _Kind.PostdecrementExpression):
            left = getattr(node, "left", None) or node.operand
            for name in _walk(left):
                if name.kind in (_Kind.IdentifierName, _Kind.IdentifierSelectName):
                    yield name.identifier.valueText


def _inputs(member: Any, inputs: set[str], text: str) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """The declarations of one statement: `reg a, b;` to `input a; reg b;`."""
    kind = _text(member.type, text)
    rest = " ".join(kind.split()[1:]) if kind.split()[0] in ("reg", "logic", "bit") else None
    found = [d for d in member.declarators if hasattr(d, "name")]
    moved = [d.name.valueText for d in found if d.name.valueText in inputs and not list(d.dimensions)]
    if not moved:
        return
    words = {"integer": "signed [31:0]", "int": "signed [31:0]"}
    lines = [f"input {words.get(kind.strip(), rest or '')} {name};" for name in moved]
    lines += [f"{kind} {_text(d, text)};" for d in found if d.name.valueText not in moved]
    edit = (*_span(member), " ".join(lines))
    for name in moved:
        yield name, edit


def _span(node: Any) -> tuple[int, int]:
    span = node.sourceRange
    return span.start.offset, span.end.offset


def _text(node: Any, text: str) -> str:
    start, end = _span(node)
    return text[start:end]


def _of_kind(root: Any, kind: Any) -> Iterator[Any]:
    return (node for node in _walk(root) if node.kind == kind)


def _walk(root: Any) -> Iterator[Any]:
    yield root
    for child in root:
        if isinstance(child, syntax.SyntaxNode):
            yield from _walk(child)
