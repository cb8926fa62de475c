"""Calls of Verilog functions to values: the body is executed for the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.module import Module
from lift.netlist.processes import Executor
from lift.verilog.pyverilog_expressions import Expressions, Size
from lift.verilog.pyverilog_parse import tree
from lift.verilog.pyverilog_scope import FunctionName, Scope, Signal
from lift.verilog.pyverilog_statements import Statements
from lift.verilog.pyverilog_text import SourceText

Declare = Callable[[Any, Scope], None]


class Functions:
    """The functions of `module`, with the converters of its expressions and statements."""

    def __init__(self, builder: Builder, source: SourceText, module: Module, declare: Declare) -> None:
        self._b, self._module, self._declare = builder, module, declare
        self.expressions = Expressions(builder, source, self)
        self.statements = Statements(builder, source, self.expressions, declare)

    def function_size(self, function: FunctionName, scope: Scope) -> Size:
        """See `Calls`."""
        width = function.definition.retwidth
        if width is None:
            return 1, False
        return abs(self.expressions.integer(width.msb, scope) - self.expressions.integer(width.lsb, scope)) + 1, False

    def call(self, function: FunctionName, arguments: list[Any], scope: Scope, at: Any) -> Node:
        """See `Calls`."""
        definition = function.definition
        inner = scope.inner(definition.name, local=True)
        width, _ = self.function_size(function, scope)
        *declarations, body = definition.statement
        for declaration in declarations:
            self._declare(declaration, inner)
        result = self._result(definition, width, inner)
        formals = [p.name for d in declarations for p in d.list if isinstance(p, tree.Input)]
        if len(formals) != len(arguments):
            raise self.expressions.unsupported(at, f"{len(arguments)} arguments of '{definition.name}', expected {len(formals)}", None)
        now = {result.name: self._b.intern("undef", width, (), result.name)}
        for name, argument in zip(formals, arguments, strict=True):
            signal = inner.names[name]
            assert isinstance(signal, Signal)
            now[signal.name] = self.expressions.assigned(argument, signal.width, scope)
        executor = Executor(self._b, self._module, frozenset(), now)
        executor.run(self.statements.statement(body, inner))
        return executor.finals().get(result.name, now[result.name])

    def _result(self, definition: Any, width: int, inner: Scope) -> Signal:
        """The variable named as the function is."""
        lsb = tree.IntConst("0", lineno=definition.lineno)
        msb = tree.IntConst(str(width - 1), lineno=definition.lineno)
        self._declare(tree.Reg(definition.name, tree.Width(msb, lsb), False, lineno=definition.lineno), inner)
        result = inner.names[definition.name]
        assert isinstance(result, Signal)
        return result
