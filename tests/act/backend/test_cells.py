"""The runs of a slice are the cells that its coordinates name, one by one and in order."""

from itertools import product

import pytest

from act.backend.cells import Cells, OutOfBounds, distinct, joined
from act.taidl import parse
from act.taidl.expr import evaluate

SLICES = [
    ("spad[row + i][j : i < m, j < n]", "m, n | row"),
    ("spad[row + i + j / 4 * step][j % 4 : i < m, j < n]", "m, n, step | row"),
    ("spad[row + j][i : i < n, j < m]", "m, n | row"),
    ("spad[(row + i) % 8][3 - j : i < m, j < n]", "m, n | row"),
    ("spad[row - i * j + 6][j : i < m, j < n]", "m, n | row"),
    ("spad[row + (0 if i == 1 else 2)][n - 1 : i < m]", "m, n | row"),
    ("mem[row + i * step + 4 * j + k : i < m, j < n, k < 4]", "m, n, step | row"),
    ("mem[row + i + j + k : i < m, j < n, k < 2]", "m, n | row"),
    ("mem[row : i < m]", "m, n | row"),
    ("mem[row + 5]", "m, n | row"),
]


def slice_of(text: str, attributes: str):
    spec = f"""taidl 1
accelerator a

hbm    mem  : u8[256]
buffer spad : s8[8][4]

instruction f({attributes})
  clobber {text}
"""
    accelerator = parse(spec)
    (piece,) = accelerator.instructions["f"].clobbers
    buffer = accelerator.buffers[piece.buffer]
    return piece, buffer.access + buffer.unit


@pytest.mark.parametrize(("text", "attributes"), SLICES)
def test_equal_to_one_evaluation_for_every_cell(text, attributes):
    piece, sizes = slice_of(text, attributes)
    cells = Cells(piece, sizes)
    inside = 0
    for row, m, n, step in product((0, 3, 5), (1, 2, 4), (1, 2, 3, 7), (1, 4, 11)):
        values = {"row": row, "m": m, "n": n, "step": step}
        extents = [range(evaluate(index.extent, values)) for index in piece.indices]
        named = [{**values, **dict(zip([index.name for index in piece.indices], each, strict=True))} for each in product(*extents)]
        places = [tuple(evaluate(coordinate, each) for coordinate in piece.coordinates) for each in named]
        if any(not 0 <= place < size for each in places for place, size in zip(each, sizes, strict=True)):
            with pytest.raises(OutOfBounds):
                cells.runs(values)
            continue
        flat = [sum(place * (sizes[1] if which < len(sizes) - 1 else 1) for which, place in enumerate(each)) for each in places]
        assert [start + number for start, length in cells.runs(values) for number in range(length)] == flat
        assert cells.runs(values) == joined((cell, 1) for cell in flat)
        assert distinct(cells.runs(values)) == (len(set(flat)) == len(flat))
        inside += 1
    assert inside > 3
