"""Outputs of wide integers, for machines that give out bytes only -> the bytes of each integer, next to each other.

Before --> after:  `d = s32[m,16]` --> `bitcast-convert(reshape(sum of dot(convert<s8>(d >> 8 * b), E[b])))` for its bytes b, where E[b] puts
column e at 4 * e + b of 64 columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from act.backend.analysis import integral, type_of
from act.backend.reductions import Rewriting, with_outputs
from act.generator.model import InHost, Selector, Tiles
from act.hlo.dtypes import width
from act.hlo.model import Computation, Instruction, Shape

BYTE = "s8"
LARGEST = 64
"""Columns that are spread by one product, at most."""


def gives_bytes_only(selectors: Sequence[Selector]) -> bool:
    stored = {each.result.dtype for each in selectors if isinstance(each.result.access, InHost) and each.narrow is None}
    return BYTE in stored and all(integral(dtype) and width(dtype) == 8 for dtype in stored)


def wide_results_as_bytes(computation: Computation, tiles: Tiles) -> Computation:
    """Every output of 16 or 32 bits whose rows are whole tiles is made of its bytes."""
    return with_outputs(computation, lambda state, name: _as_bytes(state, state.values[name], min(tiles.columns, LARGEST)))


def _as_bytes(state: Rewriting, each: Instruction, block: int) -> str:
    shape = type_of(each)
    count = width(shape.dtype) // 8 if integral(shape.dtype) else 1
    if count not in (2, 4) or not shape.dims or shape.dims[-1] % block or each.opcode in ("parameter", "constant"):
        return each.name
    planes = [_plane(state, each, byte) for byte in range(count)]
    matrices = [_spread(state, each, block, count, byte) for byte in range(count)]
    pieces = [_joined(state, each, planes, matrices, start, block) for start in range(0, shape.dims[-1], block)]
    wide = Shape(BYTE, (*shape.dims[:-1], shape.dims[-1] * count))
    joined = pieces[0] if len(pieces) == 1 else state.add(each, "bytes", wide, "concatenate", tuple(pieces), dimension=shape.rank - 1)
    apart = state.add(each, "apart", Shape(BYTE, (*shape.dims, count)), "reshape", (joined,))
    return state.add(each, "whole", shape, "bitcast-convert", (apart,))


def _plane(state: Rewriting, each: Instruction, byte: int) -> str:
    """One byte of every element."""
    shape, name = type_of(each), each.name
    if byte:
        by = state.add(each, "by", Shape(shape.dtype), "constant", (), value=8 * byte)
        by = state.add(each, "by", shape, "broadcast", (by,), dimensions=())
        name = state.add(each, "shifted", shape, "shift-right-arithmetic", (name, by))
    return state.add(each, "byte", Shape(BYTE, shape.dims), "convert", (name,))


def _spread(state: Rewriting, each: Instruction, block: int, count: int, byte: int) -> str:
    rows = tuple(tuple(int(column == count * row + byte) for column in range(count * block)) for row in range(block))
    return state.add(each, "spread", Shape(BYTE, (block, count * block)), "constant", (), value=rows)


def _joined(state: Rewriting, each: Instruction, planes: Sequence[str], matrices: Sequence[str], start: int, block: int) -> str:
    """The bytes of some columns."""
    shape = type_of(each)
    count = len(planes)
    part, wide = Shape(BYTE, (*shape.dims[:-1], block)), Shape(BYTE, (*shape.dims[:-1], block * count))
    numbers = {"lhs_contracting_dims": (shape.rank - 1,), "rhs_contracting_dims": (0,), "lhs_batch_dims": (), "rhs_batch_dims": ()}
    total = ""
    for plane, matrix in zip(planes, matrices, strict=True):
        if shape.dims[-1] > block:
            starts = tuple(start if axis == shape.rank - 1 else 0 for axis in range(shape.rank))
            limits = tuple(first + size for first, size in zip(starts, part.dims, strict=True))
            plane = state.add(each, "part", part, "slice", (plane,), start=starts, limit=limits, stride=(1,) * shape.rank)
        product = state.add(each, "product", wide, "dot", (plane, matrix), **numbers)
        total = product if not total else state.add(each, "sum", wide, "add", (total, product))
    return total
