"""pyverilog's statements to those of `lift.netlist.module`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.model import Location
from lift.netlist.module import Assign, Case, Edge, If, Loop, Process, Statement
from lift.verilog.pyverilog_expressions import Calls, Expressions
from lift.verilog.pyverilog_grammar import Repetition, TaskCall
from lift.verilog.pyverilog_parse import tree
from lift.verilog.pyverilog_scope import Scope
from lift.verilog.pyverilog_text import SourceText

_SILENT = frozenset("display write strobe monitor finish stop error warning info fatal".split())
_WILDCARDS = {tree.CaseStatement: "", tree.CasezStatement: "z", tree.CasexStatement: "x"}


class Statements:
    """Converts processes of one module; `declare(item, scope)` enters a declaration of a named block."""

    def __init__(
        self, builder: Builder, source: SourceText, expressions: Expressions, declare: Callable[[Any, Scope], None], calls: Calls
    ) -> None:
        self._b, self._source, self._expressions, self._declare, self._calls = builder, source, expressions, declare, calls

    def process(self, item: Any, scope: Scope) -> Process:
        """An always or initial block."""
        edges = tuple[Edge, ...]() if isinstance(item, tree.Initial) else self._edges(item.sens_list, scope)
        return Process(self.statement(item.statement, scope), edges, self._at(item))

    def statement(self, s: Any, scope: Scope) -> tuple[Statement, ...]:
        """`s` as a sequence of statements."""
        match s:
            case None | tree.EventStatement():  # a lone semicolon
                return ()
            case tree.Block():
                return self._block(s, scope)
            case tree.BlockingSubstitution() | tree.NonblockingSubstitution():
                return (self.assignment(s, scope),)
            case tree.IfStatement():
                condition = self._expressions.condition(s.cond, scope)
                if condition.op == "const" and not condition.xmask:  # the other branch need not be readable
                    return self.statement(s.true_statement if condition.attr else s.false_statement, scope)
                return (If(condition, self.statement(s.true_statement, scope), self.statement(s.false_statement, scope), self._at(s)),)
            case tree.CaseStatement() if type(s) in _WILDCARDS:
                return (self._case(s, scope),)
            case tree.ForStatement():
                return (self._for(s, scope),)
            case Repetition():
                return self.statement(s.statement, scope) * max(self._expressions.integer(s.cond, scope), 0)
            case TaskCall():
                return self._calls.task(self._expressions.subroutine(s, scope), list(s.args), scope, s)
            case tree.WhileStatement():
                return (Loop((), self._expressions.condition(s.cond, scope), (), self.statement(s.statement, scope), self._at(s)),)
            case tree.SingleStatement() if isinstance(s.statement, tree.SystemCall) and s.statement.syscall in _SILENT:
                return ()
            case tree.SingleStatement() if isinstance(s.statement, tree.SystemCall):
                raise self._expressions.unsupported(s, f"a call of ${s.statement.syscall}")
        raise self._expressions.unsupported(s, f"{type(s).__name__}")

    def assignment(self, s: Any, scope: Scope, nets: bool = False) -> Assign:
        """One assignment, in a block to variables, else to nets."""
        if s.ldelay is not None or s.rdelay is not None:
            raise self._expressions.unsupported(s, "a delay in an assignment", "remove it")
        targets = self._expressions.targets(s.left, scope, nets)
        value = self._expressions.assigned(s.right, sum(t.width for t in targets), scope)
        self._expressions.refuse_z(s, value)
        return Assign(targets, value, self._at(s), not isinstance(s, tree.NonblockingSubstitution))

    def _at(self, item: Any) -> Location:
        return self._source.at(item.lineno)

    def _edges(self, sensitivity: Any, scope: Scope) -> tuple[Edge, ...]:
        kinds = {s.type for s in sensitivity.list}
        if kinds <= {"level", "all"}:
            return ()
        if not kinds <= {"posedge", "negedge"}:
            raise self._expressions.unsupported(sensitivity, "edges and levels in one sensitivity list", "use one kind")
        return tuple(Edge(self._expressions.condition(s.sig, scope), s.type == "posedge") for s in sensitivity.list)

    def _block(self, s: Any, scope: Scope) -> tuple[Statement, ...]:
        inner = scope.inner(s.scope, local=True) if s.scope else scope
        result: list[Statement] = []
        for statement in s.statements:
            if isinstance(statement, tree.Decl):
                self._declare(statement, inner)
            else:
                result += self.statement(statement, inner)
        return tuple(result)

    def _case(self, s: Any, scope: Scope) -> Case:
        conditions = [c for item in s.caselist for c in item.cond or ()]
        width, signed = self._expressions.common([s.comp, *conditions], scope)

        def value(e: Any) -> Any:
            return self._expressions.value(e, width, signed, scope)

        items = tuple((tuple(value(c) for c in i.cond), self.statement(i.statement, scope)) for i in s.caselist if i.cond is not None)
        defaults = [self.statement(i.statement, scope) for i in s.caselist if i.cond is None]
        if len(defaults) > 1:
            raise UserError(str(self._at(s)), "a case statement with several defaults", "leave one")
        return Case(value(s.comp), items, defaults[0] if defaults else None, self._at(s), _WILDCARDS[type(s)])

    def _for(self, s: Any, scope: Scope) -> Loop:
        if s.cond is None:
            raise self._expressions.unsupported(s, "a loop without a condition", "use constant bounds")
        return Loop(
            self._sequence([s.pre], scope),
            self._expressions.condition(s.cond, scope),
            self._sequence([s.post], scope),
            self.statement(s.statement, scope),
            self._at(s),
        )

    def _sequence(self, parts: Iterable[Any], scope: Scope) -> tuple[Statement, ...]:
        return tuple(t for s in parts for t in self.statement(s, scope))
