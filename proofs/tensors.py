"""The body of an instruction of a specification -> its elements as Z3 bit-vectors, each computed when it is asked for, at symbolic indices.

Integer types only, in two's complement.  Written from the definition of HLO's operators; it shares no code with `act.hlo.evaluate`.  What it does not know it
refuses (`NoMeaning`).  Products go through `product`, so that a proof can take them for unknown functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import z3

from act.hlo.model import Computation, Shape
from act.hlo.model import Instruction as Operator
from act.taidl import Int
from proofs.integers import Integer, NoMeaning, constant, exact, less, minus, plus, times

LONGEST = 64  # of the dimensions that are summed over
Index = tuple[Integer, ...]
Element = Callable[[Index], z3.BitVecRef]
Product = Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]


def multiply(a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
    return a * b


def width_of(dtype: str) -> int:
    """Bits of an element; NoMeaning for floats."""
    if dtype == "pred":
        return 1
    if dtype[0] not in "su":
        raise NoMeaning(f"elements of type {dtype}")
    return int(dtype[1:])


def is_signed(dtype: str) -> bool:
    return dtype[0] == "s"


class Tensors:
    """The values of one body.  `names` are the integers that back-quoted expressions speak of, `operands` give the elements of the parameters."""

    def __init__(self, body: Computation, names: Mapping[str, Integer], operands: Sequence[Element], product: Product = multiply) -> None:
        self.body, self.names, self.operands, self.product = body.by_name, names, operands, product
        self.known: dict[tuple[Any, ...], z3.BitVecRef] = {}

    def shape(self, name: str) -> Shape:
        shape = self.body[name].shape
        if not isinstance(shape, Shape):
            raise NoMeaning(f"%{name}, a tuple")
        return shape

    def integer(self, value: Any) -> Integer:
        """A dimension or an attribute."""
        return constant(value) if isinstance(value, int) else exact(value, self.names)

    def element(self, name: str, index: Index) -> z3.BitVecRef:
        """Element `index` of %name."""
        key = (name, *(i.bits.get_id() for i in index))
        if key not in self.known:
            self.known[key] = self._element(self.body[name], index)
        return self.known[key]

    def _element(self, op: Operator, index: Index) -> z3.BitVecRef:
        dtype = self.shape(op.name).dtype
        match op.opcode:
            case "parameter":
                return self.operands[op.attributes["number"]](index)
            case "constant":
                return self._constant(op, index, width_of(dtype))
            case "iota":
                return index[op.attributes["dimension"]].resized(width_of(dtype))
            case "broadcast" | "transpose" | "reverse" | "slice" | "pad" | "reshape" | "concatenate":
                return self._moved(op, index)
            case "dot":
                return self._dot(op, index)
            case "reduce" | "reduce-window":
                return self._reduce(op, index) if op.opcode == "reduce" else self._reduce_window(op, index)
            case "bitcast-convert":
                return self._bits(op, index)
        values = [self.element(n, index if self.shape(n).dims else ()) for n in op.operands]
        return self._elementwise(op, values, self.shape(op.operands[-1]).dtype)

    def _constant(self, op: Operator, index: Index, width: int) -> z3.BitVecRef:
        value = op.attributes["value"]
        if index and isinstance(value, tuple):
            raise NoMeaning(f"%{op.name}, a constant of many elements")
        return self.integer(int(value) if isinstance(value, (bool, int)) else value).resized(width)

    def _elementwise(self, op: Operator, v: list[z3.BitVecRef], dtype: str) -> z3.BitVecRef:
        signed, width = is_signed(dtype), width_of(self.shape(op.name).dtype)
        match op.opcode:
            case "convert":
                return resized(v[0], width, signed) if width > 1 else _bit(v[0] != 0)
            case "clamp":
                return _least(_greatest(v[0], v[1], signed), v[2], signed)
            case "select":
                return z3.If(v[0] == 1, v[1], v[2])
            case "compare":
                return _bit(_compared(op.attributes["direction"], v[0], v[1], signed))
            case "multiply":
                return self.product(v[0], v[1])
        if op.opcode not in _OPERATORS:
            raise NoMeaning(f"the operator {op.opcode}")
        return _OPERATORS[op.opcode](signed, *v)

    def _moved(self, op: Operator, index: Index) -> z3.BitVecRef:
        source, given = op.operands[0], op.attributes
        match op.opcode:
            case "broadcast":
                return self.element(source, tuple(index[d] for d in given["dimensions"]))
            case "transpose":
                dims = given["dimensions"]
                return self.element(source, tuple(index[dims.index(d)] for d in range(len(dims))))
            case "reverse":
                last = [minus(self.integer(n), constant(1)) for n in self.shape(op.name).dims]
                return self.element(source, tuple(minus(last[d], i) if d in given["dimensions"] else i for d, i in enumerate(index)))
            case "slice":
                return self.element(source, tuple(self._strided(i, s, n) for i, s, n in zip(index, given["start"], given["stride"], strict=True)))
            case "pad":
                return self._padded(op, index)
            case "reshape" if _without_ones(self.shape(op.name).dims) == _without_ones(self.shape(source).dims):
                left = [i for i, n in zip(index, self.shape(op.name).dims, strict=True) if n != 1]
                return self.element(source, tuple(constant(0) if n == 1 else left.pop(0) for n in self.shape(source).dims))
        raise NoMeaning(f"the operator {op.opcode} with {dict(given)}")

    def _strided(self, index: Integer, start: Any, stride: Any) -> Integer:
        if stride != 1:
            raise NoMeaning("a slice with a stride")
        return plus(index, self.integer(start))

    def _padded(self, op: Operator, index: Index) -> z3.BitVecRef:
        """The operand's element where there is one, else the padding."""
        given, inside, places = op.attributes, [], []
        for i, n, low, interior in zip(index, self.shape(op.operands[0]).dims, given["low"], given["interior"], strict=True):
            if interior != 0:
                raise NoMeaning("padding between elements")
            place = minus(i, self.integer(low))
            inside += [z3.Not(less(place, constant(0))), less(place, self.integer(n))]
            places.append(Integer(place.bits, max(place.low, 0), place.high))
        return z3.If(z3.And(*inside), self.element(op.operands[0], tuple(places)), self.element(op.operands[1], ()))

    def _dot(self, op: Operator, index: Index) -> z3.BitVecRef:
        """Batch dimensions first, then the free ones of both sides; one contracted dimension."""
        given, (lhs, rhs) = op.attributes, op.operands
        batches, contracted = (given["lhs_batch_dims"], given["rhs_batch_dims"]), (given["lhs_contracting_dims"], given["rhs_contracting_dims"])
        if len(contracted[0]) != 1:
            raise NoMeaning("a dot product over several dimensions")
        rest, sides = list(index[len(batches[0]) :]), []
        for name, batch, (over,) in zip((lhs, rhs), batches, contracted, strict=True):
            sides.append([index[batch.index(d)] if d in batch else None if d == over else rest.pop(0) for d in range(self.shape(name).rank)])

        def term(k: Integer) -> z3.BitVecRef:
            return self.product(*(self.element(n, tuple(k if i is None else i for i in side)) for n, side in zip((lhs, rhs), sides, strict=True)))

        extent, total = self.integer(self.shape(lhs).dims[contracted[0][0]]), z3.BitVecVal(0, width_of(self.shape(op.name).dtype))
        for k in _below(extent):
            more = term(k)
            total = total + (more if k.high < extent.low else z3.If(less(k, extent), more, z3.BitVecVal(0, more.size())))
        return total

    def _reduce(self, op: Operator, index: Index) -> z3.BitVecRef:
        name, start = op.operands
        dims, kind, signed = op.attributes["dimensions"], op.attributes["kind"], is_signed(self.shape(op.operands[0]).dtype)
        if len(dims) != 1:
            raise NoMeaning("a reduction over several dimensions")

        def term(k: Integer) -> z3.BitVecRef:
            return self.element(name, (*index[: dims[0]], k, *index[dims[0] :]))

        extent, total = self.integer(self.shape(name).dims[dims[0]]), self.element(start, ())
        for k in _below(extent):
            more = _OPERATORS[kind](signed, total, term(k))
            total = more if k.high < extent.low else z3.If(less(k, extent), more, total)
        return total

    def _reduce_window(self, op: Operator, index: Index) -> z3.BitVecRef:
        """Over the places of a window within its operand; NoMeaning for one that has padding or gaps of its own."""
        name, start = op.operands
        given, signed = op.attributes, is_signed(self.shape(name).dtype)
        if any(given["low"] + given["high"]) or any(n != 1 for n in given["lhs_dilation"] + given["rhs_dilation"]):
            raise NoMeaning("a window with padding or gaps")
        total = self.element(start, ())
        for place in window_places(op):
            at = [plus(times(i, self.integer(s)), constant(n)) for i, s, n in zip(index, given["stride"], place, strict=True)]
            total = _OPERATORS[given["kind"]](signed, total, self.element(name, tuple(at)))
        return total

    def _bits(self, op: Operator, index: Index) -> z3.BitVecRef:
        """Between types of one width, or with a last dimension that counts the parts of a wider element, the lowest first."""
        source = op.operands[0]
        to, held = width_of(self.shape(op.name).dtype), width_of(self.shape(source).dtype)
        if to == held:
            return self.element(source, index)
        if to > held:
            return z3.Concat(*(self.element(source, (*index, constant(k))) for k in reversed(range(to // held))))
        *outer, part = index
        if part.constant is None:
            raise NoMeaning("a part of an element that is not known by number")
        return z3.Extract(to * (part.constant + 1) - 1, to * part.constant, self.element(source, tuple(outer)))


def resized(value: z3.BitVecRef, width: int, signed: bool) -> z3.BitVecRef:
    held = value.size()
    if width <= held:
        return z3.Extract(width - 1, 0, value) if width < held else value
    return z3.SignExt(width - held, value) if signed else z3.ZeroExt(width - held, value)


def window_places(op: Operator) -> Iterator[tuple[int, ...]]:
    """The places in the window of a `reduce-window`, the last dimension fastest; NoMeaning if their number is not known."""
    sizes = op.attributes["size"]
    if not all(isinstance(n, int) for n in sizes) or prod(sizes) > LONGEST:
        raise NoMeaning(f"a window of {sizes} elements")
    return product(*map(range, sizes))


def _below(extent: Integer) -> list[Integer]:
    """Every index that may be below an extent."""
    if extent.high > LONGEST:
        raise NoMeaning(f"a sum of up to {extent.high} terms")
    return [constant(k) for k in range(extent.high)]


def _bit(condition: z3.BoolRef) -> z3.BitVecRef:
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def _less(a: z3.BitVecRef, b: z3.BitVecRef, signed: bool) -> z3.BoolRef:
    return a < b if signed else z3.ULT(a, b)


def _least(a: z3.BitVecRef, b: z3.BitVecRef, signed: bool) -> z3.BitVecRef:
    return z3.If(_less(a, b, signed), a, b)


def _greatest(a: z3.BitVecRef, b: z3.BitVecRef, signed: bool) -> z3.BitVecRef:
    return z3.If(_less(b, a, signed), a, b)


def _compared(direction: str, a: z3.BitVecRef, b: z3.BitVecRef, signed: bool) -> z3.BoolRef:
    less_than, more_than = _less(a, b, signed), _less(b, a, signed)
    return {"EQ": a == b, "NE": a != b, "LT": less_than, "GT": more_than, "LE": z3.Not(more_than), "GE": z3.Not(less_than)}[direction]


_OPERATORS: dict[str, Callable[..., z3.BitVecRef]] = {
    "add": lambda s, a, b: a + b, "subtract": lambda s, a, b: a - b, "negate": lambda s, a: -a, "not": lambda s, a: ~a, "and": lambda s, a, b: a & b,
    "shift-left": lambda s, a, b: a << b, "shift-right-arithmetic": lambda s, a, b: a >> b, "shift-right-logical": lambda s, a, b: z3.LShR(a, b),
    "or": lambda s, a, b: a | b, "xor": lambda s, a, b: a ^ b, "maximum": lambda s, a, b: _greatest(a, b, s), "minimum": lambda s, a, b: _least(a, b, s),
}  # fmt: skip


def _without_ones(dims: Sequence[Any]) -> list[Any]:
    return [n for n in dims if n != 1 and n != Int(1)]


__all__ = ["Element", "Tensors", "is_signed", "multiply", "resized", "width_of", "window_places"]
