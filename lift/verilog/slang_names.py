"""What the converters of expressions and statements ask of the module that they stand in."""

from __future__ import annotations

from typing import Any, Protocol

import pyslang.ast as ast

from lift.netlist.model import Location, Node
from lift.netlist.module import Statement


class Names(Protocol):
    """What a module knows of the symbols in its expressions."""

    def local(self, symbol: ast.Symbol, item: Any) -> str:
        """The local name of a variable."""
        ...

    def violation(self, at: Location) -> str:
        """The name of a new variable that becomes 1 where the assertion at a place fails."""
        ...

    def below(self, symbol: ast.Symbol) -> str | None:
        """The path of a variable inside an instance of this module, None for one of this module itself."""
        ...

    def temporary(self, width: int, location: Location, function: str | None) -> str:
        """A new variable of the process, or of the function with this result."""
        ...

    def call(self, expression: ast.CallExpression, arguments: list[Node]) -> Node:
        """The value of a call of a function of the design."""
        ...

    def task(self, expression: ast.CallExpression) -> tuple[Statement, ...]:
        """The statements that a call of a task of the design stands for."""
        ...
