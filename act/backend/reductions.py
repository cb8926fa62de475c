"""Sums over dimensions -> products with ones, and greatest and least elements -> those of halves, before anything is cut into tiles.  Sums of
floats are not taken apart, since they are rounded once.  What instructions reduce stays: the last dimension, in parts that they take.

Before --> after:  `s = s32[3] reduce(x: s32[3,4], init), dimensions={1}, to_apply=add` --> `init + dot(x, ones: s32[4])`
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from itertools import product

from act.backend.analysis import integral, type_of
from act.hlo.dtypes import integer_range, is_float, width
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.opcodes import POINTWISE
from act.records import dataclass, field, replace

MOST_TERMS = 64
"""Slices of wide integers that are added, at most."""


EXACT = ("maximum", "minimum", "and", "or", "xor")
"""Operators that may be applied in any order to elements of any type: of two zeros the greater one is fixed."""

Reduced = Collection[tuple[str, str, tuple[int, ...]]]
"""The operator, the type and the dimensions (-1 is the last) of a reduction that an instruction does."""


def neutral(kind: str, dtype: str) -> float:
    """What changes nothing."""
    low, high = (-math.inf, math.inf) if is_float(dtype) else (0, 1) if dtype == "pred" else integer_range(dtype)
    ones = 1 if dtype == "pred" else -1 if low else high
    return {"maximum": low, "minimum": high, "add": 0, "or": 0, "xor": 0, "and": ones}[kind]


def reductions_as_products(computation: Computation, reduced: Reduced = (), longest: int = 0) -> Computation:
    """Every sum over dimensions of an integer tensor becomes a dot product with ones; a maximum over a dimension becomes the elementwise
    maximum of its two halves, and so on; so does a minimum.  Those that are `reduced` by instructions are of rows of at most `longest`."""
    state = Rewriting()
    for each in computation:
        if each.opcode != "reduce" or not (state.rows(each, reduced, longest) or state.sum(each) or state.extreme(each)):
            state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


def with_outputs(computation: Computation, change: Callable[[Rewriting, str], str]) -> Computation:
    """The computation with another value for each output: the one that `change` makes of it, and whose name it returns."""
    state, root = Rewriting(dict(computation.by_name)), computation.result
    found = {name: change(state, name) for name in dict.fromkeys(computation.outputs)}
    if root.opcode != "tuple":
        return replace(computation, instructions=tuple(state.values.values()), root=found[root.name])
    state.values[root.name] = replace(state.values.pop(root.name), operands=tuple(found[name] for name in root.operands))
    return replace(computation, instructions=tuple(state.values.values()))


@dataclass(slots=True)
class Rewriting:
    """`values` are the instructions so far."""

    values: dict[str, Instruction] = field(default_factory=dict)

    def rows(self, each: Instruction, reduced: Reduced, longest: int) -> bool:
        """Adds the instructions for a reduction that instructions do; False when it is none of these."""
        source, dimensions, kind = type_of(self.values[each.operands[0]]), sorted(each.attributes["dimensions"]), each.attributes["kind"]
        if (kind, source.dtype, tuple(axis - source.rank for axis in dimensions)) in reduced and dimensions != [source.rank - 1]:
            self.values[each.name] = each
            return True
        kept = source.dims[: source.rank - len(dimensions)]
        if (kind, source.dtype, (-1,)) not in reduced or not dimensions or dimensions[0] != len(kept):
            return False
        count = math.prod(source.dims[len(kept) :])
        value = self.reshaped(each.operands[0], (*kept, count))
        if count <= longest or (kind not in EXACT and not (integral(source.dtype) and kind == "add")):
            self.values[each.name] = replace(each, operands=(value, each.operands[1]), attributes={"dimensions": (len(kept),), "kind": kind})
            return True
        total = ""
        for start in range(0, count, longest):
            part = self.part(each, value, len(kept), start, min(longest, count - start))
            first = self.add(each, "first", Shape(source.dtype), "constant", (), value=neutral(kind, source.dtype)) if total else each.operands[1]
            found = self.add(each, "row", type_of(each), "reduce", (part, first), dimensions=(len(kept),), kind=kind)
            total = self.add(each, kind, type_of(each), kind, (total, found)) if total else found
        self.values[each.name] = replace(self.values.pop(total), name=each.name)
        return True

    def sum(self, each: Instruction) -> bool:
        """Adds the instructions for a reduction; False when it is none of this kind."""
        source, dimensions = type_of(self.values[each.operands[0]]), sorted(each.attributes["dimensions"])
        last = dimensions == list(range(source.rank - len(dimensions), source.rank))
        first = dimensions == list(range(len(dimensions)))
        if each.attributes["kind"] != "add" or not integral(source.dtype) or not dimensions:
            return False
        if width(source.dtype) > 16 and self.is_wide(each.operands[0]) and math.prod(source.dims[axis] for axis in dimensions) <= MOST_TERMS:
            self.total(each, self.added(each, source, dimensions))
            return True
        if not (first or last):
            self.total(each, self.contracted(each, source, tuple(dimensions)))
            return True
        count = math.prod(source.dims[axis] for axis in dimensions)
        kept = math.prod(type_of(each).dims)
        matrix = self.reshaped(each.operands[0], (kept, count) if last else (count, kept))
        one = self.add(each, "one", Shape(source.dtype), "constant", (), value=1)
        ones = self.add(each, "ones", Shape(source.dtype, (count,)), "broadcast", (one,), dimensions=())
        operands, contracted = ((matrix, ones), (1, 0)) if last else ((ones, matrix), (0, 0))
        numbers = dict(zip(("lhs_contracting_dims", "rhs_contracting_dims"), ((axis,) for axis in contracted), strict=True))
        summed = self.add(each, "product", Shape(source.dtype, (kept,)), "dot", operands, lhs_batch_dims=(), rhs_batch_dims=(), **numbers)
        self.total(each, self.reshaped(summed, type_of(each).dims))
        return True

    def contracted(self, each: Instruction, source: Shape, dimensions: tuple[int, ...]) -> str:
        """The product with ones along any dimensions."""
        one = self.add(each, "one", Shape(source.dtype), "constant", (), value=1)
        ones = self.add(each, "ones", Shape(source.dtype, tuple(source.dims[axis] for axis in dimensions)), "broadcast", (one,), dimensions=())
        operands, contracted = (each.operands[0], ones), (dimensions, tuple(range(len(dimensions))))
        if source.rank - 1 not in dimensions:
            operands, contracted = operands[::-1], contracted[::-1]
        numbers = dict(zip(("lhs_contracting_dims", "rhs_contracting_dims"), contracted, strict=True))
        return self.add(each, "product", type_of(each), "dot", operands, lhs_batch_dims=(), rhs_batch_dims=(), **numbers)

    def is_wide(self, name: str) -> bool:
        """Whether a value is an input, or computed from anything but narrower integers, so that no product of narrow integers sums it."""
        value = self.values[name]
        if value.opcode in ("reshape", "slice", "transpose", "reverse", "broadcast"):
            return self.is_wide(value.operands[0])
        return value.opcode in ("parameter", "add", "dot")

    def added(self, each: Instruction, source: Shape, dimensions: list[int]) -> str:
        """The sum of the slices for all indices along some dimensions."""
        total = ""
        for place in product(*(range(source.dims[axis]) for axis in dimensions)):
            value = each.operands[0]
            for axis, index in zip(dimensions, place, strict=True):
                value = self.part(each, value, axis, index, 1)
            value = self.add(each, "term", type_of(each), "reshape", (value,))
            total = self.add(each, "sum", type_of(each), "add", (total, value)) if total else value
        return total

    def total(self, each: Instruction, total: str) -> None:
        """The sum with what the reduction begins with."""
        init = self.add(each, "init", type_of(each), "broadcast", (each.operands[1],), dimensions=()) if type_of(each).dims else each.operands[1]
        self.values[each.name] = Instruction(each.name, type_of(each), "add", (total, init), {}, each.line)

    def extreme(self, each: Instruction) -> bool:
        """Adds the instructions for a maximum or minimum; False when it is none.  The halves of an odd number of elements have one in common,
        which changes nothing."""
        value, source, kind = each.operands[0], type_of(self.values[each.operands[0]]), each.attributes["kind"]
        if kind not in ("maximum", "minimum"):
            return False
        dims = list(source.dims)
        for axis in each.attributes["dimensions"]:
            while dims[axis] > 1:
                size, half = dims[axis], (dims[axis] + 1) // 2
                dims[axis] = half
                parts = tuple(self.part(each, value, axis, start, half) for start in (0, size - half))
                value = self.add(each, "extreme", Shape(source.dtype, tuple(dims)), kind, parts)
        value = self.add(each, "kept", type_of(each), "reshape", (value,))
        init = self.add(each, "init", type_of(each), "broadcast", (each.operands[1],), dimensions=()) if type_of(each).dims else each.operands[1]
        self.values[each.name] = Instruction(each.name, type_of(each), kind, (value, init), {}, each.line)
        return True

    def part(self, each: Instruction, value: str, axis: int, start: int, size: int) -> str:
        """Some elements along one dimension."""
        dims = type_of(self.values[value]).dims
        starts = tuple(start if which == axis else 0 for which in range(len(dims)))
        limits = tuple(start + size if which == axis else extent for which, extent in enumerate(dims))
        shape = Shape(type_of(self.values[value]).dtype, tuple(high - low for low, high in zip(starts, limits, strict=True)))
        return self.add(each, "part", shape, "slice", (value,), limit=limits, start=starts, stride=(1,) * len(dims))

    def add(self, source: Instruction, suffix: str, shape: Shape, opcode: str, operands: tuple[str, ...], **attributes) -> str:
        """A new instruction, named after the one it is made for."""
        name = f"{source.name}.{suffix}"
        while name in self.values:
            name += "_"
        self.values[name] = Instruction(name, shape, opcode, operands, attributes, source.line)
        return name

    def reshaped(self, name: str, dims: tuple[int, ...]) -> str:
        """A reshape, which goes through pointwise operators to what they compute from."""
        value = self.values[name]
        if type_of(value).dims == dims:
            return name
        shape = Shape(type_of(value).dtype, dims)
        if value.opcode in POINTWISE:
            operands = tuple(self.reshaped(operand, dims) for operand in value.operands)
            return self.add(value, "reshaped", shape, value.opcode, operands, **value.attributes)
        return self.add(value, "reshaped", shape, "reshape", (name,))
