"""slang's loops to `Loop`s, which are unrolled as long as their condition is a constant."""

from __future__ import annotations

from typing import Any

import pyslang.ast as ast

from lift.netlist.builder import Builder
from lift.netlist.jumps import without_jumps
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, If, Loop, Statement, Target
from lift.netlist.returns import Return
from lift.verilog.slang_expressions import Expressions
from lift.verilog.slang_names import Names
from lift.verilog.slang_source import SourceMap


class Loops:
    """Part of `Statements`."""

    _b: Builder
    _source: SourceMap
    _names: Names
    _expressions: Expressions
    _result: str | None  # the variable of the function's value

    def statement(self, s: ast.Statement) -> tuple[Statement, ...]:
        """See `Statements`."""
        raise NotImplementedError

    def expression_statement(self, e: ast.Expression) -> tuple[Statement, ...]:
        """See `Statements`."""
        raise NotImplementedError

    def loop(self, s: Any) -> tuple[Statement, ...]:
        """Any kind of loop."""
        match s:
            case ast.ForLoopStatement():
                return self._for(s)
            case ast.WhileLoopStatement():
                return self._loop(s, (), self._expressions.condition(s.cond), (), self.statement(s.body))
            case ast.DoWhileLoopStatement():
                return self._do(s)
            case ast.ForeachLoopStatement():
                return self._foreach(s)
            case ast.ForeverLoopStatement():
                return self._loop(s, (), self._b.const(1, 1), (), self.statement(s.body))
        return self._repeat(s)

    def _loop(
        self, s: ast.Statement, start: tuple[Statement, ...], condition: Node, step: tuple[Statement, ...], body: tuple[Statement, ...]
    ) -> tuple[Statement, ...]:
        at = self._source.of(s)
        return without_jumps(self._b, Loop(start, condition, step, body, at), lambda width: self._temporary(width, at))

    def _temporary(self, width: int, at: Location) -> str:
        return self._names.temporary(width, at, self._result)

    def _for(self, s: ast.ForLoopStatement) -> tuple[Statement, ...]:
        start = tuple(t for e in s.initializers for t in self.expression_statement(e)) + tuple(self._loop_variable(v) for v in s.loopVars)
        step = tuple(t for e in s.steps for t in self.expression_statement(e))
        condition = self._b.const(1, 1) if s.stopExpr is None else self._expressions.condition(s.stopExpr)
        return self._loop(s, start, condition, step, self.statement(s.body))

    def _loop_variable(self, symbol: ast.VariableSymbol) -> Assign:
        name, width = self._names.local(symbol, symbol), symbol.type.bitWidth
        return Assign((Target(name, width),), self._expressions.expression(symbol.initializer), self._source.at(symbol.location))

    def _do(self, s: ast.DoWhileLoopStatement) -> tuple[Statement, ...]:
        """The first turn happens whatever the condition is: a variable that is 1 in it."""
        at, condition = self._source.of(s), self._expressions.condition(s.cond)
        first = self._temporary(1, at)
        going_on = self._b.op("or", self._b.intern("var", 1, (), first), condition)
        body = (Assign((Target(first, 1),), self._b.const(0, 1), at), *self.statement(s.body))
        start = (Assign((Target(first, 1),), self._b.const(1, 1), at),)
        return self._loop(s, start, going_on, (), body)

    def _repeat(self, s: ast.RepeatLoopStatement) -> tuple[Statement, ...]:
        """The count is taken once, before the first turn; a negative one is none."""
        at, count = self._source.of(s), self._expressions.expression(s.count)
        left = Target(self._temporary(count.width, at), count.width)
        value = self._b.intern("var", count.width, (), left.name)
        if s.count.type.isSigned:
            count = self._b.mux(self._b.extract(count, count.width - 1, 1), self._b.const(0, count.width), count)
        step = (Assign((left,), self._b.op("sub", value, self._b.const(1, count.width)), at),)
        return self._loop(s, (Assign((left,), count, at),), self._b.true(value), step, self.statement(s.body))

    def _foreach(self, s: ast.ForeachLoopStatement) -> tuple[Statement, ...]:
        """A loop for each named dimension, the first outermost."""
        body = self.statement(s.body)
        for dimension in reversed([d for d in s.loopDims if d.loopVar is not None]):
            if dimension.range is None:
                raise self._source.unsupported(s, "foreach over an array without constant bounds", "use a for loop")
            body = self._dimension(s, dimension, body)
        return body

    def _dimension(self, s: ast.ForeachLoopStatement, dimension: Any, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        at, width = self._source.of(s), dimension.loopVar.type.bitWidth
        name, bounds = self._names.local(dimension.loopVar, s), dimension.range
        step = 1 if bounds.right >= bounds.left else -1
        value = self._b.intern("var", width, (), name)
        past = self._b.op("eq", value, self._b.const(bounds.right + step, width))
        start = (Assign((Target(name, width),), self._b.const(bounds.left, width), at),)
        onward = (Assign((Target(name, width),), self._b.op("add", value, self._b.const(step, width)), at),)
        return self._loop(s, start, self._b.op("not", past), onward, body)

    def _case_inside(self, s: ast.CaseStatement) -> tuple[Statement, ...]:
        """The first item of which a value or range contains the selector, as a chain of conditions."""
        left, signed = self._expressions.expression(s.expr), s.expr.type.isSigned
        chain = self.statement(s.defaultCase) if s.defaultCase is not None else ()
        for item in reversed(list(s.items)):
            hit = self._expressions.inside(left, signed, item.expressions)
            chain = (If(hit, self.statement(item.stmt), chain, self._source.of(s)),)
        return chain

    def _return(self, s: ast.ReturnStatement) -> Any:
        location = self._source.of(s)
        if s.expr is None or self._result is None:
            return Return(None, location)
        value = self._expressions.expression(s.expr)
        return Return(Assign((Target(self._result, value.width),), value, location), location)
