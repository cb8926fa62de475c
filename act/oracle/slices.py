"""A slice of a buffer -> the places of its elements, as offsets plus a grid that is computed once for each choice of the computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from act.records import dataclass
from act.taidl.compiled import Function, compiled
from act.taidl.expr import ExprError, evaluate, names, substitute
from act.taidl.expr_text import print_expr
from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Slice, Unary
from act.taidl.simplify import from_polynomial, polynomial, simplify

Indices = NDArray[np.int64]

_VECTOR: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.floor_divide,
    "%": np.mod,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "min": np.minimum,
    "max": np.maximum,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
}


Memory = Mapping[str, NDArray[Any]]


def evaluate_grid(expr: Expr, values: Mapping[str, Any], memory: Memory | None = None) -> Any:
    """`evaluate` for names whose values are int64 arrays; look-ups find the contents of buffers in `memory`."""
    match expr:
        case Int(value):
            return np.int64(value)
        case Name(name):
            return values[name]
        case Unary("-", operand):
            return -evaluate_grid(operand, values, memory)
        case Unary(_, operand):
            return (evaluate_grid(operand, values, memory) == 0).astype(np.int64)
        case Lookup(buffer, indices):
            return _looked_up(expr, buffer, [evaluate_grid(index, values, memory) for index in indices], memory or {})
        case Binary(op, left, right):
            a, b = evaluate_grid(left, values, memory), evaluate_grid(right, values, memory)
            if op in ("/", "%") and np.any(b == 0):
                raise ExprError("division by zero")
            if op in ("<<", ">>") and np.any((b < 0) | (b > 62)):
                raise ExprError("shift out of range")
            return np.asarray(_VECTOR[op](a, b)).astype(np.int64)
        case Choice(condition, then, otherwise):
            chosen = evaluate_grid(condition, values, memory) != 0
            return np.where(chosen, evaluate_grid(then, values, memory), evaluate_grid(otherwise, values, memory))


class SliceError(Exception):
    """An element outside of its buffer, or one that is written twice; the message says where."""


def _looked_up(expr: Expr, buffer: str, indices: list[Any], memory: Memory) -> Any:
    contents = memory[buffer]
    for index, size in zip(indices, contents.shape, strict=True):
        if np.any((index < 0) | (index >= size)):
            raise SliceError(f"the look-up {print_expr(expr)} reaches from {np.min(index)} to {np.max(index)}, of 0 to {size - 1}")
    return contents[tuple(np.broadcast_arrays(*indices))].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Axis:
    """One coordinate: `offset` (over addresses) + `grid` (over index variables), from `low` to `high`, within 0 .. size - 1."""

    text: str
    offset: Function
    grid: Indices
    low: int
    high: int
    size: int
    stride: int


@dataclass(frozen=True, slots=True)
class Places:
    """A slice with its computation chosen: `dims`, one `Axis` per coordinate, and the sum of the grids as indices of the flat buffer."""

    buffer: str
    dims: tuple[int, ...]
    axes: tuple[Axis, ...]
    flat: Indices
    last: int

    def check_injective(self) -> None:
        """`SliceError` when two elements of the tensor have one place: which of them a write would leave there is not defined."""
        if np.unique(self.flat).size < self.flat.size:
            text = ", ".join(axis.text for axis in self.axes)
            raise SliceError(f"{self.buffer}[{text}] has one element twice, and what would be written to it is not defined")

    def at(self, values: Mapping[str, int]) -> Indices:
        """Indices into the flat buffer, of shape `dims`, for these addresses; `SliceError` outside of the buffer."""
        return self.flat + self.first(values)

    def first(self, values: Mapping[str, int]) -> int:
        """What these addresses add to the indices `flat`, of which `last` is the greatest; `SliceError` outside of the buffer."""
        total = 0
        for axis in self.axes:
            offset = axis.offset(values)
            if self.flat.size and not 0 <= offset + axis.low <= offset + axis.high < axis.size:
                raise SliceError(f"{self.buffer}[{axis.text}] reaches from {offset + axis.low} to {offset + axis.high}, of 0 to {axis.size - 1}")
            total += offset * axis.stride
        return total


def places(piece: Slice, sizes: tuple[int, ...], chosen: Mapping[str, int], addresses: frozenset[str], memory: Memory | None = None) -> Places | None:
    """The places of `piece` in a buffer of `sizes` when the names in `chosen` have these values, and buffers the contents in `memory`.

    None when an address and an index variable are not just added: then `chosen` must hold the addresses as well.
    """
    known: dict[str, Expr] = {name: Int(value) for name, value in chosen.items()}
    dims = tuple(max(0, evaluate(index.extent, chosen)) for index in piece.indices)
    ranges = {index.name: _range(position, dims) for position, index in enumerate(piece.indices)}
    strides = [int(np.prod(sizes[axis + 1 :], dtype=np.int64)) for axis in range(len(sizes))]
    axes = []
    for coordinate, size, stride in zip(piece.coordinates, sizes, strides, strict=True):
        split = _split(simplify(substitute(coordinate, known)), addresses)
        if split is None:
            return None
        grid = np.broadcast_to(evaluate_grid(split[1], ranges, memory), dims)
        low, high = (int(grid.min()), int(grid.max())) if grid.size else (0, 0)
        axes.append(Axis(print_expr(coordinate), compiled(split[0]), grid, low, high, size, stride))
    flat = sum((axis.grid * axis.stride for axis in axes), np.zeros(dims, dtype=np.int64))
    return Places(piece.buffer, dims, tuple(axes), flat, int(flat.max()) if flat.size else 0)


def _range(position: int, dims: tuple[int, ...]) -> Indices:
    shape = [1] * len(dims)
    shape[position] = dims[position]
    return np.arange(dims[position], dtype=np.int64).reshape(shape)


def _split(coordinate: Expr, addresses: frozenset[str]) -> tuple[Expr, Expr] | None:
    offset, grid = {}, {}
    for factors, coefficient in polynomial(coordinate).items():
        used = frozenset().union(*map(names, factors))
        if used & addresses and used - addresses:
            return None
        (offset if used & addresses else grid)[factors] = coefficient
    return from_polynomial(offset), from_polynomial(grid)
