"""Verilog text -> every text that differs from it in one place: an operator, a constant, a width, a sign, a condition, an operand, a name, a statement.

Places come from the syntax tree of a parser, so comments and names that look like operators are left alone, and each mutant is one replacement
of an exact range of characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from pyslang import SourceManager, syntax

from proofs.mutation.literals import other_literals

KINDS = ("operator", "constant", "width", "sign", "condition", "swapped", "dropped", "name")
BINARY = {
    "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",), "<<": (">>",), ">>": ("<<",), "<<<": (">>>",), "&": ("|",), "|": ("&",), "^": ("|",),
    "&&": ("||",), "||": ("&&",), "==": ("!=",), "!=": ("==",), "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), ">>>": ("<<<",),
}  # fmt: skip
DROPPABLE = frozenset("+ - * & | ^ && || << >> >>> <<<".split())
ORDERED = frozenset("- / % << >> >>> <<<".split())
Node = Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """Characters [start, end) of `file` replaced by `new`; `id` is file:line:column:what, `kind` one of KINDS."""

    file: str
    start: int
    end: int
    new: str
    kind: str
    id: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def mutants(file: str, text: str) -> list[Mutant]:
    """All mutants of a file, in the order of its text, each once."""
    root = syntax.SyntaxTree.fromText(text, SourceManager(), file).root
    found: dict[tuple[int, int, str], Mutant] = {}
    for module in _modules(root):
        for start, end, new, kind, what in _Walker(text, _signals(module), _clocks(module)).walk(module):
            if text[start:end] != new:
                found.setdefault((start, end, new), Mutant(file, start, end, new, kind, what))
    return _identified(sorted(found.values(), key=lambda each: (each.start, each.end, each.new)), text)


def _identified(found: list[Mutant], text: str) -> list[Mutant]:
    """With the place in front of what was changed; where several would have one name, with its number."""
    names = [f"{m.file}:{text.count(chr(10), 0, m.start) + 1}:{m.start - text.rfind(chr(10), 0, m.start)}:{''.join(m.id.split())}" for m in found]
    numbered = [name if names.count(name) == 1 else f"{name}#{names[:place].count(name) + 1}" for place, name in enumerate(names)]
    return [replace(mutant, id=name) for mutant, name in zip(found, numbered, strict=True)]


def _modules(root: Node) -> list[Node]:
    return [root] if root.kind.name == "ModuleDeclaration" else [child for child in root.members if child.kind.name == "ModuleDeclaration"]


def _signals(module: Node) -> Mapping[str, str]:
    """Declared nets, variables and ports with the text of their type's dimensions."""
    found = {}
    for node in _nodes(module):
        if node.kind.name in ("NetDeclaration", "DataDeclaration"):
            declared = [each for each in node.declarators if each.kind.name == "Declarator" and not len(each.dimensions)]
            found |= {each.name.rawText: "".join(str(node.type.dimensions).split()) for each in declared}
        elif node.kind.name == "ImplicitAnsiPort" and hasattr(node.header, "dataType"):
            found[node.declarator.name.rawText] = "".join(str(node.header.dataType.dimensions).split())
    return found


def _clocks(module: Node) -> frozenset[str]:
    """What an edge is waited for, and ports of instances that are named so: the clock is no value."""
    return frozenset(str(node.expr).strip() for node in _nodes(module) if node.kind.name == "SignalEventExpression") | {"clock", "clk"}


def _nodes(node: Node) -> Iterator[Node]:
    if isinstance(node, syntax.SyntaxNode):
        yield node
        for child in node:
            yield from _nodes(child)


def _range(node: Node) -> tuple[int, int]:
    place = node.sourceRange if isinstance(node, syntax.SyntaxNode) else node.range
    return place.start.offset, place.end.offset


Change = tuple[int, int, str, str, str]


