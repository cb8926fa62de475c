"""A transposed value that is computed -> its tiles, each computed transposed: a product in the other order of its transposed operands.

Before --> after:  `transpose(dot(x, w))` --> `dot(transpose(w), transpose(x))`, tile by tile
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from act.backend.analysis import integral, type_of
from act.backend.dots import PLAIN_DOT, blocks, several
from act.backend.pieces import Region, matrix_dims, sizes
from act.hlo.model import Instruction, Shape
from act.hlo.opcodes import ELEMENTWISE
from act.records import dataclass

if TYPE_CHECKING:
    from act.backend.lower import Lowering


def turned_whole(lowering: Lowering, value: Instruction) -> int | None:
    """The class of a whole transpose, made of transposed tiles; None where its last dimension is not the last but one of its operand, or
    where it has no product of integers."""
    operand, order = lowering.values[value.operands[0]], value.attributes["dimensions"]
    shape = type_of(operand)
    if shape.rank < 2 or order[-1] != shape.rank - 2 or not _has_product(lowering, operand.name):
        return None
    turning, steps = Turning(lowering), (*[1] * (shape.rank - 2), lowering.tiles.columns, lowering.tiles.rows)
    cuts = [[(start, min(step, extent - start)) for start in range(0, extent, step)] for extent, step in zip(shape.dims, steps, strict=True)]
    pieces = [tuple(piece) for piece in product(*cuts)]
    parts = []
    for piece in pieces:
        number = turning.matrix(operand.name, piece)
        if number is None:
            return None
        parts.append(lowering.reshape(number, tuple(sizes(piece)[axis] for axis in order)))
    if len(parts) == 1:
        return parts[0]
    starts = tuple(tuple(piece[axis][0] for axis in order) for piece in pieces)
    return lowering.graph.make("assemble", (("starts", starts),), type_of(value), parts)


def _has_product(lowering: Lowering, name: str) -> bool:
    value = lowering.values[name]
    if value.opcode == "dot":
        return integral(type_of(value).dtype)
    return value.opcode in ELEMENTWISE and any(_has_product(lowering, operand) for operand in value.operands)


@dataclass(frozen=True, slots=True)
class Turning:
    """Asks `lowering` for what is not computed."""

    lowering: Lowering

    def matrix(self, name: str, region: Region) -> int | None:
        """The class of the transpose of a region, a matrix; None where it is not one product, or no matrix."""
        value = self.lowering.values[name]
        if math.prod(sizes(region)[:-2]) != 1:
            return None
        if value.opcode == "dot":
            return self._dot(value, region)
        if value.opcode in ELEMENTWISE:
            return self._computed(value, region)
        found = self.lowering.matrix(name, region)
        shape = self.lowering.graph.shape(found)
        return self.lowering.graph.make("transpose", (("dimensions", (1, 0)),), Shape(shape.dtype, shape.dims[::-1]), [found])

    def _computed(self, value: Instruction, region: Region) -> int | None:
        shape, graph = Shape(type_of(value).dtype, matrix_dims(sizes(region))[::-1]), self.lowering.graph
        if value.opcode == "add" and integral(shape.dtype):
            terms = [term for operand in value.operands for term in self._terms(operand, region)]
            return None if None in terms else graph.make("sum", (), shape, [term for term in terms if term is not None])
        operands = [self._operand(operand, region) for operand in value.operands]
        return None if None in operands else graph.make(value.opcode, value.key, shape, [each for each in operands if each is not None])

    def _terms(self, name: str, region: Region) -> Iterator[int | None]:
        value = self.lowering.values[name]
        if value.opcode == "add":
            for operand in value.operands:
                yield from self._terms(operand, region)
            return
        number = self._operand(name, region)
        sums = self.lowering.graph.sums(number) if number is not None and value.opcode == "dot" else []
        yield from sums[0] if sums else [number]

    def _operand(self, name: str, region: Region) -> int | None:
        scalar = not type_of(self.lowering.values[name]).dims
        return self.lowering.tensor(name, ()) if scalar else self.matrix(name, region)

    def _dot(self, value: Instruction, region: Region) -> int | None:
        """The same blocks, each with its operands in the other order."""
        left, right = (self.lowering.values[operand] for operand in value.operands)
        numbers, shapes = value.attributes, (type_of(left), type_of(right))
        if not numbers["lhs_contracting_dims"] or several(numbers, *shapes, region) is not None:
            return None
        dims, pairs = blocks(numbers, *shapes, region, self.lowering.tiles.depth)
        shape, graph = Shape(type_of(value).dtype, dims[::-1]), self.lowering.graph
        terms = [graph.make("dot", PLAIN_DOT, shape, [self.lowering.side(right, b, True), self.lowering.side(left, a, True)]) for a, b in pairs]
        found = terms[0] if len(terms) == 1 else graph.make("sum", (), shape, terms)
        return self.lowering.reshape(found, matrix_dims(sizes(region))[::-1])
