"""pyverilog's expressions to nodes: sizes and signs by IEEE 1364-2005, 5.4 and 5.5.

The width and the sign of an expression come from its operands (`size`); then they go down again to the operands that are determined by context (`value`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from lift.errors import UserError
from lift.netlist.arrays import walk
from lift.netlist.builder import Builder
from lift.netlist.cases import identical
from lift.netlist.model import Node
from lift.netlist.module import Statement, Target
from lift.verilog.literals import Literal, extend_unsized, literal, string_bytes
from lift.verilog.pyverilog_parse import tree
from lift.verilog.pyverilog_scope import Constant, FunctionName, Scope, Signal
from lift.verilog.pyverilog_selects import Selects
from lift.verilog.pyverilog_text import SourceText

Size = tuple[int, bool]  # width, signed
_ARITHMETIC = {tree.Plus: "add", tree.Minus: "sub", tree.Times: "mul", tree.And: "and", tree.Or: "or", tree.Xor: "xor"}
_DIVISIONS = {tree.Divide: ("udiv", "sdiv"), tree.Mod: ("urem", "srem")}
_SHIFTS = {tree.Sll: "shl", tree.Sla: "shl", tree.Srl: "lshr"}
_EQUALITIES = {tree.Eq: False, tree.NotEq: True}
_CASE_EQUALITIES = {tree.Eql: False, tree.NotEql: True}
# operator -> (unsigned, signed, operands exchanged)
_COMPARISONS = {
    tree.LessThan: ("ult", "slt", False),
    tree.LessEq: ("ule", "sle", False),
    tree.GreaterThan: ("ult", "slt", True),
    tree.GreaterEq: ("ule", "sle", True),
}
_REDUCTIONS = {
    tree.Uand: ("redand", False),
    tree.Uor: ("redor", False),
    tree.Uxor: ("redxor", False),
    tree.Unand: ("redand", True),
    tree.Unor: ("redor", True),
    tree.Uxnor: ("redxor", True),
}
_LOGICAL = {tree.Land: "and", tree.Lor: "or"}
_ONE_BIT = (*_EQUALITIES, *_CASE_EQUALITIES, *_COMPARISONS, *_REDUCTIONS, *_LOGICAL, tree.Ulnot)
_UNARY = (tree.Uplus, tree.Uminus, tree.Unot)


class Calls(Protocol):
    """What a module does for calls of its functions."""

    def function_size(self, function: FunctionName) -> Size:
        """The size of the result."""
        ...

    def call(self, function: FunctionName, arguments: list[Any], scope: Scope, at: Any) -> Node:
        """The value of a call."""
        ...

    def task(self, task: FunctionName, arguments: list[Any], scope: Scope, at: Any) -> tuple[Statement, ...]:
        """The statements that a call of a task stands for."""
        ...


class Expressions(Selects):
    """Converts expressions of one module."""

    def __init__(self, builder: Builder, source: SourceText, calls: Calls) -> None:
        super().__init__(builder, source)
        self._calls = calls

    # Public conversions

    def own(self, e: Any, scope: Scope) -> Node:
        """A self-determined expression."""
        return self.value(e, *self.size(e, scope), scope)

    def condition(self, e: Any, scope: Scope) -> Node:
        """1 bit: `e` is true."""
        return self._b.true(self.own(e, scope))

    def assigned(self, e: Any, width: int, scope: Scope) -> Node:
        """`e` as assigned to something of `width` bits."""
        own, signed = self.size(e, scope)
        return self._b.resize(self.value(e, max(own, width), signed, scope), width, signed)

    def integer(self, e: Any, scope: Scope) -> int:
        """A constant expression as a number."""
        node, (_, signed) = self.own(e, scope), self.size(e, scope)
        if node.op != "const" or node.xmask or not isinstance(node.attr, int):
            raise UserError(str(self._source.at(e.lineno)), "expected a constant expression", "use literals and parameters")
        return node.attr - (1 << node.width) if signed and node.attr >> (node.width - 1) else node.attr

    def targets(self, e: Any, scope: Scope, nets: bool) -> tuple[Target, ...]:
        """The targets of a left side, the highest first: all of them nets, or all of them variables (9.2)."""
        if isinstance(e, (tree.Lvalue, tree.Rvalue)):
            return self.targets(e.var, scope, nets)
        if isinstance(e, tree.Concat):
            return tuple(t for part in e.list for t in self.targets(part, scope, nets))
        meaning, index, low, bias, width = self._selection(e, scope)
        if not isinstance(meaning, Signal):
            raise self.unsupported(e, "this left side of an assignment", "assign to variables, words or parts of them")
        if meaning.is_net != nets:
            what, kind = ("net", "reg") if meaning.is_net else ("variable", "wire")
            where = "inside" if meaning.is_net else "outside"
            raise UserError(self.location(e), f"{what} '{meaning.name}' is assigned {where} a block", f"declare it as {kind}")
        return (Target(meaning.name, width, index, low, bias),)

    def refuse_z(self, e: Any, value: Node) -> None:
        """Raise `UserError` when `value`, which is assigned, has z digits."""
        if any(n.op == "const" and n.xmask and isinstance(n.attr, int) and n.xmask & n.attr for n in walk(value)):
            raise self.unsupported(e, "the value z", "use multiplexers instead of three-state drivers")

    # Sizes

    def size(self, e: Any, scope: Scope) -> Size:
        """The self-determined width and sign of `e`."""
        match e:
            case tree.Rvalue():
                return self.size(e.var, scope)
            case tree.IntConst():
                number = self._literal(e)
                return number.width, number.signed
            case tree.StringConst():
                return 8 * max(len(string_bytes(e.value)), 1), False
            case tree.Identifier() | tree.Pointer() | tree.Partselect():
                return self._selected_size(e, scope)
            case tree.Concat():
                return sum(self.size(part, scope)[0] for part in e.list), False
            case tree.Repeat():
                return self._times(e, scope) * self.size(e.value, scope)[0], False
            case tree.Cond():
                return self._common([e.true_value, e.false_value], scope)
            case tree.SystemCall():
                return self._system_size(e, scope)
            case tree.FunctionCall():
                return self._calls.function_size(self.subroutine(e, scope))
        if isinstance(e, _ONE_BIT):
            return 1, False
        if isinstance(e, _UNARY):
            return self.size(e.right, scope)
        if isinstance(e, (tree.Sll, tree.Srl, tree.Sla, tree.Sra, tree.Power)):
            return self.size(e.left, scope)
        if isinstance(e, tree.Operator):
            return self._common([e.left, e.right], scope)
        raise self.unsupported(e, f"{type(e).__name__} expression")

    def _common(self, parts: list[Any], scope: Scope) -> Size:
        sizes = [self.size(part, scope) for part in parts]
        return max(w for w, _ in sizes), all(s for _, s in sizes)

    def common(self, parts: list[Any], scope: Scope) -> Size:
        """The size that operands which are compared with each other take."""
        return self._common(parts, scope)

    def _selected_size(self, e: Any, scope: Scope) -> Size:
        if isinstance(e, tree.Partselect):
            return self.part_width(e, scope), False
        count, inner = 0, e
        while isinstance(inner, tree.Pointer):
            count, inner = count + 1, inner.var
        match self._meaning(inner, scope):
            case Constant(node, signed):
                return (1, False) if count else (node.width, signed)
            case Signal() as signal:
                return (1, False) if count > len(signal.dimensions) else (signal.width, signal.signed)
        raise self.unsupported(e, "this name as a value", "use variables and parameters")

    def _system_size(self, e: tree.SystemCall, scope: Scope) -> Size:
        match e.syscall:
            case "signed" | "unsigned" if len(e.args) == 1:
                return self.size(e.args[0], scope)[0], e.syscall == "signed"
            case "clog2" if len(e.args) == 1:
                return 32, True
        raise self.unsupported(e, f"a call of ${e.syscall}")

    # Values

    def value(self, e: Any, width: int, signed: bool, scope: Scope) -> Node:
        """`e` in a context of `width` bits (at least its own) and sign `signed`."""
        if isinstance(e, tree.Rvalue):
            return self.value(e.var, width, signed, scope)
        if isinstance(e, (*_ARITHMETIC, *_DIVISIONS, tree.Xnor)):
            return self._binary(e, self.value(e.left, width, signed, scope), self.value(e.right, width, signed, scope), signed)
        if isinstance(e, (*_SHIFTS, tree.Sra)):
            op = _SHIFTS.get(type(e)) or ("ashr" if signed else "lshr")
            return self._b.op(op, self.value(e.left, width, signed, scope), self.own(e.right, scope))
        if isinstance(e, _UNARY):
            operand = self.value(e.right, width, signed, scope)
            return operand if isinstance(e, tree.Uplus) else self._b.op("neg" if isinstance(e, tree.Uminus) else "not", operand)
        if isinstance(e, tree.Cond):
            branches = [self.value(branch, width, signed, scope) for branch in (e.true_value, e.false_value)]
            return self._b.mux(self.condition(e.cond, scope), *branches)
        if isinstance(e, tree.Power):
            return self._power(e, width, signed, scope)
        if isinstance(e, tree.IntConst) and not self._literal(e).sized:
            return extend_unsized(self._b, self._leaf(e, scope), width, signed)
        return self._b.extend(self._leaf(e, scope), width, signed)

    def _binary(self, e: Any, a: Node, b: Node, signed: bool) -> Node:
        if isinstance(e, tree.Xnor):
            return self._b.op("not", self._b.op("xor", a, b))
        if type(e) in _DIVISIONS:
            return self._b.op(_DIVISIONS[type(e)][signed], a, b)
        return self._b.op(_ARITHMETIC[type(e)], a, b)

    def _leaf(self, e: Any, scope: Scope) -> Node:
        """An operand that its context does not reach into, in its own width."""
        kind = type(e)
        if kind in _EQUALITIES or kind in _CASE_EQUALITIES or kind in _COMPARISONS:
            return self._comparison(e, scope)
        if kind in _REDUCTIONS:
            op, inverted = _REDUCTIONS[kind]
            result = self._b.op(op, self.own(e.right, scope))
            return self._b.op("not", result) if inverted else result
        if kind in _LOGICAL:
            return self._b.op(_LOGICAL[kind], self.condition(e.left, scope), self.condition(e.right, scope))
        converters: dict[type, Callable[[], Node]] = {
            tree.Ulnot: lambda: self._b.op("not", self.condition(e.right, scope)),
            tree.IntConst: lambda: self._constant(self._literal(e)),
            tree.StringConst: lambda: self._b.const(int.from_bytes(string_bytes(e.value), "big"), self.size(e, scope)[0]),
            tree.Identifier: lambda: self._read(e, scope),
            tree.Pointer: lambda: self._read(e, scope),
            tree.Partselect: lambda: self._read(e, scope),
            tree.Concat: lambda: self._b.concat([self.own(part, scope) for part in e.list if self.size(part, scope)[0]]),
            tree.Repeat: lambda: self._b.concat([self.own(e.value, scope)] * self._times(e, scope)),
            tree.SystemCall: lambda: self._system_call(e, scope),
            tree.FunctionCall: lambda: self._calls.call(self.subroutine(e, scope), list(e.args), scope, e),
        }
        return converters[kind]()

    def _comparison(self, e: Any, scope: Scope) -> Node:
        width, signed = self._common([e.left, e.right], scope)
        a, b = (self.value(side, width, signed, scope) for side in (e.left, e.right))
        inverted = (_EQUALITIES | _CASE_EQUALITIES).get(type(e))
        if inverted is not None:
            equal = identical(self._b, a, b) if type(e) in _CASE_EQUALITIES else self._b.op("eq", a, b)
            return self._b.op("not", equal) if inverted else equal
        unsigned_op, signed_op, exchanged = _COMPARISONS[type(e)]
        return self._b.op(signed_op if signed else unsigned_op, *((b, a) if exchanged else (a, b)))

    def _power(self, e: tree.Power, width: int, signed: bool, scope: Scope) -> Node:
        base, exponent = self.value(e.left, width, signed, scope), self.own(e.right, scope)
        if base.op == exponent.op == "const" and isinstance(base.attr, int) and (power := self.integer(e.right, scope)) >= 0:
            return self._b.const(pow(base.attr, power, 1 << width), width)
        if base.op == "const" and base.attr == 2 and not self.size(e.right, scope)[1]:
            return self._b.op("shl", self._b.const(1, width), exponent)
        raise self.unsupported(e, "a power of variables", "only 2 ** x and constants are supported")

    def _system_call(self, e: tree.SystemCall, scope: Scope) -> Node:
        self._system_size(e, scope)
        if e.syscall == "clog2":
            return self._b.const(max(self.integer(e.args[0], scope) - 1, 0).bit_length(), 32)
        return self.own(e.args[0], scope)

    def _times(self, e: tree.Repeat, scope: Scope) -> int:
        times = self.integer(e.times, scope)
        if times < 0:
            raise UserError(self.location(e), f"a replication {times} times", "use a positive number")
        return times

    def _literal(self, e: tree.IntConst) -> Literal:
        try:
            return literal(e.value)
        except ValueError as error:
            raise UserError(self.location(e), str(error), "give it a size") from None

    def _constant(self, number: Literal) -> Node:
        return self._b.const(number.value, number.width, number.xmask)
