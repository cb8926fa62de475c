"""slang's statements to those of `lift.netlist.module`."""

from __future__ import annotations

from typing import Any, cast

import pyslang.ast as ast

from lift.netlist.arrays import walk
from lift.netlist.builder import Builder
from lift.netlist.jumps import Break, Continue
from lift.netlist.module import Assign, Case, Edge, If, Process, Statement, Target
from lift.verilog.slang_expressions import Expressions
from lift.verilog.slang_files import DIGITS, memory_file
from lift.verilog.slang_loops import Loops
from lift.verilog.slang_names import Names
from lift.verilog.slang_source import SourceMap

_SILENT = frozenset("$display $write $strobe $monitor $finish $stop $error $warning $info $fatal $fwrite $fdisplay".split())
_FAILING = frozenset(("$error", "$fatal"))
_ASSERTIONS = (ast.AssertionKind.Assert, ast.AssertionKind.Assume)
_WILDCARDS = {
    ast.CaseStatementCondition.Normal: "",
    ast.CaseStatementCondition.WildcardJustZ: "z",
    ast.CaseStatementCondition.WildcardXOrZ: "x",
}
_EDGES = (ast.EdgeKind.PosEdge, ast.EdgeKind.NegEdge, ast.EdgeKind.BothEdges)
_LOOPS = (
    ast.ForLoopStatement,
    ast.WhileLoopStatement,
    ast.DoWhileLoopStatement,
    ast.RepeatLoopStatement,
    ast.ForeachLoopStatement,
    ast.ForeverLoopStatement,
)
_Kind = ast.ProceduralBlockKind


