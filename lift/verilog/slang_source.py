"""slang's locations and diagnostics to ours.

Keeps the compilation alive: its symbols are freed with it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, Protocol

import pyslang
import pyslang.ast
import pyslang.syntax

from lift.errors import UserError
from lift.netlist.model import Location


class HasSource(Protocol):
    """An expression or a statement."""

    @property
    def sourceRange(self) -> pyslang.SourceRange: ...


class SourceMap:
    """Where things stand in the source text."""

    def __init__(self, manager: pyslang.SourceManager, compilation: pyslang.ast.Compilation, trees: list[pyslang.syntax.SyntaxTree]) -> None:
        self._manager, self._compilation, self._trees = manager, compilation, trees
        root: Any = compilation.getRoot()  # a Scope too, which its declaration leaves out
        self.context = pyslang.ast.ASTContext(root, pyslang.ast.LookupLocation.max)

    def at(self, location: pyslang.SourceLocation) -> Location:
        """The place of `location`; inside a macro that of its use."""
        expanded = self._manager.getFullyExpandedLoc(location)
        m = self._manager
        return Location(m.getFileName(expanded), m.getLineNumber(expanded), m.getColumnNumber(expanded))

    def of(self, item: HasSource) -> Location:
        """The place where an expression or a statement begins."""
        return self.at(item.sourceRange.start)

    def unsupported(self, item: HasSource, what: str, advice: str | None = None) -> UserError:
        """The error for a construct that cannot be read."""
        return UserError(str(self.of(item)), f"unsupported: {what}", advice)

    def check(self, diagnostics: Iterable[pyslang.Diagnostic], black_boxes: frozenset[str]) -> None:
        """Raise `UserError` for the first of slang's errors, apart from missing modules that are black boxes."""
        engine = pyslang.DiagnosticEngine(self._manager)
        for diagnostic in diagnostics:
            if not (diagnostic.isError() or code(diagnostic) in _MISREAD) or code(diagnostic) in _HARMLESS:
                continue
            message = engine.formatMessage(diagnostic)
            if code(diagnostic) == "UnknownModule" and any(f"'{box}'" in message for box in black_boxes):
                continue
            advice = _ADVICE.get(code(diagnostic)) or (_SYNTAX if code(diagnostic).startswith("Expected") else _MEANING)
            raise UserError(str(self.at(diagnostic.location)), message, advice)

    def check_duplicates(self, diagnostics: Iterable[pyslang.Diagnostic], used: Container[str]) -> None:
        """Raise `UserError` for the first definition of `used` that has two texts."""
        engine = pyslang.DiagnosticEngine(self._manager)
        for diagnostic in diagnostics:
            message = engine.formatMessage(diagnostic)
            if code(diagnostic) == "DuplicateDefinition" and message.split("'")[1] in used:
                raise UserError(str(self.at(diagnostic.location)), message, "remove one, or name the files to read one by one")


def code(diagnostic: pyslang.Diagnostic) -> str:
    """The name of the kind of a diagnostic."""
    return str(diagnostic.code).removeprefix("DiagCode(").removesuffix(")")


# Errors of slang that change nothing in what is read.
_HARMLESS = frozenset({"MissingTimeScale"})
# Warnings of slang about what it reads otherwise than it is written.
_MISREAD = frozenset({"SignedIntegerOverflow", "RangeSelectReversed", "RedefinitionDifferentType"})
_ADVICE = {
    "UnknownModule": "add its file, or name it as a black box",
    "CouldNotOpenIncludeFile": "add its directory to the paths or the file list",
    "UnknownDirective": "define the macro with -D, or add the file that defines it",
    "InfinitelyRecursiveHierarchy": "let a parameter end the recursion",
    "MaxInstanceDepthExceeded": "let a parameter end the recursion",
    "UndeclaredIdentifier": "declare it, or check its spelling",
    "PortDoesNotExist": "connect the ports that the module has",
    "BadAssignment": "give both sides the same type",
    "NoImplicitConversion": "write the cast",
}
_SYNTAX = "correct the text up to this place; where a macro is meant, define it with -D"
_MEANING = "correct the source; only what the top needs is read"
