"""Integer expressions -> Python functions of the values of names, for what evaluates one expression many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from act.taidl.expr import ExprError, apply
from act.taidl.model import Expr, Int
from act.taidl.source import PYTHON_CHOICE, PYTHON_INVERTED, Syntax, python_binary

Function = Callable[[Mapping[str, int]], int]


def compiled(expr: Expr) -> Function:
    """A function that gives what `evaluate` gives, `ExprError` included."""
    if isinstance(expr, Int):
        value = expr.value
        return lambda _: value
    inner: Function = eval(f"lambda v: {_SYNTAX.source(expr)}", {"apply": apply, "missing": _missing})

    def function(values: Mapping[str, int]) -> int:
        try:
            return inner(values)
        except KeyError as name:
            raise ExprError(f"{name} has no value") from None

    return function


def _missing(buffer: str) -> int:
    raise ExprError(f"a look-up in '{buffer}' has no value without its contents")


def _checked(op: str, left: str, right: str, divisor: Expr) -> str:
    """What may have no value for some operands is left to `apply`."""
    safe = op not in ("/", "%", "<<", ">>") or (isinstance(divisor, Int) and 0 < divisor.value <= 4096)
    return python_binary(op, left, right) if safe else f"apply({op!r}, {left}, {right})"


_SYNTAX = Syntax(
    number=lambda value: f"({value})",
    name=lambda name: f"v[{name!r}]",
    inverted=PYTHON_INVERTED,
    choice=PYTHON_CHOICE,
    binary=_checked,
    lookup=lambda buffer: f"missing({buffer!r})",
)
