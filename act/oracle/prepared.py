"""An operation -> the functions by which its attributes are checked and its registers are read and set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from act.taidl.compiled import Function, compiled
from act.taidl.expr import names
from act.taidl.expr_text import print_expr
from act.taidl.model import Composite, Expr, Instruction, Int, Name, Set, Use


class Prepared:
    """`uses` and `sets` with functions of their index and value (None where there is none)."""

    __slots__ = ("attributes", "conditions", "operation", "sets", "uses")

    def __init__(self, operation: Instruction) -> None:
        self.operation = operation
        self.attributes = frozenset(operation.attributes)
        self.conditions = [(condition, names(condition), compiled(condition)) for condition in operation.when]
        self.uses: list[tuple[Use, Function | None, Function | None]] = [(use, _function(use.index), _function(use.equals)) for use in operation.uses]
        self.sets: list[tuple[Set, Function | None, Function]] = [(item, _function(item.index), compiled(item.value)) for item in operation.sets]

    def violated(self, values: Mapping[str, int]) -> str | None:
        """The first `when` that does not hold, as text; those about names without a value are passed over."""
        for condition, needed, function in self.conditions:
            if needed <= values.keys() and not function(values):
                return print_expr(condition)
        return None


def _function(expr: Expr | None) -> Function | None:
    return None if expr is None else compiled(expr)


class Pattern:
    """The parts of a composite: what each attribute of each part must be, or what it says of the composite's attributes."""

    __slots__ = ("attributes", "composite", "parts", "prepared")

    def __init__(self, composite: Composite) -> None:
        self.composite, self.prepared = composite, Prepared(composite.operation)
        self.attributes = frozenset(composite.operation.attributes)
        self.parts = [(part.instruction, [(name, *_kind(value)) for name, value in part.arguments.items()]) for part in composite.parts]

    def bound(self, issued: Sequence[tuple[str, Mapping[str, int]]]) -> dict[str, int] | bool:
        """The composite's attributes; False when the parts are others, True when equations must be solved to know."""
        values: dict[str, int] = {}
        pending: list[tuple[Function, int]] = []
        for (instruction, arguments), (name, attributes) in zip(self.parts, issued, strict=True):
            if instruction != name or len(arguments) != len(attributes):
                return False
            for attribute, kind, payload in arguments:
                found = attributes.get(attribute)
                if found is None or (kind == "int" and payload != found):
                    return False
                if kind == "name" and values.setdefault(payload, found) != found:
                    return False
                if kind == "expr":
                    pending.append((payload, found))
        if not self.attributes <= values.keys():
            return True
        return values if all(function(values) == found for function, found in pending) else False


def _kind(value: Expr) -> tuple[str, Any]:
    match value:
        case Int(number):
            return "int", number
        case Name(name):
            return "name", name
        case _:
            return "expr", compiled(value)
