"""Functions of the design to `Function`s with calls as nodes, and calls of tasks to the statements that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyslang.ast as ast

from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.module import Assign, Function, Module, Statement, Target
from lift.netlist.returns import without_returns
from lift.verilog.slang_expressions import Expressions
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_statements import Statements

_Direction = ast.ArgumentDirection
Local = Callable[[ast.Symbol, Any], str]


class Subroutines:
    """The functions and tasks that `module` calls; `local` names a variable in it, `path` anything."""

    def __init__(self, builder: Builder, source: SourceMap, module: Module, local: Local, path: Callable[[Any], str]) -> None:
        self._b, self._source, self._module, self._local, self._path = builder, source, module, local, path
        self._open: list[str] = []  # tasks whose statements are being written out
        self.expressions: Expressions  # set by the converter of the module, which needs this object first
        self.statements: Statements

    def call(self, expression: ast.CallExpression, arguments: list[Node]) -> Node:
        """See `Names`."""
        function: Any = expression.subroutine
        if function.subroutineKind != ast.SubroutineKind.Function:
            raise self._source.unsupported(expression, f"a call of task {function.name}", "write its statements out")
        if any(a.direction != _Direction.In for a in function.arguments):
            raise self._source.unsupported(expression, f"output arguments of function {function.name}", "return the value")
        if function.returnType.isVoid or not function.returnType.isIntegral:
            raise self._source.unsupported(expression, f"function {function.name} of type '{function.returnType}'", "use vectors")
        name = self._path(function)
        if name not in self._module.functions:
            self._define(function, name, expression)
        return self._b.intern("call", function.returnType.bitWidth, tuple(arguments), name)

    def _define(self, function: Any, name: str, expression: ast.CallExpression) -> None:
        formals = tuple(self._local(a, expression) for a in function.arguments)
        result = self._local(function.returnValVar, expression)
        width, location = function.returnType.bitWidth, self._source.at(function.location)
        self._module.functions[name] = Function(name, formals, result, width, (), location)  # it may call itself
        self._module.functions[name] = Function(name, formals, result, width, self._body(function), location)

    def task(self, expression: ast.CallExpression) -> tuple[Statement, ...]:
        """See `Names`: arguments are copied in, and results out afterwards."""
        task: Any = expression.subroutine
        name, location = self._path(task), self._source.of(expression)
        if name in self._open:
            raise self._source.unsupported(expression, f"task {task.name}, which calls itself", "write it as a loop or as a function")
        before: list[Statement] = []
        after: list[Statement] = []
        for formal, actual in zip(task.arguments, expression.arguments, strict=True):
            variable, width = self._local(formal, expression), formal.type.bitWidth
            if formal.direction == _Direction.In:
                before.append(Assign((Target(variable, width),), self.expressions.expression(actual), location))
            elif formal.direction in (_Direction.Out, _Direction.InOut) and isinstance(actual, ast.AssignmentExpression):
                if formal.direction == _Direction.InOut:
                    value = self._b.resize(self.expressions.expression(actual.left), width, actual.left.type.isSigned)
                    before.append(Assign((Target(variable, width),), value, location))
                value = self._b.resize(self._b.intern("var", width, (), variable), actual.left.type.bitWidth, formal.type.isSigned)
                after.append(Assign(self.expressions.targets(actual.left), value, location))
            else:
                raise self._source.unsupported(expression, f"this argument of task {task.name}", "use an input and an output")
        self._open.append(name)
        body = self._body(task)
        self._open.pop()
        return (*before, *body, *after)

    def _body(self, subroutine: Any) -> tuple[Statement, ...]:
        """The statements, without returns."""
        result = None if subroutine.returnType.isVoid else self._local(subroutine.returnValVar, subroutine)
        return without_returns(self.statements.body(subroutine.body, result))