class Statements(Loops):
    """Converts the processes of one module."""

    def __init__(self, builder: Builder, source_map: SourceMap, names: Names, expressions: Expressions) -> None:
        self._b, self._source, self._names, self._expressions = builder, source_map, names, expressions
        self._clocked = False
        self._once = False  # inside an initial block
        self._result: str | None = None  # the variable of the function's value

    def process(self, block: ast.ProceduralBlockSymbol) -> Process:
        """An always or initial block."""
        body, edges, levels = block.body, tuple[Edge, ...](), None
        if block.procedureKind == _Kind.AlwaysLatch:
            raise self._source.unsupported(body, "always_latch", "latches cannot be read")
        if block.procedureKind in (_Kind.Always, _Kind.AlwaysFF):
            if not isinstance(body, ast.TimedStatement):
                raise self._source.unsupported(body, "an always block without a sensitivity list", "write always @(...)")
            body, edges, levels = body.stmt, self._edges(body), self._levels(body)
        self._once = block.procedureKind == _Kind.Initial
        before, self._clocked = self._clocked, bool(edges)
        converted = self.statement(body)
        self._clocked = before
        return Process(converted, edges, self._source.of(block.body), levels)

    def statement(self, s: ast.Statement) -> tuple[Statement, ...]:
        """`s` as a sequence of statements."""
        match s:
            case ast.EmptyStatement() | ast.ConcurrentAssertionStatement():
                return ()
            case ast.ImmediateAssertionStatement():
                return self._assertion(s)
            case ast.StatementList():
                return tuple(t for inner in s.list for t in self.statement(inner))
            case ast.BlockStatement():
                return self._block(s)
            case ast.ExpressionStatement():
                return self.expression_statement(s.expr)
            case ast.VariableDeclStatement():
                return self._declaration(s)
            case ast.ConditionalStatement():
                return self._conditional(s)
            case ast.CaseStatement():
                return self._case(s)
            case _ if isinstance(s, _LOOPS):
                return self.loop(s)
            case ast.BreakStatement():
                return (cast(Any, Break(self._source.of(s))),)
            case ast.ContinueStatement():
                return (cast(Any, Continue(self._source.of(s))),)
            case ast.ReturnStatement():
                return (self._return(s),)
            case ast.TimedStatement() if self._once and _is_at_once(s.timing):
                return self.statement(s.stmt)
            case ast.TimedStatement():
                raise self._source.unsupported(s, "a delay or event control inside a block", "use one clock edge per block")
        raise self._source.unsupported(s, f"{s.kind.name} statement")

    def body(self, s: ast.Statement, result: str | None) -> tuple[Statement, ...]:
        """The body of a subroutine whose value is that of variable `result`; may contain `Return`s."""
        before, self._result = self._result, result
        converted = self.statement(s)
        self._result = before
        return converted

    def assignment(self, e: ast.AssignmentExpression) -> Assign:
        """One assignment."""
        if e.timingControl is not None and not (self._clocked and e.isNonBlocking and isinstance(e.timingControl, ast.DelayControl)):
            raise self._source.unsupported(e, "a delay in an assignment", "remove it")
        value = self._expressions.assigned(e.left, e.right)
        if value.op == "const" and value.xmask == value.attr == (1 << value.width) - 1:
            value = self._b.const(0, value.width, -1)  # z alone: not driven
        if any(n.op == "const" and n.xmask and isinstance(n.attr, int) and n.xmask & n.attr for n in walk(value)):
            raise self._source.unsupported(e, "the value z", "use multiplexers instead of three-state drivers")
        return Assign(self._expressions.targets(e.left), value, self._source.of(e), not e.isNonBlocking)

    def _levels(self, s: ast.TimedStatement) -> frozenset[str] | None:
        """The variables that a list names without an edge, None for @*."""
        control = s.timing
        events = control.events if isinstance(control, ast.EventListControl) else [control]
        names: set[str] = set()
        for event in events:
            if not isinstance(event, ast.SignalEventControl) or event.edge in _EDGES:
                return None
            names |= {str(n.attr) for n in walk(self._expressions.expression(event.expr)) if n.op in ("var", "word")}
        return frozenset(names)

    def _edges(self, s: ast.TimedStatement) -> tuple[Edge, ...]:
        control = s.timing
        events = control.events if isinstance(control, ast.EventListControl) else [control]
        edges: list[Edge] = []
        levels = 0
        for event in events:
            match event:
                case ast.ImplicitEventControl():
                    levels += 1
                case ast.SignalEventControl() if event.edge not in _EDGES:
                    levels += 1
                case ast.SignalEventControl() if event.edge in _EDGES[:2] and event.iffCondition is None:
                    signal = self._expressions.condition(event.expr)
                    edges.append(Edge(signal, event.edge == ast.EdgeKind.PosEdge))
                case ast.DelayControl():
                    raise self._source.unsupported(s, "a delay or event control in place of a sensitivity list", "leave test benches out")
                case _:
                    raise self._source.unsupported(s, "this event control", "use posedge, negedge or *")
        if edges and levels:
            raise self._source.unsupported(s, "edges and levels in one sensitivity list", "use one kind")
        return tuple(edges)

    def _block(self, s: ast.BlockStatement) -> tuple[Statement, ...]:
        if s.blockKind != ast.StatementBlockKind.Sequential:
            raise self._source.unsupported(s, "fork", "use begin")
        return self.statement(s.body)

    def expression_statement(self, e: ast.Expression) -> tuple[Statement, ...]:
        match e:
            case ast.AssignmentExpression():
                return (self.assignment(e),)
            case ast.UnaryExpression():
                return (self._step(e),)
            case ast.CallExpression() if e.isSystemCall and e.subroutineName in _FAILING:
                return self._violated(e)
            case ast.CallExpression() if e.isSystemCall and e.subroutineName in _SILENT:
                return ()
            case ast.CallExpression() if e.isSystemCall and e.subroutineName in DIGITS:
                return memory_file(self._b, self._source, e, self._expressions)
            case ast.ConversionExpression() if e.type.isVoid:
                return self.expression_statement(e.operand)
            case ast.CallExpression() if not e.isSystemCall:
                return self._names.task(e)
            case ast.CallExpression():
                raise self._source.unsupported(e, f"a call of {e.subroutineName}")
        raise self._source.unsupported(e, f"{e.kind.name} as a statement")

    def _violated(self, e: Any) -> tuple[Statement, ...]:
        """That an assertion fails here; outside clocked processes it is ignored."""
        if not self._clocked:
            return ()
        at = self._source.of(e)
        name = self._names.violation(at)
        return (Assign((Target(name, 1),), self._b.const(1, 1), at, False),)

    def _assertion(self, s: ast.ImmediateAssertionStatement) -> tuple[Statement, ...]:
        if not self._clocked or s.assertionKind not in _ASSERTIONS:
            return ()
        return (If(self._expressions.condition(s.cond), (), self._violated(s), self._source.of(s)),)

    def _step(self, e: ast.UnaryExpression) -> Assign:
        """i++ and its like."""
        value = self._expressions.expression(e.operand)
        name = e.op.name
        if not name.endswith(("increment", "decrement")):
            raise self._source.unsupported(e, f"{name} as a statement")
        op = "add" if name.endswith("increment") else "sub"
        new = self._b.op(op, value, self._b.const(1, value.width))
        return Assign(self._expressions.targets(e.operand), new, self._source.of(e))

    def _declaration(self, s: ast.VariableDeclStatement) -> tuple[Statement, ...]:
        symbol: Any = s.symbol
        targets = self._expressions.whole(symbol, s)
        if symbol.lifetime != ast.VariableLifetime.Automatic:
            if symbol.initializer is not None and not self._once:
                raise self._source.unsupported(s, "a static block variable with an initial value", "assign it in the block")
            if symbol.initializer is None:
                return ()
        initial = symbol.initializer
        if initial is None:
            values = [self._b.intern("undef", t.width, (), t.name) for t in targets]
            return tuple(Assign((t,), value, self._source.of(s)) for t, value in zip(targets, values, strict=True))
        return (Assign(targets, self._expressions.expression(initial), self._source.of(s)),)

    def _conditional(self, s: ast.ConditionalStatement) -> tuple[Statement, ...]:
        if len(s.conditions) != 1 or s.conditions[0].pattern is not None:
            raise self._source.unsupported(s, "a pattern as a condition")
        condition = self._expressions.condition(s.conditions[0].expr)
        if condition.op == "const" and not condition.xmask:  # the other branch may be anything
            taken = s.ifTrue if condition.attr else s.ifFalse
            return self.statement(taken) if taken is not None else ()
        otherwise = self.statement(s.ifFalse) if s.ifFalse is not None else ()
        return (If(condition, self.statement(s.ifTrue), otherwise, self._source.of(s)),)

    def _case(self, s: ast.CaseStatement) -> tuple[Statement, ...]:
        if s.condition not in _WILDCARDS:
            return self._case_inside(s)
        items = tuple((tuple(self._expressions.expression(e) for e in i.expressions), self.statement(i.stmt)) for i in s.items)
        default = self.statement(s.defaultCase) if s.defaultCase is not None else None
        return (Case(self._expressions.expression(s.expr), items, default, self._source.of(s), _WILDCARDS[s.condition]),)


def _is_at_once(timing: Any) -> bool:
    """Is it the delay `#0`, with which generators order initial blocks?"""
    delay = timing.expr if isinstance(timing, ast.DelayControl) else None
    while isinstance(delay, ast.ConversionExpression):
        delay = delay.operand
    return isinstance(delay, ast.IntegerLiteral) and not delay.value.hasUnknown and int(delay.value) == 0
