"""slang's typed expressions to nodes.

slang has made every extension and truncation explicit as a conversion, so widths and signs are those of the types (IEEE 1364-2005, 5.4 and 5.5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyslang
import pyslang.ast as ast
import pyslang.syntax

from lift.netlist import select
from lift.netlist.builder import Builder
from lift.netlist.cases import identical, match_pattern
from lift.netlist.model import Node
from lift.netlist.module import Target
from lift.verilog.literals import extend_unsized
from lift.verilog.slang_aggregates import Aggregates, streamed
from lift.verilog.slang_names import Names
from lift.verilog.slang_selects import Selection, selection, words
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import array_dimensions, integer_bits, is_flat, width_of

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
_IMPLICATIONS = (_B.LogicalImplication, _B.LogicalEquivalence)
_LOGICAL = {_B.LogicalAnd: "and", _B.LogicalOr: "or"}


class Expressions(Aggregates):
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
            ast.InsideExpression: lambda e: self.inside(self.expression(e.left), e.left.type.isSigned, e.rangeList),
            ast.StreamingConcatenationExpression: self._streaming,
            ast.LValueReferenceExpression: self._left_side,
            ast.MinTypMaxExpression: lambda e: self.expression(e.selected),
            ast.SimpleAssignmentPatternExpression: self._pattern,
            ast.StructuredAssignmentPatternExpression: self._pattern,
            ast.ReplicatedAssignmentPatternExpression: self._pattern,
        }

    def expression(self, e: ast.Expression) -> Node:
        """`e` as a node of its type's width."""
        converter = self._converters.get(type(e))
        if not (is_flat(e.type) or e.type.isString or isinstance(e, ast.StreamingConcatenationExpression)):
            raise self._source.unsupported(e, f"an expression of type '{e.type}'", "use vectors")
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
        if isinstance(e, ast.StreamingConcatenationExpression):
            return streamed(self._source, e, [t for s in e.streams for t in self.targets(s.operand)])
        if isinstance(e, ast.SimpleAssignmentPatternExpression):
            return tuple(t for left in e.elements for t in self.targets(left.left if isinstance(left, ast.AssignmentExpression) else left))
        found = selection(self._b, self._source, e, self.expression)
        if found is None or not isinstance(found.symbol, ast.ValueSymbol) or not is_flat(e.type):
            raise self._source.unsupported(e, "this left side of an assignment", "assign to variables, words or parts of them")
        name = self._names.local(found.symbol, e)
        if found.dimensions:
            return tuple(Target(name, found.width, index) for index in words(self._b, found))
        return (Target(name, width_of(e.type), found.index, found.low, found.bias),)

    def whole(self, symbol: ast.ValueSymbol, e: Any) -> tuple[Target, ...]:
        """All of a variable, the words of an array in the order of their bits."""
        dimensions, word = array_dimensions(symbol.type)
        name = self._names.local(symbol, e)
        if not dimensions:
            return (Target(name, width_of(word)),)
        found = Selection(symbol, width_of(word), dimensions=tuple(dimensions))
        return tuple(Target(name, found.width, index) for index in words(self._b, found))

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
        if e.type.isUnpackedArray:
            return self._select(e)
        inner = self._names.below(symbol)
        if inner is not None:
            return self._b.intern("pin", width_of(e.type), (), inner)
        return self._b.intern("var", width_of(e.type), (), self._names.local(symbol, e))

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
        if op in _IMPLICATIONS:
            a, b = self._b.true(a), self._b.true(b)
            return self._b.op(*(("or", self._b.op("not", a), b) if op == _B.LogicalImplication else ("eq", a, b)))
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

    def _conditional(self, e: ast.ConditionalExpression) -> Node:
        if len(e.conditions) != 1 or e.conditions[0].pattern is not None:
            raise self._source.unsupported(e, "a pattern as a condition")
        return self._b.mux(self.condition(e.conditions[0].expr), self.expression(e.left), self.expression(e.right))

    def _concatenation(self, e: ast.ConcatenationExpression) -> Node:
        return self._b.concat([self.expression(o) for o in e.operands if o.type.bitWidth])

    def _replication(self, e: ast.ReplicationExpression) -> Node:
        one = self.expression(e.concat)
        return self._b.concat([one] * (e.type.bitWidth // one.width))

    def _conversion(self, e: ast.ConversionExpression) -> Node:
        """A propagated operand extends by the type that it takes (11.8.2), any other by its own."""
        if e.operand.type.isFloating:
            return self._constant(e)
        propagated = e.conversionKind == ast.ConversionKind.Propagated
        sign = e.type.isSigned if propagated else e.operand.type.isSigned
        value = self.expression(e.operand)
        if isinstance(e.operand, ast.IntegerLiteral) and e.operand.isDeclaredUnsized and value.width < width_of(e.type):
            return extend_unsized(self._b, value, width_of(e.type), sign)
        if isinstance(e.operand, ast.StreamingConcatenationExpression):
            return self._b.concat([value, self._b.const(0, width_of(e.type) - value.width)]) if value.width < width_of(e.type) else value
        return self._b.resize(value, width_of(e.type), sign)

    def _select(self, e: ast.Expression) -> Node:
        found = selection(self._b, self._source, e, self.expression)
        if found is None:
            raise self._source.unsupported(e, "a select of this expression")
        value = self._base(found, e)
        return value if found.low is None else select.read(self._b, value, found.low, width_of(e.type), found.bias)

    def _base(self, found: Selection, e: ast.Expression) -> Node:
        if not isinstance(found.symbol, ast.Symbol):
            return self.expression(found.symbol)
        if isinstance(found.symbol, ast.ParameterSymbol):
            return self._parameter(found.symbol, e)
        inner = self._names.below(found.symbol) if found.index is None and not found.dimensions else None
        if inner is not None:
            return self._b.intern("pin", found.width, (), inner)
        name = self._names.local(found.symbol, e)
        if found.dimensions:
            return self._b.concat([self._b.intern("word", found.width, (index,), name) for index in words(self._b, found)])
        if found.index is None:
            return self._b.intern("var", found.width, (), name)
        return self._b.intern("word", found.width, (found.index,), name)

    def _call(self, e: ast.CallExpression) -> Node:
        if not e.isSystemCall:
            return self._names.call(e, [self.expression(a) for a in e.arguments])
        if e.subroutineName in ("$signed", "$unsigned"):
            return self.expression(e.arguments[0])
        counted = self._counted(e)
        return self._constant(e) if counted is None else counted

    def _constant(self, e: ast.Expression) -> Node:
        value = e.eval(ast.EvalContext(self._source.context)).value
        if not isinstance(value, pyslang.SVInt):
            what = f"a call of {e.subroutineName}" if isinstance(e, ast.CallExpression) else f"an expression of type '{e.type}'"
            raise self._source.unsupported(e, f"{what} that is no constant")
        bits, mask = integer_bits(value)
        return self._b.const(bits, e.type.bitWidth, mask)


def is_genvar(symbol: ast.Symbol) -> bool:
    """Whether a parameter is the index of a generate loop (parameters of the source are declared)."""
    return isinstance(symbol, ast.ParameterSymbol) and symbol.syntax.kind != pyslang.syntax.SyntaxKind.Declarator
