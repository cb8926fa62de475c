"""An independent check of the selection: every chosen instruction computes the class it was chosen for.

The body of the instruction itself, with its attributes put in, is added to the e-graph over the classes of its operands; after the rules
have run, its result must be in the class.  Neither the patterns nor the matcher take part.  A failure is a bug of the compiler.

Where an instruction was selected for what it does modulo 2**w, it is the low bits of its result that must be in the class: those of a sum, a
difference, a product or moved data are computed from the low bits of the operands, all others from whole values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Any, NamedTuple

from act.backend.analysis import integral, type_of
from act.backend.classes import Attributes, ClassGraph, Rule
from act.backend.egraph import EGraph
from act.backend.matching import Match
from act.backend.memo import by_identity
from act.backend.plan import Step
from act.backend.saturate import saturate
from act.hlo.dtypes import width
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.parse import parse_body
from act.records import dataclass, field
from act.taidl.expr import evaluate
from act.taidl.expr_text import parse_expr
from act.taidl.model import Accelerator
from act.taidl.model import Instruction as Operation

REINTERPRET = ("bitcast-convert", "reshape", "copy")
MOST_GROUPINGS = 30
"""So many ways to group the terms of one sum are tried."""
LOW_FROM_LOW = ("add", "subtract", "negate", "multiply", "dot", "broadcast", "reshape", "transpose", "slice", "copy")


class WrongSelection(AssertionError):
    """An instruction does not compute what it was selected for."""


class Line(NamedTuple):
    """A value of a body with numbers for all attributes."""

    name: str
    opcode: str
    operands: tuple[str, ...]
    attributes: Attributes
    shape: Shape


Body = Mapping[str, Line]


@dataclass(frozen=True, slots=True)
class _Whole:
    """A body with the classes of those of its values of which more is known than low bits; `raw` are bytes in host memory."""

    body: Body
    found: Mapping[str, int]
    operands: Mapping[str, int]
    raw: Mapping[str, None]


@dataclass(slots=True)
class Prover:
    """`graph` is the live e-graph, `frozen` what it was when instructions were selected; `selection` also has classes of partial sums."""

    accelerator: Accelerator
    graph: EGraph
    frozen: ClassGraph
    selection: ClassGraph
    rules: Sequence[Rule]
    _partial: dict[int, list[int]] = field(default_factory=dict)
    _regroup: bool = False
    _made_now: dict[int, list[int]] = field(default_factory=dict)
    """The values of the body at hand, sums with their terms."""

    def prove(self, steps: Iterable[Step]) -> None:
        """Raises `WrongSelection`."""
        every = {(step.number, step.match.selector.name, step.match.alpha, step.match.operands): (step.number, step.match) for step in steps}
        pairs = self._open(every.values())
        for self._regroup in (False, True):
            if pairs:
                unknown = pairs = self._open(pairs)
                saturate(self.graph, [], self.rules, enough=lambda unknown=unknown: not self._open(unknown), newest_first=True)
                pairs = self._open(pairs)
        for number, match in pairs:
            shape = self.graph.shape(self._class(number))
            raise WrongSelection(f"{match.selector.name} does not compute the {shape} that it was selected for")

    def _open(self, pairs: Iterable[tuple[int, Match]]) -> list[tuple[int, Match]]:
        """The classes and instructions that are not known to be equal.  The rules look at all values of these again: they have not seen
        what was added to the graph when its budget was spent."""
        found = []
        for number, match in pairs:
            self._made_now.clear()
            if self.graph.find(self._computed(match)) != self.graph.find(self._class(number)):
                found.append((number, match))
                for value in (self._class(number), *self._made_now):
                    self.graph.revisit(value)
        return found

    def _class(self, number: int) -> int:
        """The class in the live graph of one in the selection."""
        if number in self.frozen.classes:
            return self.graph.find(number)
        (node,) = self.selection.classes[number]
        children = [self._class(child) for child in node.children]
        found = self.graph.make(node.opcode, node.attributes, node.shape, children)
        if node.opcode == "sum":
            self._partial[found] = children
        return found

    def _made(self, opcode: str, attributes: Attributes, shape: Shape, children: Sequence[int]) -> int:
        """The class of an operator.  Integer addition is associative: a sum with a sum is one of all the terms, as which it may be known."""
        adds = opcode == "add" and integral(shape.dtype)
        terms = [term for child in children for term in self._made_now.get(child) or self._partial.get(child, [child])] if adds else list(children)
        found = self.graph.make(opcode, attributes, shape, terms)
        self._made_now[found] = terms if adds else []
        if self._regroup and adds:
            options = [[[child], *self.graph.sums(child)] for child in children]
            for groups in islice(product(*options), MOST_GROUPINGS):
                self.graph.union(found, self.graph.make("sum", (), shape, [term for group in groups for term in group]))
        return found

    def _computed(self, match: Match) -> int:
        operation = self.accelerator.operation(match.selector.name)
        body = body_with(operation, (*match.alpha, *match.registers))
        operands = {read.name: self._class(number) for read, number in zip(operation.reads, match.operands, strict=True)}
        host = [read.name for read in operation.reads if self.accelerator.buffers[read.slice.buffer].hbm]
        found: dict[str, int] = {}
        raw = dict.fromkeys(host)
        narrow = match.selector.narrow
        if narrow is None:
            for name, each in body.items():
                found[name] = self._value(each, found, operands, raw)
            return found[self._stored(operation, body)]
        low = {name for name, number in operands.items() if name not in host and self.graph.shape(number).dtype != body[name].shape.dtype}
        for name, each in body.items():
            if name not in low and all(operand in found for operand in each.operands):
                found[name] = self._value(each, found, operands, raw)
        return self._low(_Whole(body, found, operands, raw), self._stored(operation, body), narrow)

    def _low(self, whole: _Whole, name: str, dtype: str) -> int:
        """The class of the low bits of a value of a body, as integers of type `dtype`."""
        each = whole.body[name]
        shape = Shape(dtype, each.shape.dims)
        if each.opcode == "parameter" and name not in whole.found:
            return whole.operands[name]
        sources = [whole.body[operand].shape.dtype for operand in each.operands]
        if each.opcode == "convert" and integral(sources[0]) and width(sources[0]) >= width(dtype):
            return self._low(whole, each.operands[0], dtype)
        if each.opcode in LOW_FROM_LOW and not any(operand in whole.raw for operand in each.operands):
            return self._made(each.opcode, each.attributes, shape, [self._low(whole, operand, dtype) for operand in each.operands])
        if name not in whole.found:
            raise WrongSelection(f"the low bits of {each.opcode} depend on more than low bits")
        return self._made("convert", (), shape, [whole.found[name]])

    def _stored(self, operation: Operation, body: Body) -> str:
        """The value that is written: what its bytes in host memory are made of."""
        (write,) = operation.writes
        name = write.name
        while self.accelerator.buffers[write.slice.buffer].hbm and body[name].opcode in REINTERPRET and body[name].operands:
            name = body[name].operands[0]
        return name

    def _value(self, each: Line, found: Mapping[str, int], operands: Mapping[str, int], raw: dict[str, None]) -> int:
        """Bytes in host memory, `raw`, stand for the elements that re-interpreting them makes."""
        if each.opcode == "parameter":
            return operands[each.name]
        if each.opcode in REINTERPRET and each.operands[0] in raw:
            number = found[each.operands[0]]
            if self.graph.shape(number) != each.shape:
                raw[each.name] = None
            return number
        return self._made(each.opcode, each.attributes, each.shape, [found[operand] for operand in each.operands])


@by_identity
def body_with(operation: Operation, attributes: tuple[tuple[str, int], ...]) -> Body:
    """The body with its attributes put in."""
    values = dict(attributes)
    return {each.name: _line(each, values) for each in _parsed(operation.body, operation.name)}


@lru_cache(maxsize=1000)
def _parsed(text: str, name: str) -> Computation:
    return parse_body(text, lambda expression, _: parse_expr(expression), name)


def _line(each: Instruction, values: Mapping[str, int]) -> Line:
    shape = Shape(type_of(each).dtype, tuple(_number(size, values) for size in type_of(each).dims))
    return Line(each.name, each.opcode, each.operands, tuple((name, _number(value, values)) for name, value in each.key), shape)


def _number(value: Any, values: Mapping[str, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_number(each, values) for each in value)
    return value if isinstance(value, (int, float, str)) else evaluate(value, values)
