"""Regions of a reduction over the last dimension -> reductions of matrices, of at most as many rows as a tile has.

Before --> after:  `reduce(x: f32[2,3,8]), dimensions={2}` --> for each tile of rows `reduce(matrix: f32[rows,8]), dimensions={1}`
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from act.backend.analysis import type_of
from act.backend.pieces import Region, sizes
from act.hlo.model import Instruction, Shape

if TYPE_CHECKING:
    from act.backend.lower import Lowering


def rows_reduced(lowering: Lowering, value: Instruction, region: Region) -> int | None:
    """The class of a region of a reduction of rows that fit in a tile; None where it is of anything else."""
    source, graph = type_of(lowering.values[value.operands[0]]), lowering.graph
    if value.attributes["dimensions"] != (source.rank - 1,) or source.dims[-1] > lowering.tiles.columns:
        return None
    dims, dtype = sizes(region), type_of(value).dtype
    count, axis = math.prod(dims), max(range(len(dims)), key=lambda which: dims[which], default=0)
    if count > min(lowering.tiles.rows, dims[axis] if dims else 1):
        first, size = region[axis]
        step = lowering.tiles.rows if count == size else 1
        cuts = [(start, min(step, size - start)) for start in range(0, size, step)]
        parts = [lowering.tensor(value.name, (*region[:axis], (first + start, length), *region[axis + 1 :])) for start, length in cuts]
        starts = tuple(tuple(start if which == axis else 0 for which in range(len(dims))) for start, _ in cuts)
        return graph.make("assemble", (("starts", starts),), Shape(dtype, dims), parts)
    needed = (*region, (0, source.dims[-1]))
    matrix = lowering.reshape(lowering.tensor(value.operands[0], needed), (count, source.dims[-1]))
    key = (("dimensions", (1,)), ("kind", value.attributes["kind"]))
    found = graph.make("reduce", key, Shape(dtype, (count,)), [matrix, lowering.tensor(value.operands[1], ())])
    return lowering.reshape(found, dims)
