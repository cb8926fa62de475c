"""Calls of Verilog functions to values, and of tasks to statements (IEEE 1364-2005, clause 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.module import Assign, Function, Module, Statement, Target
from lift.netlist.processes import Executor
from lift.verilog.pyverilog_expressions import Expressions, Size
from lift.verilog.pyverilog_grammar import SignedFunction, tree
from lift.verilog.pyverilog_scope import FunctionName, Scope, Signal
from lift.verilog.pyverilog_statements import Statements
from lift.verilog.pyverilog_text import SourceText

Declare = Callable[[Any, Scope], None]


class Functions:
    """The functions and tasks of `module`, with the converters of its expressions and statements."""

    def __init__(self, builder: Builder, source: SourceText, module: Module, declare: Declare) -> None:
        self._b, self._source, self._module, self._declare = builder, source, module, declare
        self.expressions = Expressions(builder, source, self)
        self.statements = Statements(builder, source, self.expressions, declare, self)
        self._open: list[Any] = []  # what is being converted

    def function_size(self, function: FunctionName) -> Size:
        """See `Calls`."""
        width = function.definition.retwidth
        left, right = (self.expressions.integer(e, function.scope) for e in (width.msb, width.lsb))
        return abs(left - right) + 1, isinstance(function.definition, SignedFunction)

    def call(self, function: FunctionName, arguments: list[Any], scope: Scope, at: Any) -> Node:
        """See `Calls`."""
        definition, (width, signed) = function.definition, self.function_size(function)
        inner = self._enter(function, tree.Function, arguments, at)
        name = inner.prefix.removesuffix(".")
        formals = [_signal(formal, inner) for formal, _ in _formals(definition)]
        if name not in self._module.functions:
            result = self._result(definition, width, signed, inner)
            known = (name, tuple(f.name for f in formals), result.name, width), self._source.at(definition.lineno)
            self._module.functions[name] = Function(*known[0], (), known[1])  # it may call itself
            self._open.append(definition)
            self._module.functions[name] = Function(*known[0], self.statements.statement(definition.statement[-1], inner), known[1])
            self._open.remove(definition)
        values = [self.expressions.assigned(e, formal.width, scope) for e, formal in zip(arguments, formals, strict=True)]
        result = self._b.intern("call", width, tuple(values), name)
        return result if self._open else self._folded(result)

    def _folded(self, call: Node) -> Node:
        """The value of a call if it is constant, as parameters need it."""
        if any(argument.op != "const" for argument in call.args):
            return call
        value = Executor(self._b, self._module, frozenset()).evaluate(call)
        return value if value.op == "const" else call

    def task(self, task: FunctionName, arguments: list[Any], scope: Scope, at: Any) -> tuple[Statement, ...]:
        """See `Calls`."""
        inner, location = self._enter(task, tree.Task, arguments, at), self._source.at(at.lineno)
        before: list[Statement] = []
        after: list[Statement] = []
        for (formal, is_input), argument in zip(_formals(task.definition), arguments, strict=True):
            signal = _signal(formal, inner)
            if is_input:
                value = self.expressions.assigned(argument, signal.width, scope)
                before.append(Assign((Target(signal.name, signal.width),), value, location))
            else:
                targets = self.expressions.targets(argument, scope, nets=False)
                value = self._b.intern("var", signal.width, (), signal.name)
                after.append(Assign(targets, self._b.resize(value, sum(t.width for t in targets), signal.signed), location))
        if task.definition in self._open:
            raise self.expressions.unsupported(at, f"task '{task.definition.name}', which calls itself", "write it as a loop")
        self._open.append(task.definition)
        body = self.statements.statement(task.definition.statement[-1], inner)
        self._open.pop()
        return (*before, *body, *after)

    def _enter(self, function: FunctionName, kind: type, arguments: list[Any], at: Any) -> Scope:
        """The scope of a call, with its formal arguments and variables."""
        definition = function.definition
        expected = len(list(_formals(definition)))
        if not isinstance(definition, kind):
            raise self.expressions.unsupported(at, f"'{definition.name}' as a {kind.__name__.lower()}", "functions have values, tasks have none")
        if expected != len(arguments):
            raise self.expressions.unsupported(at, f"{len(arguments)} arguments of '{definition.name}', expected {expected}", None)
        inner = function.scope.inner(definition.name, local=True)
        for declaration in definition.statement[:-1]:
            self._declare(declaration, inner)
        return inner

    def _result(self, definition: Any, width: int, signed: bool, inner: Scope) -> Signal:
        """The variable named as the function is."""
        lsb = tree.IntConst("0", lineno=definition.lineno)
        msb = tree.IntConst(str(width - 1), lineno=definition.lineno)
        self._declare(tree.Reg(definition.name, tree.Width(msb, lsb), signed, lineno=definition.lineno), inner)
        return _signal(definition.name, inner)


def _signal(name: str, scope: Scope) -> Signal:
    signal = scope.names[name]
    assert isinstance(signal, Signal)
    return signal


def _formals(definition: Any) -> Iterator[tuple[str, bool]]:
    """The names of the arguments, and whether each is an input."""
    for declaration in definition.statement[:-1]:
        yield from ((p.name, isinstance(p, tree.Input)) for p in declaration.list if isinstance(p, (tree.Input, tree.Output, tree.Inout)))
