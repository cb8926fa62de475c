"""Integer expressions -> Python expressions, for slices that are evaluated element by element."""

from __future__ import annotations

from act.taidl.model import Binary, Choice, Expr, Int, Name, Unary

PLAIN = frozenset(["+", "-", "*", "%", "<<", ">>", "&", "|", "==", "!=", "<", "<=", ">", ">="])


def python_source(expr: Expr) -> str:
    """Source in which the name x is `v_x`; truth values are integers."""
    match expr:
        case Int(value):
            return f"({value})"
        case Name(name):
            return f"v_{name}"
        case Unary("-", operand):
            return f"(-{python_source(operand)})"
        case Unary(_, operand):
            return f"int(not {python_source(operand)})"
        case Choice(condition, then, otherwise):
            return f"({python_source(then)} if {python_source(condition)} else {python_source(otherwise)})"
    assert isinstance(expr, Binary)
    left, right = python_source(expr.left), python_source(expr.right)
    if expr.op in PLAIN:
        return f"({left} {expr.op} {right})"
    if expr.op == "/":
        return f"({left} // {right})"
    if expr.op in ("min", "max"):
        return f"{expr.op}({left}, {right})"
    return f"int(bool({left}) {expr.op} bool({right}))"
