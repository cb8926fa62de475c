"""Values of a lifted function -> their forms: the expression with its constants taken out as parameters, so that equal forms are one expression.

The elements of a grid have few forms: element (i, j) is its form at constants that are linear in i and j.  What is proved of a form for all i and j of a range
is thereby proved of every element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import INDEX_WIDTH, PURE, constant_value, describe, width, width_of
from lift.ir.smt import TRANSLATE
from proofs.meaning import Incomparable, array, rtl_name, variable

Node = tuple[Any, ...]
Reference = tuple[str, int]  # ("node", number) or ("parameter", number)


@dataclass(frozen=True, slots=True)
class Form:
    """`nodes` in order, the value being `root`; `constants` are the values of the parameters and `widths` their bits."""

    nodes: tuple[Node, ...]
    root: Reference
    constants: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        return self.nodes, self.root, self.widths


@dataclass(frozen=True, slots=True)
class Store:
    """A store at the top of a function, made when `condition` holds (None: always)."""

    array: str
    condition: SSAValue | None
    address: SSAValue
    data: SSAValue


def stores(function: func.FuncOp) -> list[Store]:
    """The stores of a function without loops around them, in order."""
    return [s for op in function.body.block.ops for s in _stores(function, op, None)]


def _stores(function: func.FuncOp, op: Operation, condition: SSAValue | None) -> Iterable[Store]:
    match op.name:
        case "memref.store":
            data, target, address = op.operands
            yield Store(_name(function, target), condition, address, data)
        case "scf.if":
            if condition is not None or op.results or any(region.blocks and next(iter(region.block.ops)).name != "scf.yield" for region in op.regions[1:]):
                raise Incomparable("a conditional within another, or with two sides")
            for inner in op.regions[0].block.ops:
                yield from _stores(function, inner, op.operands[0])
        case "scf.for" if any(inner.name == "memref.store" for inner in op.walk()):
            raise Incomparable("a store in a loop")


def written_out(function: func.FuncOp) -> func.FuncOp:
    """A copy in which loops of stores are their iterations, one after the other, where it is known how many they are."""
    copy = function.clone()
    for loop in [op for op in copy.body.block.ops if op.name == "scf.for" and not op.results and any(inner.name == "memref.store" for inner in op.walk())]:
        bounds = [constant_value(v) for v in loop.operands[:3]]
        if None not in bounds:
            _write_out(loop, range(*bounds))  # type: ignore[arg-type]
    return copy


def _write_out(loop: Operation, iterations: range) -> None:
    block, body = loop.parent, loop.regions[0].block
    assert block is not None
    for number in iterations:
        index = arith.ConstantOp(IntegerAttr(number, body.args[0].type))  # type: ignore[arg-type]
        block.insert_op_before(index, loop)
        values: dict[SSAValue, SSAValue] = {body.args[0]: index.result}
        for op in body.ops:
            if op.name != "scf.yield":
                block.insert_op_before(op.clone(values), loop)
    loop.detach()
    loop.erase()


def _name(function: func.FuncOp, argument: SSAValue) -> str:
    return rtl_name(function, list(function.args).index(argument))  # type: ignore[arg-type]


def lanes(value: SSAValue, bits: int) -> dict[int, SSAValue]:
    """lane -> the value of `bits` bits that a word, put together of zero-extended values by shifts and `or`, has there."""
    found = dict(_pieces(value, 0))
    if any(low % bits or width(v) != bits for low, v in found.items()) or len(found) * bits != width(value):
        raise Incomparable(f"a word of {width(value)} bits that is not put together of elements of {bits} bits")
    return {low // bits: v for low, v in found.items()}


def _pieces(value: SSAValue, low: int) -> Iterable[tuple[int, SSAValue]]:
    op = value.owner
    match getattr(op, "name", ""):
        case "arith.ori":
            for operand in op.operands:  # type: ignore[union-attr]
                yield from _pieces(operand, low)
        case "arith.shli" if (amount := constant_value(op.operands[1])) is not None:  # type: ignore[union-attr]
            yield from _pieces(op.operands[0], low + amount)  # type: ignore[union-attr]
        case "arith.extui":
            yield low, op.operands[0]  # type: ignore[union-attr]
        case _:
            yield low, value


def form(function: func.FuncOp, value: SSAValue, cut: Mapping[SSAValue, str] | None = None) -> Form:
    """The form of a value; those in `cut` are variables of these names."""
    found = _Extraction(function, dict(cut or {}))
    root = found.reference(value)
    return Form(tuple(found.nodes), root, tuple(v for v, _ in found.parameters), tuple(w for _, w in found.parameters))


class _Extraction:
    def __init__(self, function: func.FuncOp, cut: dict[SSAValue, str]) -> None:
        self.function, self.cut = function, cut
        self.nodes: list[Node] = []
        self.count = 0
        self.numbers: dict[SSAValue, Reference] = {}
        self.parameters: list[tuple[int, int]] = []

    def reference(self, value: SSAValue) -> Reference:
        """Constants anew each time that they are used."""
        known = constant_value(value)
        if known is not None:
            self.parameters.append((known, width(value)))
            return "parameter", len(self.parameters) - 1
        if value not in self.numbers:
            node = self._node(value)
            self.numbers[value] = self._number()
            self.nodes.append((self.numbers[value][1], *node))
        return self.numbers[value]

    def _number(self) -> Reference:
        self.count += 1
        return "node", self.count - 1

    def _node(self, value: SSAValue) -> Node:
        if value in self.cut:
            return "variable", self.cut[value], width(value)
        op = value.owner
        if isinstance(op, Block):
            return self._argument(value)
        if op.name == "scf.for":
            return self._loop(op)
        if op.name == "memref.load":
            return "load", self.reference(op.operands[0]), self.reference(op.operands[1])
        if op.name not in PURE:
            raise Incomparable(f"a value of {op.name}")
        return ("pure", *describe(op), *(self.reference(v) for v in op.operands))

    def _argument(self, value: SSAValue) -> Node:
        index = list(self.function.args).index(value)  # type: ignore[arg-type]
        name = rtl_name(self.function, index)
        if not isinstance(value.type, MemRefType):
            return "variable", name, width(value)
        if "rtl.destination" in self.function.arg_attrs.data[index].data:  # type: ignore[union-attr]
            raise Incomparable(f"a load from {name} while it is stored to")
        return "array", name, width_of(value.type.element_type)

    def _loop(self, op: Operation) -> Node:
        bounds = tuple(constant_value(v) for v in op.operands[:3])
        if None in bounds or len(op.results) != 1:
            raise Incomparable("a loop with a symbolic trip count, or several results")
        initial = self.reference(op.operands[3])
        body = op.regions[0].block
        own = {r for inner in body.ops for r in inner.results} | set(body.args)
        for inner in body.ops:  # what the body takes from outside is computed outside
            for v in inner.operands:
                if v not in own and constant_value(v) is None:
                    self.reference(v)
        outside, self.nodes = self.nodes, []
        arguments = []
        for argument in body.args:
            self.numbers[argument] = self._number()
            arguments.append(self.numbers[argument][1])
        (yielded,) = body.last_op.operands  # type: ignore[union-attr]
        result = self.reference(yielded)
        inside, self.nodes = self.nodes, outside
        return "loop", bounds, initial, tuple(arguments), tuple(inside), result


@dataclass(slots=True)
class Evaluation:
    """Values of a form for given parameters.  `product` replaces multiplications of two sign-extended values; `sums` are the results of its loops."""

    parameters: Sequence[z3.BitVecRef]
    product: Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef] | None = None
    sums: list[z3.BitVecRef] = field(default_factory=list)
    values: dict[int, z3.ExprRef] = field(default_factory=dict)

    def of(self, found: Form) -> z3.BitVecRef:
        self._run(found.nodes)
        return self._value(found.root)  # type: ignore[return-value]

    def _value(self, reference: Reference) -> z3.ExprRef:
        kind, number = reference
        return self.parameters[number] if kind == "parameter" else self.values[number]

    def _run(self, nodes: Iterable[Node]) -> None:
        for number, kind, *rest in nodes:
            match kind:
                case "variable":
                    self.values[number] = variable(*rest)
                case "array":
                    self.values[number] = array(*rest)
                case "load":
                    self.values[number] = z3.Select(*(self._value(r) for r in rest))
                case "loop":
                    self.values[number] = self._loop(*rest)
                case _:
                    name, attribute, bits, *operands = rest
                    self.values[number] = self._pure(name, attribute, bits, [self._value(r) for r in operands])

    def _pure(self, name: str, attribute: int, bits: int, operands: list[Any]) -> z3.ExprRef:
        if self.product is not None and name == "arith.muli" and all(is_extended(v) for v in operands):
            return self.product(*operands)
        return TRANSLATE[name](attribute, bits, operands)

    def _loop(self, bounds: tuple[int, int, int], initial: Reference, arguments: tuple[int, int], nodes: tuple[Node, ...], result: Reference) -> z3.ExprRef:
        carried = self._value(initial)
        for index in range(*bounds):
            self.values.update(zip(arguments, (z3.BitVecVal(index, INDEX_WIDTH), carried), strict=True))
            self._run(nodes)
            carried = self._value(result)
        self.sums.append(carried)  # type: ignore[arg-type]
        return carried


def is_extended(value: z3.ExprRef) -> bool:
    """A sign extension, as it stands."""
    return z3.is_app(value) and value.decl().kind() == z3.Z3_OP_SIGN_EXT


def value_of(found: Form) -> z3.BitVecRef:
    """The value with its own constants."""
    return Evaluation([z3.BitVecVal(v, w) for v, w in zip(found.constants, found.widths, strict=True)]).of(found)


__all__ = ["Evaluation", "Form", "Store", "form", "is_extended", "lanes", "stores", "value_of", "written_out"]