class _Walker:
    """Yields changes: start, end, new text, kind, and what to call it."""

    def __init__(self, text: str, signals: Mapping[str, str], clocks: frozenset[str]) -> None:
        self.text, self.signals, self.clocks = text, signals, clocks

    def source(self, node: Node) -> str:
        start, end = _range(node)
        return self.text[start:end]

    def walk(self, node: Node) -> Iterator[Change]:
        if not isinstance(node, syntax.SyntaxNode):
            return
        yield from self.changes(node)
        if node.kind.name != "RangeDimensionSpecifier":
            for child in node:
                yield from self.walk(child)

    def changes(self, node: Node) -> Iterator[Change]:
        match node.kind.name:
            case "IntegerLiteralExpression" | "IntegerVectorExpression":
                if node.parent is None or node.parent.kind.name != "SimpleRangeSelect":
                    yield from self.constant(node)
            case "RangeDimensionSpecifier":
                yield from self.bounds(node.selector, True)
            case "SimpleRangeSelect":
                yield from self.bounds(node, False)
            case "ConditionalExpression":
                yield from self.choice(node)
            case "ConditionalStatement":
                yield from self.condition(node.predicate)
            case "InvocationExpression":
                yield from self.cast(node)
            case "ConcatenationExpression":
                yield from self.concatenation(node)
            case "MultipleConcatenationExpression":
                yield from self.replication(node)
            case "ImplicitType" | "RegType":
                yield from self.signed(node)
            case "ExpressionStatement":
                yield from self.statement(node)
            case "IdentifierName":
                yield from self.name(node)
            case "UnaryLogicalNotExpression" | "UnaryBitwiseNotExpression" | "UnaryMinusExpression":
                start, _ = _range(node)
                yield start, _range(node.operand)[0], "", "dropped", f"without'{self.source(node.operatorToken)}'"
            case kind if kind.endswith("Expression") and "Assignment" not in kind and hasattr(node, "operatorToken") and hasattr(node, "left"):
                yield from self.binary(node)

    def binary(self, node: Node) -> Iterator[Change]:
        operator, left, right = self.source(node.operatorToken), self.source(node.left), self.source(node.right)
        start, end = _range(node)
        for other in BINARY.get(operator, ()):
            yield *_range(node.operatorToken), other, "operator", f"{operator}to{other}"
        if operator == ">>>":
            yield *_range(node.operatorToken), ">>", "sign", ">>>to>>"
        if operator in DROPPABLE:
            yield start, end, left, "dropped", f"{operator}right"
            yield start, end, right, "dropped", f"{operator}left"
        if operator in ORDERED:
            yield start, end, f"{right} {operator} {left}", "swapped", f"swap{operator}"

    def constant(self, node: Node) -> Iterator[Change]:
        for new in other_literals(self.source(node)):
            yield *_range(node), new, "constant", f"{self.source(node)}to{new}"

    def bounds(self, node: Node, declared: bool) -> Iterator[Change]:
        """A declared range one bit wider or narrower; a part select also moved by one bit."""
        if not hasattr(node, "left"):
            return
        left, right = self.source(node.left), self.source(node.right)
        start, end = _range(node)
        for sign in "-+":
            yield start, end, f"{left}{sign}1:{right}", "width", f"{left}:{right}high{sign}1"
            if not declared:
                yield start, end, f"{left}{sign}1:{right}{sign}1", "width", f"{left}:{right}moved{sign}1"

    def choice(self, node: Node) -> Iterator[Change]:
        start, end = _range(node)
        condition, then, other = self.source(node.predicate), self.source(node.left), self.source(node.right)
        yield start, end, f"{condition} ? {other} : {then}", "swapped", "swap?:"
        yield start, end, then, "condition", "then"
        yield start, end, other, "condition", "else"

    def condition(self, node: Node) -> Iterator[Change]:
        start, end = _range(node)
        source = self.source(node)
        yield start, end, f"!({source})", "condition", "not"
        yield start, end, "1'b1", "condition", "always"
        yield start, end, "1'b0", "condition", "never"

    def cast(self, node: Node) -> Iterator[Change]:
        name = self.source(node.left)
        if name in ("$signed", "$unsigned"):
            yield *_range(node.left), {"$signed": "$unsigned", "$unsigned": "$signed"}[name], "sign", f"not{name}"

    def concatenation(self, node: Node) -> Iterator[Change]:
        """Two neighbours change places."""
        parts = [part for part in node.expressions if isinstance(part, syntax.SyntaxNode)]
        for one, other in pairwise(parts):
            start, end = _range(one)[0], _range(other)[1]
            between = self.text[_range(one)[1] : _range(other)[0]]
            yield start, end, self.source(other) + between + self.source(one), "swapped", "swap{}"

    def replication(self, node: Node) -> Iterator[Change]:
        """What is repeated, such as a sign, is zero; a zero that is repeated is one."""
        inner = node.concatenation.expressions
        if len(inner) == 1:
            yield *_range(inner[0]), "1'b1" if self.source(inner[0]) == "1'b0" else "1'b0", "sign", "repeated"

    def signed(self, node: Node) -> Iterator[Change]:
        token = getattr(node, "signing", None)
        if token is not None and token.rawText == "signed":
            yield *_range(token), "", "sign", "unsigned"

    def statement(self, node: Node) -> Iterator[Change]:
        yield *_range(node), ";", "dropped", "assignment"

    def name(self, node: Node) -> Iterator[Change]:
        """The next signal of the same declared width, where a value is read or a port connected."""
        name, parent = self.source(node), node.parent
        if name not in self.signals or name in self.clocks or (parent is not None and _assigned(parent, node)):
            return
        like = [other for other, dimensions in self.signals.items() if dimensions == self.signals[name] and other not in self.clocks]
        if len(like) > 1:
            other = like[(like.index(name) + 1) % len(like)]
            yield *_range(node), other, "name", f"{name}to{other}"


def _assigned(parent: Node, node: Node) -> bool:
    assignment = parent.kind.name in ("AssignmentExpression", "NonblockingAssignmentExpression")
    return (assignment and _range(parent.left) == _range(node)) or parent.kind.name in ("SignalEventExpression",)
