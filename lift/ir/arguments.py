"""An update function's signature: its arguments as types, names and attributes, in the order in which they are passed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, MemRefType, StringAttr, UnitAttr
from xdsl.ir import Attribute

from lift.ir.emit import integer
from lift.unroll.function import Argument, Loop, Statement, Store, UpdateFunction
from lift.unroll.terms import Term, walk


@dataclass(frozen=True, slots=True)
class Planned:
    """One argument of the `func.func`; `destination`: the array as the instruction leaves it."""

    argument: Argument
    destination: bool

    @property
    def hint(self) -> str:
        """Its name in the text; names that begin with a digit or a keyword are none in MLIR."""
        return "v_" + symbol_name(self.argument.name) + ("_out" if self.destination else "")

    @property
    def type(self) -> Attribute:
        element = integer(self.argument.width)
        return element if self.argument.depth is None else MemRefType(element, [self.argument.depth])

    @property
    def attributes(self) -> DictionaryAttr:
        a = self.argument
        texts = {"rtl.name": a.name, "rtl.role": a.role, "rtl.location": a.location}
        attributes: dict[str, Attribute] = {key: StringAttr(text) for key, text in texts.items() if text}
        return DictionaryAttr(attributes | ({"rtl.destination": UnitAttr()} if self.destination else {}))


def argument_plan(function: UpdateFunction) -> list[Planned]:
    """The arguments; an array that is stored to is a destination, and before it a source if it is also loaded."""
    stored = _stored(function.body)
    loaded = {str(t.attr) for t in walk(*roots(function)) if t.op == "load"}
    plan = []
    for argument in function.arguments:
        if argument.name not in stored or argument.name in loaded:
            plan.append(Planned(argument, False))
        if argument.name in stored:
            plan.append(Planned(argument, True))
    return plan


def function_name(function: UpdateFunction) -> str:
    return f"{symbol_name(function.instruction)}__{symbol_name(function.target)}"


def function_attributes(function: UpdateFunction) -> dict[str, Attribute]:
    texts = {
        "taidl.instruction": function.instruction,
        "taidl.unit": function.unit,
        "taidl.target": function.target,
        "rtl.location": function.location,
    }
    return {key: StringAttr(text) for key, text in texts.items() if text}


def symbol_name(text: str) -> str:
    """A name as an MLIR identifier."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "x"


def roots(function: UpdateFunction) -> list[Term]:
    """Every term that statements or the result name."""
    return _roots(function.body) + ([] if function.result is None else [function.result])


def _roots(body: tuple[Statement, ...]) -> list[Term]:
    terms: list[Term | None] = []
    for statement in body:
        match statement:
            case Store():
                terms += [statement.address, statement.data, statement.mask, statement.condition]
            case Loop():
                terms += [statement.count, *_roots(statement.body)]
    return [t for t in terms if t is not None]


def _stored(body: tuple[Statement, ...]) -> set[str]:
    return {s.memory for s in body if isinstance(s, Store)} | {m for s in body if isinstance(s, Loop) for m in _stored(s.body)}
