"""slang's typed expressions to nodes.

slang has made every extension and truncation explicit as a conversion, so widths and signs are those of the types (IEEE 1364-2005, 5.4 and 5.5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import pyslang
import pyslang.ast as ast
import pyslang.syntax

from lift.netlist import select
from lift.netlist.builder import Builder
from lift.netlist.cases import identical, match_pattern
from lift.netlist.model import Node
from lift.netlist.module import Statement, Target
from lift.verilog.slang_selects import Selection, selection
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import integer_bits

_U = ast.UnaryOperator
_B = ast.BinaryOperator
_REDUCTIONS = {
    _U.BitwiseAnd: ("redand", False),
    _U.BitwiseOr: ("redor", False),
    _U.BitwiseXor: ("redxor", False),
    _U.BitwiseNand: ("redand", True),
    _U.BitwiseNor: ("redor", True),
    _U.BitwiseXnor: ("redxor", True),
}
_ARITHMETIC = {_B.Add: "add", _B.Subtract: "sub", _B.Multiply: "mul", _B.BinaryAnd: "and", _B.BinaryOr: "or", _B.BinaryXor: "xor"}
_DIVISIONS = {_B.Divide: ("udiv", "sdiv"), _B.Mod: ("urem", "srem")}
# operator -> (unsigned, signed, operands exchanged, result inverted)
_COMPARISONS = {
    _B.LessThan: ("ult", "slt", False),
    _B.LessThanEqual: ("ule", "sle", False),
    _B.GreaterThan: ("ult", "slt", True),
    _B.GreaterThanEqual: ("ule", "sle", True),
}
_EQUALITIES = {_B.Equality: False, _B.Inequality: True}
_CASE_EQUALITIES = {_B.CaseEquality: False, _B.CaseInequality: True}
_WILDCARD_EQUALITIES = {_B.WildcardEquality: False, _B.WildcardInequality: True}
_SHIFTS = {_B.LogicalShiftLeft: "shl", _B.ArithmeticShiftLeft: "shl", _B.LogicalShiftRight: "lshr"}
_LOGICAL = {_B.LogicalAnd: "and", _B.LogicalOr: "or"}


class Names(Protocol):
    """What a module knows of the symbols in its expressions."""

    def local(self, symbol: ast.Symbol, item: Any) -> str:
        """The local name of a variable."""
        ...

    def call(self, expression: ast.CallExpression, arguments: list[Node]) -> Node:
        """The value of a call of a function of the design."""
        ...

    def task(self, expression: ast.CallExpression) -> tuple[Statement, ...]:
        """The statements that a call of a task of the design stands for."""
        ...


class Expressions:
    """Converts the expressions of one module."""

    def __init__(self, builder: Builder, source_map: SourceMap, names: Names) -> None:
        self._b, self._source, self._names = builder, source_map, names
        self._target: ast.Expression | None = None
        self._converters: dict[type, Callable[[Any], Node]] = {
            ast.IntegerLiteral: self._literal,
            ast.UnbasedUnsizedIntegerLiteral: self._literal,
            ast.StringLiteral: self._string,
            ast.NamedValueExpression: self._named,
            ast.HierarchicalValueExpression: self._named,
            ast.UnaryExpression: self._unary,
            ast.BinaryExpression: self._binary,
            ast.ConditionalExpression: self._conditional,
            ast.ConcatenationExpression: self._concatenation,
            ast.ReplicationExpression: self._replication,
            ast.ElementSelectExpression: self._select,
            ast.RangeSelectExpression: self._select,
            ast.MemberAccessExpression: self._select,
            ast.ConversionExpression: self._conversion,
            ast.CallExpression: self._call,
            ast.InsideExpression: self._inside,
            ast.LValueReferenceExpression: self._left_side,
            ast.MinTypMaxExpression: lambda e: self.expression(e.selected),
            ast.SimpleAssignmentPatternExpression: self._pattern,
        }

    def expression(self, e: ast.Expression) -> Node:
        """`e` as a node of its type's width."""
        if e.type.isUnpackedArray or not (e.type.isIntegral or e.type.isString):
            raise self._source.unsupported(e, f"an expression of type '{e.type}'", "use vectors")
        converter = self._converters.get(type(e))
        if converter is None:
            raise self._source.unsupported(e, f"{e.kind.name} expression")
        return converter(e)

    def condition(self, e: ast.Expression) -> Node:
        """1 bit: `e` is true."""
        return self._b.true(self.expression(e))

    def assigned(self, left: ast.Expression, right: ast.Expression) -> Node:
        """The value of `right`, which may refer to `left` (compound assignments)."""
        self._target = left
        return self.expression(right)

    def targets(self, e: ast.Expression) -> tuple[Target, ...]:
        """The targets of a left side, the highest first."""
        if isinstance(e, ast.ConcatenationExpression):
            return tuple(t for operand in e.operands for t in self.targets(operand))
        found = selection(self._b, self._source, e, self.expression)
        if found is None or not isinstance(found.symbol, ast.ValueSymbol) or e.type.isUnpackedArray:
            raise self._source.unsupported(e, "this left side of an assignment", "assign to variables, words or parts of them")
        name = self._names.local(found.symbol, e)
        return (Target(name, e.type.bitWidth, found.index, found.low, found.bias),)

    # Leaves

    def _literal(self, e: ast.IntegerLiteral | ast.UnbasedUnsizedIntegerLiteral) -> Node:
        value, mask = integer_bits(e.value)
        return self._b.const(value, e.type.bitWidth, mask)

    def _string(self, e: ast.StringLiteral) -> Node:
        return self._b.const(int.from_bytes(e.value.encode("latin-1"), "big"), max(e.type.bitWidth, 8))

    def _named(self, e: ast.ValueExpressionBase) -> Node:
        symbol = e.symbol
        if isinstance(symbol, (ast.ParameterSymbol, ast.EnumValueSymbol)):
            return self._parameter(symbol, e)
        return self._b.intern("var", e.type.bitWidth, (), self._names.local(symbol, e))

    def _parameter(self, symbol: ast.ParameterSymbol | ast.EnumValueSymbol, e: ast.Expression) -> Node:
        value = symbol.value.value
        if not isinstance(value, pyslang.SVInt):
            raise self._source.unsupported(e, f"parameter '{symbol.name}' of type '{symbol.type}'", "use integers")
        bits, mask = integer_bits(value)
        return self._b.const(bits, value.bitWidth, mask, None if is_genvar(symbol) else symbol.name)

    def _left_side(self, e: ast.LValueReferenceExpression) -> Node:
        assert self._target is not None
        return self.expression(self._target)

    # Operators

    def _unary(self, e: ast.UnaryExpression) -> Node:
        a = self.expression(e.operand)
        if e.op in _REDUCTIONS:
            op, inverted = _REDUCTIONS[e.op]
            return self._inverted(self._b.op(op, a), inverted)
        match e.op:
            case _U.Plus:
                return a
            case _U.Minus:
                return self._b.op("neg", a)
            case _U.BitwiseNot:
                return self._b.op("not", a)
            case _U.LogicalNot:
                return self._b.op("not", self._b.true(a))
        raise self._source.unsupported(e, f"operator {e.op.name}", "write it as an assignment")

    def _inverted(self, a: Node, inverted: bool) -> Node:
        return self._b.op("not", a) if inverted else a

    def _binary(self, e: ast.BinaryExpression) -> Node:
        a, b, op = self.expression(e.left), self.expression(e.right), e.op
        if op in _ARITHMETIC:
            return self._b.op(_ARITHMETIC[op], a, b)
        if op in _WILDCARD_EQUALITIES:
            return self._inverted(match_pattern(self._b, a, b, "x"), _WILDCARD_EQUALITIES[op])
        if op in _CASE_EQUALITIES:
            return self._inverted(identical(self._b, a, b), _CASE_EQUALITIES[op])
        if op in _EQUALITIES:
            return self._inverted(self._b.op("eq", a, b), _EQUALITIES[op])
        if op in _LOGICAL:
            return self._b.op(_LOGICAL[op], self._b.true(a), self._b.true(b))
        if op in _SHIFTS:
            return self._b.op(_SHIFTS[op], a, b)
        return self._signed_binary(e, a, b)

    def _signed_binary(self, e: ast.BinaryExpression, a: Node, b: Node) -> Node:
        sign, op = e.left.type.isSigned and e.right.type.isSigned, e.op
        if op in _DIVISIONS:
            return self._b.op(_DIVISIONS[op][sign], a, b)
        if op in _COMPARISONS:
            unsigned, signed, exchanged = _COMPARISONS[op]
            return self._b.op(signed if sign else unsigned, *((b, a) if exchanged else (a, b)))
        match op:
            case _B.ArithmeticShiftRight:
                return self._b.op("ashr" if e.type.isSigned else "lshr", a, b)
            case _B.BinaryXnor:
                return self._b.op("not", self._b.op("xor", a, b))
            case _B.Power:
                return self._power(e, a, b)
        raise self._source.unsupported(e, f"operator {op.name}")

    def _power(self, e: ast.BinaryExpression, a: Node, b: Node) -> Node:
        """Constant operands, or a power of two as a shift."""
        if (a.op == b.op == "const" and not a.xmask and not b.xmask and not e.right.type.isSigned) or (
            b.op == "const" and not b.xmask and a.op == "const" and isinstance(b.attr, int) and not b.attr >> (b.width - 1)
        ):
            assert isinstance(a.attr, int) and isinstance(b.attr, int)
            return self._b.const(pow(a.attr, b.attr, 1 << a.width), a.width)
        if a.op == "const" and a.attr == 2 and not e.right.type.isSigned:
            return self._b.op("shl", self._b.const(1, a.width), b)
        raise self._source.unsupported(e, "a power of variables", "only 2 ** x and constants are supported")

    def _conditional(self, e: ast.ConditionalExpression) -> Node:
        if len(e.conditions) != 1 or e.conditions[0].pattern is not None:
            raise self._source.unsupported(e, "a pattern as a condition")
        return self._b.mux(self.condition(e.conditions[0].expr), self.expression(e.left), self.expression(e.right))

    def _concatenation(self, e: ast.ConcatenationExpression) -> Node:
        return self._b.concat([self.expression(o) for o in e.operands if o.type.bitWidth])

    def _replication(self, e: ast.ReplicationExpression) -> Node:
        one = self.expression(e.concat)
        return self._b.concat([one] * (e.type.bitWidth // one.width))

    def _pattern(self, e: ast.SimpleAssignmentPatternExpression) -> Node:
        return self._b.concat([self.expression(o) for o in e.elements])

    def _conversion(self, e: ast.ConversionExpression) -> Node:
        """A propagated operand extends by the type that it takes (11.8.2), any other by its own."""
        propagated = e.conversionKind == ast.ConversionKind.Propagated
        sign = e.type.isSigned if propagated else e.operand.type.isSigned
        return self._b.resize(self.expression(e.operand), e.type.bitWidth, sign)

    def _inside(self, e: ast.InsideExpression) -> Node:
        left, result = self.expression(e.left), self._b.const(0, 1)
        for item in e.rangeList:
            if isinstance(item, ast.ValueRangeExpression):
                raise self._source.unsupported(item, "a range in 'inside'", "compare with both bounds")
            result = self._b.op("or", result, match_pattern(self._b, left, self.expression(item), "x"))
        return result

    def _select(self, e: ast.Expression) -> Node:
        found = selection(self._b, self._source, e, self.expression)
        if found is None:
            raise self._source.unsupported(e, "a select of this expression")
        value = self._base(found, e)
        return value if found.low is None else select.read(self._b, value, found.low, e.type.bitWidth, found.bias)

    def _base(self, found: Selection, e: ast.Expression) -> Node:
        if not isinstance(found.symbol, ast.Symbol):
            return self.expression(found.symbol)
        if isinstance(found.symbol, ast.ParameterSymbol):
            return self._parameter(found.symbol, e)
        name = self._names.local(found.symbol, e)
        if found.index is None:
            return self._b.intern("var", found.width, (), name)
        return self._b.intern("word", found.width, (found.index,), name)

    def _call(self, e: ast.CallExpression) -> Node:
        if not e.isSystemCall:
            return self._names.call(e, [self.expression(a) for a in e.arguments])
        if e.subroutineName in ("$signed", "$unsigned"):
            return self.expression(e.arguments[0])
        value = e.eval(ast.EvalContext(self._source.context)).value
        if not isinstance(value, pyslang.SVInt):
            raise self._source.unsupported(e, f"a call of {e.subroutineName} that is no constant")
        bits, mask = integer_bits(value)
        return self._b.const(bits, e.type.bitWidth, mask)


def is_genvar(symbol: ast.Symbol) -> bool:
    """Whether a parameter is the index of a generate loop (parameters of the source are declared)."""
    return isinstance(symbol, ast.ParameterSymbol) and symbol.syntax.kind != pyslang.syntax.SyntaxKind.Declarator
