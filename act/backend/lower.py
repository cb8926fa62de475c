"""A flat HLO computation -> an e-graph of tile-sized operators.

Every output is cut into tiles; each operator is asked for the region that is needed of it and asks its operands in turn, so that slices
arrive at the inputs and a dot becomes, in one step, sums of dots of tiles.  Regions asked for twice are one e-class.  Operators compute
on matrices: a region of any rank is [rows, columns], its last two dimensions, of which all others are 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import product
from typing import NoReturn

from act.backend.analysis import integral, type_of
from act.backend.dots import PLAIN_DOT, Tile, blocks, mirrored, several
from act.backend.egraph import EGraph
from act.backend.joined import concatenation, padding, repeated
from act.backend.pieces import Region, before_reshape, is_column, matrix_axes, matrix_dims, sizes, slice_of, whole
from act.backend.reduced import rows_reduced
from act.backend.turned import turned_whole
from act.errors import UserError
from act.generator.model import Tiles
from act.hlo.dtypes import is_float
from act.hlo.literals import flat
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.opcodes import ELEMENTWISE
from act.records import dataclass, field

TILED = "broadcast, concatenate, dot, pad, reduce, reshape, reverse, slice, transpose"


@dataclass(slots=True)
class Lowering:
    """Adds regions of the values of `computation` to `graph`; `dtypes` are those of the instructions."""

    computation: Computation
    graph: EGraph
    tiles: Tiles
    filename: str
    budget: int
    dtypes: Collection[str]
    values: dict[str, Instruction] = field(default_factory=dict)
    _done: dict[tuple[str, Region, bool], int] = field(default_factory=dict)
    _uses: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.values = self.computation.by_name
        self._uses = Counter(operand for each in self.computation for operand in each.operands)

    def output(self, name: str) -> int:
        """The class of a whole value, made of tiles."""
        shape = type_of(self.values[name])
        if 0 in shape.dims:
            self._refuse(self.values[name], "has no elements", "give every dimension at least one")
        return self._whole(name)

    def _whole(self, name: str) -> int:
        """The class of a whole value; what only re-interprets a computed value is that value in its own tiles."""
        value = self.values[name]
        if value.opcode in ("reshape", "transpose", "bitcast-convert") and not self._is_input(name):
            found = self.graph.make(value.opcode, value.key, type_of(value), [self._whole(value.operands[0])])
            turned = turned_whole(self, value) if value.opcode == "transpose" else None
            if turned is not None:
                self.graph.union(found, turned)
            return found
        return self._assembled(name, whole(type_of(value)))

    def parameter(self, name: str) -> int:
        """The class of a whole input."""
        return self.graph.make("parameter", self.values[name].key, type_of(self.values[name]), [])

    def _assembled(self, name: str, region: Region) -> int:
        """The class of a region of any size, of the rank of the value."""
        pieces = list(self._pieces(region))
        shape = Shape(type_of(self.values[name]).dtype, sizes(region))
        if len(pieces) == 1:
            return self._tile_as_tensor(name, region)
        starts = tuple(tuple(piece[axis][0] - start for axis, (start, _) in enumerate(region)) for piece in pieces)
        return self.graph.make("assemble", (("starts", starts),), shape, [self._tile_as_tensor(name, piece) for piece in pieces])

    def _tile_as_tensor(self, name: str, region: Region) -> int:
        """A tile with the rank of the value, known to be a matrix re-interpreted, since instructions work on matrices."""
        return self.reshape(self.matrix(name, region), sizes(region))

    def _pieces(self, region: Region):
        steps = (*[1] * max(0, len(region) - 2), self.tiles.rows, self.tiles.columns)[-len(region) :] if region else ()
        if len(region) == 1:
            steps = (self.tiles.columns,)
        cuts = [[(start + offset, min(step, size - offset)) for offset in range(0, size, step)] for (start, size), step in zip(region, steps, strict=True)]
        return product(*cuts)

    def matrix(self, name: str, region: Region) -> int:
        """The class of a region as a matrix, see above."""
        return self._once(name, region, True)

    def tensor(self, name: str, region: Region) -> int:
        """The class of a region with the rank of the value."""
        return self._once(name, region, False)

    def _once(self, name: str, region: Region, as_matrix: bool) -> int:
        key = (name, region, as_matrix)
        if key not in self._done:
            if len(self._done) >= self.budget:
                reason = f"makes a kernel of more tiles than a budget of {self.budget} steps allows"
                self._refuse(self.values[name], reason, "give a larger --budget, or a smaller kernel")
            self._done[key] = self._make(name, region, as_matrix)
        return self._done[key]

    def _make(self, name: str, region: Region, as_matrix: bool) -> int:
        """Inputs and moved data come in the rank of the value, computed data as matrices; the other is a reshape."""
        value = self.values[name]
        if value.opcode in ELEMENTWISE or value.opcode == "dot":
            if as_matrix:
                return self._computed(value, region)
            return self.reshape(self.matrix(name, region), sizes(region))
        if as_matrix:
            return self.reshape(self.tensor(name, region), matrix_dims(sizes(region)))
        return self._moved(value, region)

    def reshape(self, number: int, dims: tuple[int, ...]) -> int:
        return self.graph.make("reshape", (), Shape(self.graph.shape(number).dtype, dims), [number])

    def _computed(self, value: Instruction, region: Region) -> int:
        if len(region) > 2 and matrix_axes(sizes(region)) is None:
            self._refuse(value, f"is needed as a tensor of rank {len(region)} at once", "reshape it to a matrix, or use it matrix by matrix")
        if value.opcode == "dot":
            return self._dot(value, region)
        dims = matrix_dims(sizes(region))
        if value.opcode == "add" and integral(type_of(value).dtype):
            return self.graph.make("sum", (), Shape(type_of(value).dtype, dims), list(self._terms(value, region, dims)))
        operands = [self._elementwise_operand(operand, region, dims) for operand in value.operands]
        return self.graph.make(value.opcode, value.key, Shape(type_of(value).dtype, dims), operands)

    def _terms(self, value: Instruction, region: Region, dims: tuple[int, int]) -> Iterator[int]:
        """The terms of a sum; of one that has no other use only its terms are of interest."""
        for name in value.operands:
            operand = self.values[name]
            if self._uses[name] == 1 and operand.opcode == "add":
                yield from self._terms(operand, region, dims)
            elif self._uses[name] == 1 and operand.opcode == "dot":
                number = self.matrix(name, region)
                yield from next(iter(self.graph.sums(number)), [number])
            else:
                yield self._elementwise_operand(name, region, dims)

    def _elementwise_operand(self, name: str, region: Region, dims: tuple[int, int]) -> int:
        """Scalars among matrices (bounds of a clamp, a predicate) stay scalars."""
        scalar = not type_of(self.values[name]).dims and bool(region)
        return self.tensor(name, ()) if scalar else self.matrix(name, region)

    def _moved(self, value: Instruction, region: Region) -> int:
        shape = Shape(type_of(value).dtype, sizes(region))
        match value.opcode:
            case "parameter":
                return self._slice(self.parameter(value.name), region)
            case "constant":
                return self._constant(value, region)
            case "broadcast":
                return repeated(self, value, region)
            case "transpose":
                order = value.attributes["dimensions"]
                source = tuple(region[order.index(axis)] for axis in range(len(order)))
                return self.graph.make("transpose", value.key, shape, [self.needed(value.operands[0], source)])
            case "slice" if all(step == 1 for step in value.attributes["stride"]):
                source = tuple((start + offset, size) for offset, (start, size) in zip(value.attributes["start"], region, strict=True))
                return self.needed(value.operands[0], source)
            case "reshape":
                return self._reshaped(value, region)
            case "concatenate":
                return concatenation(self, value, region)
            case "pad" if not any(value.attributes["interior"]):
                return padding(self, value, region)
            case "reduce":
                return self._reduced(value, region)
            case "reverse":
                return self.graph.make("reverse", value.key, shape, [self.needed(value.operands[0], mirrored(value.attributes, type_of(value), region))])
            case "slice":
                source = self.needed(value.operands[0], whole(type_of(self.values[value.operands[0]])))
                return self._slice(self.graph.make(value.opcode, value.key, type_of(value), [source]), region)
        if value.opcode.startswith("dynamic-"):
            advice = "give constant places, or let the host cut out, or put in place, what moves"
            self._refuse(value, "is at a place that the kernel computes, while addresses are fixed when it is compiled", advice)
        if value.opcode == "reduce-window" and is_float(type_of(value).dtype):
            self._refuse(value, "sums floats over windows, which no instruction does; float sums are not reordered", "add slices in the order that is meant")
        self._refuse(value, "cannot be cut into tiles", f"rewrite it with operators that can: {TILED}, or those that compute element by element")

    def needed(self, name: str, region: Region) -> int:
        """A region that need not be a tile: of an input a slice, of anything else as many tiles as it takes."""
        return self.tensor(name, region) if self._is_input(name) else self._assembled(name, region)

    def _is_input(self, name: str) -> bool:
        value = self.values[name]
        moves = ("reshape", "slice", "transpose", "broadcast", "reverse")
        return value.opcode in ("parameter", "constant") or (value.opcode in moves and self._is_input(value.operands[0]))

    def _reshaped(self, value: Instruction, region: Region) -> int:
        """Where only dimensions of size 1 come and go, or a region of an input is one region, that is needed; otherwise the whole operand."""
        operand = self.values[value.operands[0]]
        same = [size for size in type_of(operand).dims if size != 1] == [size for size in type_of(value).dims if size != 1]
        source = before_reshape(region, type_of(value).dims, type_of(operand).dims) if same or self._is_input(operand.name) else None
        if source is not None:
            return self.reshape(self.needed(operand.name, source), sizes(region))
        whole_operand = self.tensor(operand.name, whole(type_of(operand))) if self._is_input(operand.name) else self._whole(operand.name)
        return self._slice(self.reshape(whole_operand, type_of(value).dims), region)

    def _reduced(self, value: Instruction, region: Region) -> int:
        """A reduction of rows; or one whose operand is one tile: longer ones are not split."""
        found = rows_reduced(self, value, region)
        if found is not None:
            return found
        source, rest = type_of(self.values[value.operands[0]]), iter(region)
        needed = tuple((0, size) if axis in value.attributes["dimensions"] else next(rest) for axis, size in enumerate(source.dims))
        if any(size > most for (_, size), most in zip(needed[-2:], (self.tiles.rows, self.tiles.columns)[-len(needed) :], strict=True)):
            advice = f"reduce it in steps of {self.tiles.rows} by {self.tiles.columns} elements at most"
            summed = "; float sums are not reordered" if is_float(source.dtype) else ""
            self._refuse(value, f"reduces {source}, which is more than a tile{summed}", advice)
        operands = [self.tensor(value.operands[0], needed), self.tensor(value.operands[1], ())]
        return self.graph.make("reduce", value.key, Shape(type_of(value).dtype, sizes(region)), operands)

    def _slice(self, number: int, region: Region) -> int:
        shape = self.graph.shape(number)
        if region == whole(shape):
            return number
        return self.graph.make("slice", slice_of(region), Shape(shape.dtype, sizes(region)), [number])

    def _constant(self, value: Instruction, region: Region) -> int:
        data, shape = value.attributes["value"], type_of(value)
        first = next(iter(flat(data)))
        if is_float(shape.dtype) and any(each != each or (each == 0 and str(each)[0] == "-") for each in flat(data)):
            self._refuse(value, "is a NaN or a negative zero", "give other values, or make it an input")
        if all(each == first for each in flat(data)):
            return self.graph.constant(first, Shape(shape.dtype, sizes(region)))
        return self._slice(self.graph.make("constant", (("value", data),), shape, []), region)

    def _dot(self, value: Instruction, region: Region) -> int:
        """The sum over blocks of the contracted dimension of dots of tiles."""
        left, right = (self.values[operand] for operand in value.operands)
        apart = several(value.attributes, type_of(left), type_of(right), region)
        if apart is not None:
            return self._rows(value, region, apart)
        dims, pairs = blocks(value.attributes, type_of(left), type_of(right), region, self.tiles.depth)
        shape = Shape(type_of(value).dtype, dims)
        terms = [self.graph.make("dot", PLAIN_DOT, shape, [self.side(left, a), self.side(right, b)]) for a, b in pairs]
        if len(terms) > 1 and is_float(type_of(value).dtype):
            advice = f"contract {self.tiles.depth} elements at most in each dot, and add the results in the order that is meant"
            self._refuse(value, "sums more floats than one instruction does; float sums are not reordered", advice)
        product = terms[0] if len(terms) == 1 else self.graph.make("sum", (), shape, terms)
        return self.reshape(product, matrix_dims(sizes(region)))

    def _rows(self, value: Instruction, region: Region, apart: int) -> int:
        """A region of a batch dimension, or of two free dimensions of one operand: row by row, or column by column, of its matrix."""
        first, size = region[apart]
        dims = matrix_dims(sizes(region))
        column = is_column(apart, sizes(region))
        part = (dims[0], 1) if column else (1, dims[1])
        regions = ((*region[:apart], (first + place, 1), *region[apart + 1 :]) for place in range(size))
        parts = [self.reshape(self.matrix(value.name, each), part) for each in regions]
        starts = tuple((0, place) if column else (place, 0) for place in range(size))
        return self.graph.make("assemble", (("starts", starts),), Shape(type_of(value).dtype, dims), parts)

    def side(self, operand: Instruction, tile: Tile, turned: bool = False) -> int:
        """The matrix that is a tile of an operand, or its transpose."""
        matrix = self.reshape(self._tile(operand.name, tile.region), tile.stored)
        if tile.transposed == turned:
            return matrix
        return self.graph.make("transpose", (("dimensions", (1, 0)),), Shape(type_of(operand).dtype, tile.stored[::-1]), [matrix])

    def _tile(self, name: str, region: Region) -> int:
        """A region whose dimensions other than two may be anywhere."""
        value = self.values[name]
        if value.opcode in ELEMENTWISE or value.opcode == "dot":
            if len(region) > 2 and matrix_axes(sizes(region)) is None:
                return self._slice(self.needed(name, whole(type_of(value))), region)
            rows, columns = matrix_dims(sizes(region))
            return self.matrix(name, region) if rows <= self.tiles.rows and columns <= self.tiles.columns else self._assembled(name, region)
        return self.tensor(name, region)

    def _refuse(self, value: Instruction, reason: str, advice: str) -> NoReturn:
        if type_of(value).dtype not in self.dtypes:
            reason = f"is of a type that no instruction has: the instructions are for {', '.join(self.dtypes)}"
            advice = "compute in one of these types, as quantised models do" if is_float(type_of(value).dtype) else "compute in one of these types"
        raise UserError(f"{self.filename}:{value.line}", f"{value.opcode} '{value.name}' of {type_of(value)} {reason}", advice)
