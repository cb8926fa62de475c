"""Where XLA places the elements of a tensor, and `bitcast`, the one operator whose value depends on it.

Before --> after:  `f32[3,2]{0,1} bitcast(f32[2,3]{1,0} x)` --> `transpose(x)`:  the operand in the order of its places, as the dimensions
of the result in the order of theirs, is put back in logical order.
"""

from __future__ import annotations

from collections.abc import Iterator

from act.hlo.dtypes import width
from act.hlo.model import Instruction, Shape
from act.records import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """`order`: the dimensions from the one whose elements are farthest apart to the one whose elements are neighbours; empty for row-major.
    `tiles`: what the text says of tiles and memory spaces, such as `T(8,128)`."""

    order: tuple[int, ...] = ()
    tiles: str = ""

    def of(self, rank: int) -> tuple[int, ...]:
        return self.order or tuple(range(rank))


class LayoutError(Exception):
    """Why a bitcast has no meaning here, without a location."""


def explicit_bitcast(name: str, source: tuple[str, Shape, Layout], shape: Shape, layout: Layout, line: int) -> list[Instruction]:
    """Instructions of which the last is called `name` and is `shape bitcast(source)`; `source` is a name, its shape and its layout."""
    operand, given, placed = source
    if placed.tiles != layout.tiles and "T(" in placed.tiles + layout.tiles:
        raise LayoutError(f"a bitcast between the layouts {placed.tiles or 'row-major'} and {layout.tiles or 'row-major'}, whose tiles differ")
    if "T(" in layout.tiles and (given.dims, placed.of(given.rank)) != (shape.dims, layout.of(shape.rank)):
        raise LayoutError("a bitcast of a tiled tensor to other dimensions")
    if width(given.dtype) != width(shape.dtype):
        raise LayoutError(f"a bitcast from {given.dtype} to {shape.dtype}, of another width")
    steps = list(_steps(given, placed, shape, layout)) or [("copy", shape, {})]
    names = [f"{name}.step{number}" for number in range(1, len(steps))] + [name]
    rows = zip(names, [operand, *names], steps, strict=False)
    return [Instruction(each, result, opcode, (before,), attributes, line) for each, before, (opcode, result, attributes) in rows]


def _steps(given: Shape, placed: Layout, shape: Shape, layout: Layout) -> Iterator[tuple[str, Shape, dict[str, tuple[int, ...]]]]:
    inner, outer = placed.of(given.rank), layout.of(shape.rank)
    current = given
    if current.dtype != shape.dtype:
        current = Shape(shape.dtype, current.dims)
        yield "bitcast-convert", current, {}
    if inner != tuple(range(given.rank)):
        current = Shape(shape.dtype, tuple(given.dims[axis] for axis in inner))
        yield "transpose", current, {"dimensions": inner}
    physical = tuple(shape.dims[axis] for axis in outer)
    if current.dims != physical:
        current = Shape(shape.dtype, physical)
        yield "reshape", current, {}
    if outer != tuple(range(shape.rank)):
        yield "transpose", shape, {"dimensions": tuple(outer.index(axis) for axis in range(shape.rank))}
