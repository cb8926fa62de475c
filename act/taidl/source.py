"""Integer expressions -> expressions of a programming language, whose words are given."""

from __future__ import annotations

from collections.abc import Callable

from act.records import dataclass
from act.taidl.expr import COMPARISONS
from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Unary


@dataclass(frozen=True, slots=True)
class Syntax:
    """How numbers, names and look-ups are written; `inverted` and `choice` have places for their operands, condition first; `binary` writes
    operator, left and right side, and is given the expression on the right."""

    number: Callable[[int], str]
    name: Callable[[str], str]
    inverted: str
    choice: str
    binary: Callable[[str, str, str, Expr], str]
    lookup: Callable[[str], str]

    def source(self, expr: Expr) -> str:
        match expr:
            case Int(value):
                return self.number(value)
            case Name(name):
                return self.name(name)
            case Unary("-", operand):
                return f"(-{self.source(operand)})"
            case Unary(_, operand):
                return self.inverted.format(self.source(operand))
            case Binary(op, left, right):
                return self.binary(op, self.source(left), self.source(right), right)
            case Choice(condition, then, otherwise):
                return self.choice.format(*map(self.source, (condition, then, otherwise)))
            case Lookup(buffer):
                return self.lookup(buffer)


def python_binary(op: str, left: str, right: str) -> str:
    """In Python, of operands for which the operator has a value; truth values are 1 and 0."""
    if op in COMPARISONS or op in ("and", "or"):
        return f"(1 if {left} {op} {right} else 0)"
    if op in ("min", "max"):
        return f"{op}({left}, {right})"
    return f"({left} {'//' if op == '/' else op} {right})"


PYTHON_INVERTED, PYTHON_CHOICE = "(1 if {0} == 0 else 0)", "({1} if {0} else {2})"
