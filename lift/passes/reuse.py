"""Functions that differ only in names are lifted once.

The state that an instruction works on often exists several times (double buffers, the channels of a DMA engine), and so do its update functions.  Names mean
nothing to the passes, so what was proved of one holds for all of the same shape; the copy is given its own names.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from lift.ir.arguments import argument_plan, function_attributes, function_name
from lift.ir.build import build
from lift.ir.operations import functions, walk
from lift.passes.base import LiftPass, PassReport
from lift.passes.run import run_passes
from lift.prove.lemmas import Prover
from lift.unroll.function import Loop, Statement, Store, UpdateFunction
from lift.unroll.terms import Term, walk_until


@dataclass(frozen=True, slots=True)
class Lifted:
    """`operations_raw` is the number of operations before the passes.  `original` is the function after them or, where it is given the names of
    another `function` of the same shape, still with its own."""

    original: ModuleOp
    reports: tuple[PassReport, ...]
    operations_raw: int
    function: UpdateFunction | None = None

    @property
    def reused(self) -> bool:
        return self.function is not None

    @property
    def module(self) -> ModuleOp:
        """With the names of the function that it is lifted from; one that is reused is copied each time."""
        return self.original if self.function is None else _renamed(self.original, self.function)


@dataclass(slots=True)
class Lifter:
    """Builds and lifts update functions; of one whose shape was seen before the result is a copy."""

    passes: tuple[LiftPass, ...]
    prover: Prover
    seen: dict[tuple[object, ...], tuple[UpdateFunction, Lifted]] = field(default_factory=dict)
    shapes: dict[int, tuple[UpdateFunction, tuple[object, ...]]] = field(default_factory=dict)  # by identity, with the function so that it stays

    def shape(self, function: UpdateFunction) -> tuple[object, ...]:
        """`shape`, worked out once."""
        if id(function) not in self.shapes:
            self.shapes[id(function)] = function, shape(function)
        return self.shapes[id(function)][1]

    def lift(self, function: UpdateFunction) -> Lifted:
        """Raises UnsoundPass."""
        key = self.shape(function)
        found = self.seen.get(key)
        if found is not None:
            return found[1] if found[0] is function else _reused(found[1], function)
        module = build(function)
        size = len(walk(module.body.block))
        lifted = Lifted(module, tuple(run_passes(module, self.passes, self.prover)), size)
        self.seen[key] = function, lifted
        return lifted


def shape(function: UpdateFunction) -> tuple[object, ...]:
    """All of a function but its names: symbols and arrays by the position of their argument, terms by the order in which they are met."""
    places = {a.name: k for k, a in enumerate(function.arguments)}
    serialised = _Serialised(places)
    arguments = tuple((a.width, a.depth) for a in function.arguments)
    body = tuple(serialised.statement(s) for s in function.body)
    result = None if function.result is None else serialised.number(function.result)
    return arguments, body, result, tuple(serialised.nodes)


class _Serialised:
    def __init__(self, places: dict[str, int]) -> None:
        self.places = places
        self.numbers: dict[Term, int] = {}
        self.nodes: list[tuple[object, ...]] = []

    def number(self, root: Term) -> int:
        for term in walk_until(root, self.numbers):
            attr = self.places.get(str(term.attr), -1) if term.op in ("sym", "load") else term.attr
            self.numbers[term] = len(self.nodes)
            self.nodes.append((term.op, term.width, attr, *[self.numbers[a] for a in term.args]))
        return self.numbers[root]

    def optional(self, term: Term | None) -> int | None:
        return None if term is None else self.number(term)

    def statement(self, statement: Statement) -> tuple[object, ...]:
        match statement:
            case Store():
                parts = (statement.address, statement.data, statement.mask, statement.condition)
                return "store", self.places[statement.memory], *(self.optional(t) for t in parts)
            case Loop():
                index = self.numbers[statement.index] = len(self.nodes)
                self.nodes.append(("index", statement.index.width))
                return "loop", index, self.number(statement.count), tuple(self.statement(s) for s in statement.body)


def _reused(lifted: Lifted, function: UpdateFunction) -> Lifted:
    reports = tuple(replace(r, function=function_name(function), seconds=0.0) for r in lifted.reports)
    return Lifted(lifted.original, reports, lifted.operations_raw, function)


def _renamed(original: ModuleOp, function: UpdateFunction) -> ModuleOp:
    module = original.clone()
    for each in functions(module):
        _rename(each, function)
    return module


def _rename(copy: func.FuncOp, function: UpdateFunction) -> None:
    """Everything that `build` and D8 took from names."""
    copy.properties["sym_name"] = StringAttr(function_name(function))
    kept = {key: value for key, value in copy.attributes.items() if key not in ("taidl.instruction", "taidl.unit", "taidl.target", "rtl.location")}
    copy.attributes.clear()
    copy.attributes |= {**function_attributes(function), **kept}
    plan = argument_plan(function)
    given = copy.arg_attrs.data if copy.arg_attrs is not None else ()
    names = {_name(old): fresh.argument.name for fresh, old in zip(plan, given, strict=True)}
    renamed = [DictionaryAttr({**fresh.attributes.data, **_others(old, names)}) for fresh, old in zip(plan, given, strict=True)]
    copy.properties["arg_attrs"] = ArrayAttr(renamed)
    for argument, fresh in zip(copy.args, plan, strict=True):
        argument.name_hint = fresh.hint


def _name(attributes: DictionaryAttr) -> str:
    name = attributes.data.get("rtl.name")
    assert isinstance(name, StringAttr)
    return name.data


def _others(old: DictionaryAttr, names: dict[str, str]) -> dict[str, Attribute]:
    """The attributes that passes added, with the names in them replaced."""
    return {key: _replaced(value, names) for key, value in old.data.items() if not key.startswith("rtl.")}


def _replaced(value: Attribute, names: dict[str, str]) -> Attribute:
    match value:
        case DictionaryAttr():
            return DictionaryAttr({key: _replaced(v, names) for key, v in value.data.items()})
        case ArrayAttr():
            return ArrayAttr([_replaced(v, names) for v in value.data])
        case StringAttr():
            return StringAttr(names.get(value.data, value.data))
    return value
