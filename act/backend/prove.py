"""An independent check of the selection: every chosen instruction computes the class it was chosen for.

The body of the instruction itself, with its attributes put in, is added to the e-graph over the classes of its operands; after the rules
have run, its result must be in the class.  Neither the patterns nor the matcher take part.  A failure is a bug of the compiler.

Where an instruction was selected for what it does modulo 2**w, it is the low bits of its result that must be in the class: those of a sum, a
difference, a product or moved data are computed from the low bits of the operands, all others from whole values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from act.backend.analysis import integral, type_of
from act.backend.classes import Attributes, ClassGraph, Rule
from act.backend.egraph import EGraph
from act.backend.matching import Match
from act.backend.plan import Step
from act.backend.saturate import saturate
from act.hlo.dtypes import width
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.parse import parse_body
from act.taidl.expr import evaluate
from act.taidl.expr_text import parse_expr
from act.taidl.model import Accelerator
from act.taidl.model import Instruction as Operation

REINTERPRET = ("bitcast-convert", "reshape", "copy")
LOW_FROM_LOW = ("add", "subtract", "negate", "multiply", "dot", "broadcast", "reshape", "transpose", "slice", "copy")


class WrongSelection(AssertionError):
    """An instruction does not compute what it was selected for."""


@dataclass(frozen=True, slots=True)
class _Whole:
    """A body with the classes of those of its values of which more is known than low bits; `raw` are bytes in host memory."""

    body: Computation
    found: Mapping[str, int]
    operands: Mapping[str, int]
    raw: Mapping[str, None]
    attributes: dict[str, int]


@dataclass(slots=True)
class Prover:
    """`graph` is the live e-graph, `frozen` what it was when instructions were selected; `selection` also has classes of partial sums."""

    accelerator: Accelerator
    graph: EGraph
    frozen: ClassGraph
    selection: ClassGraph
    rules: Sequence[Rule]
    _bodies: dict[str, Computation] = field(default_factory=dict)
    _sums: dict[int, list[int]] = field(default_factory=dict)

    def prove(self, steps: Iterable[Step]) -> None:
        """Raises `WrongSelection`."""
        chosen = dict.fromkeys((step.number, step.match.selector.name, step.match) for step in steps)
        pairs = [(self._computed(match), self._class(number), name) for number, name, match in chosen]
        if any(self.graph.find(found) != self.graph.find(wanted) for found, wanted, _ in pairs):
            saturate(self.graph, [], self.rules)
        for found, wanted, name in pairs:
            if self.graph.find(found) != self.graph.find(wanted):
                raise WrongSelection(f"{name} does not compute the {self.graph.shape(wanted)} that it was selected for")

    def _class(self, number: int) -> int:
        """The class in the live graph of one in the selection."""
        if number in self.frozen.classes:
            return self.graph.find(number)
        (node,) = self.selection.classes[number]
        children = [self._class(child) for child in node.children]
        found = self.graph.make(node.opcode, node.attributes, node.shape, children)
        if node.opcode == "sum":
            self._sums[found] = children
        return found

    def _made(self, opcode: str, attributes: Attributes, shape: Shape, children: Sequence[int]) -> int:
        """The class of an operator; a sum with a partial sum, which is no value of the kernel, is that of all the terms."""
        if opcode == "add" and integral(shape.dtype):
            children = [term for child in children for term in self._sums.get(child, [child])]
        return self.graph.make(opcode, attributes, shape, children)

    def _computed(self, match: Match) -> int:
        operation = self._operation(match.selector.name)
        values = dict((*match.alpha, *match.registers))
        body = self._body(operation)
        operands = {read.name: self._class(number) for read, number in zip(operation.reads, match.operands, strict=True)}
        host = {read.name for read in operation.reads if self.accelerator.buffers[read.slice.buffer].hbm}
        found: dict[str, int] = {}
        raw = dict.fromkeys(host)
        narrow = match.selector.narrow
        low = {name for name, number in operands.items() if name not in host and self.graph.shape(number).dtype != type_of(body[name]).dtype}
        for each in body:
            if each.name not in low and all(operand in found for operand in each.operands):
                found[each.name] = self._value(each, found, operands, raw, values)
        result = self._stored(operation, body)
        return found[result] if narrow is None else self._low(_Whole(body, found, operands, raw, values), result, narrow)

    def _low(self, whole: _Whole, name: str, dtype: str) -> int:
        """The class of the low bits of a value of a body, as integers of type `dtype`."""
        each = whole.body[name]
        shape = Shape(dtype, tuple(_number(size, whole.attributes) for size in type_of(each).dims))
        if each.opcode == "parameter" and name not in whole.found:
            return whole.operands[name]
        sources = [type_of(whole.body[operand]).dtype for operand in each.operands]
        if each.opcode == "convert" and integral(sources[0]) and width(sources[0]) >= width(dtype):
            return self._low(whole, each.operands[0], dtype)
        if each.opcode in LOW_FROM_LOW and not any(operand in whole.raw for operand in each.operands):
            attributes = tuple((key, _number(value, whole.attributes)) for key, value in each.key)
            return self._made(each.opcode, attributes, shape, [self._low(whole, operand, dtype) for operand in each.operands])
        if name not in whole.found:
            raise WrongSelection(f"the low bits of {each.opcode} depend on more than low bits")
        return self.graph.make("convert", (), shape, [whole.found[name]])

    def _stored(self, operation: Operation, body: Computation) -> str:
        """The value that is written: what its bytes in host memory are made of."""
        (write,) = operation.writes
        result = body[write.name]
        while self.accelerator.buffers[write.slice.buffer].hbm and result.opcode in REINTERPRET and result.operands:
            result = body[result.operands[0]]
        return result.name

    def _value(self, each: Instruction, found: Mapping[str, int], operands: Mapping[str, int], raw: dict[str, None], values: dict[str, int]) -> int:
        """Bytes in host memory, `raw`, stand for the elements that re-interpreting them makes."""
        if each.opcode == "parameter":
            return operands[each.name]
        shape = Shape(type_of(each).dtype, tuple(_number(size, values) for size in type_of(each).dims))
        if each.opcode in REINTERPRET and each.operands[0] in raw:
            number = found[each.operands[0]]
            if self.graph.shape(number) != shape:
                raw[each.name] = None
            return number
        attributes = tuple((name, _number(value, values)) for name, value in each.key)
        return self._made(each.opcode, attributes, shape, [found[operand] for operand in each.operands])

    def _operation(self, name: str) -> Operation:
        composite = self.accelerator.composites.get(name)
        return composite.operation if composite else self.accelerator.instructions[name]

    def _body(self, operation: Operation) -> Computation:
        if operation.name not in self._bodies:
            self._bodies[operation.name] = parse_body(operation.body, lambda text, _: parse_expr(text), operation.name)
        return self._bodies[operation.name]


def _number(value: Any, values: Mapping[str, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_number(each, values) for each in value)
    return value if isinstance(value, (int, float, str)) else evaluate(value, values)
