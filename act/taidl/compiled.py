"""Integer expressions -> Python functions of the values of names, for what evaluates one expression many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from act.taidl.expr import COMPARISONS, ExprError, apply
from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Unary

Function = Callable[[Mapping[str, int]], int]


def compiled(expr: Expr) -> Function:
    """A function that gives what `evaluate` gives, `ExprError` included."""
    if isinstance(expr, Int):
        value = expr.value
        return lambda _: value
    inner: Function = eval(f"lambda v: {_source(expr)}", {"apply": apply, "missing": _missing})

    def function(values: Mapping[str, int]) -> int:
        try:
            return inner(values)
        except KeyError as name:
            raise ExprError(f"{name} has no value") from None

    return function


def _missing(buffer: str) -> int:
    raise ExprError(f"a look-up in '{buffer}' has no value without its contents")


def _source(expr: Expr) -> str:
    """Python text; names of attributes are only ever quoted."""
    match expr:
        case Int(value):
            return f"({value})"
        case Name(name):
            return f"v[{name!r}]"
        case Unary("-", operand):
            return f"(-{_source(operand)})"
        case Unary(_, operand):
            return f"(1 if {_source(operand)} == 0 else 0)"
        case Binary(op, left, right):
            return _binary(op, left, right)
        case Choice(condition, then, otherwise):
            return f"({_source(then)} if {_source(condition)} else {_source(otherwise)})"
        case Lookup(buffer):
            return f"missing({buffer!r})"


def _binary(op: str, left: Expr, right: Expr) -> str:
    a, b = _source(left), _source(right)
    if op in COMPARISONS or op in ("and", "or"):
        return f"(1 if {a} {op} {b} else 0)"
    if op in ("min", "max"):
        return f"{op}({a}, {b})"
    if op in ("/", "%", "<<", ">>"):
        plain = isinstance(right, Int) and 0 < right.value <= 4096
        return f"({a} {'//' if op == '/' else op} {b})" if plain else f"apply({op!r}, {a}, {b})"
    return f"({a} {op} {b})"
