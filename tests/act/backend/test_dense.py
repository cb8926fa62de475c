"""Tiles that are loaded only with rows that follow each other: which they are, and the products that bring others there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from act.backend.classes import ENode
from act.backend.dense import CONSTANTS, dense_tiles, move_is_product
from act.backend.egraph import EGraph
from act.backend.saturate import saturate
from act.generator.analyse import analyse
from act.hlo.model import Shape
from act.taidl import parse
from tests.act.backend.graph_values import node_values

MICRO = (Path(__file__).parent / "machines" / "micro.taidl").read_text()
TILE = (4, 4)


def moved(opcode: str, attributes: tuple, dims: tuple[int, ...], dtype: str = "s8", source: tuple[int, ...] = (8, 8)) -> tuple[EGraph, int]:
    """The graph of one move of an input."""
    graph = EGraph()
    x = graph.make("parameter", (("number", 0),), Shape(dtype, source), ())
    return graph, graph.make(opcode, attributes, Shape(dtype, dims), [x])


PART = ("slice", (("limit", (6, 8)), ("start", (2, 4)), ("stride", (1, 1))), TILE)
TURNED = ("transpose", (("dimensions", (1, 0)),), TILE)


def test_only_loads_with_one_distance_of_rows_make_dense_tiles() -> None:
    assert dense_tiles(analyse(parse(MICRO)).selectors) == {TILE}
    assert dense_tiles(analyse(parse((Path(__file__).parents[3] / "isas/reference/gemmini.taidl").read_text())).selectors) == frozenset()


@pytest.mark.parametrize(("move", "source", "position"), [(PART, (8, 8), 0), (TURNED, TILE, 1)], ids=["a part", "a transpose"])
def test_a_moved_tile_is_a_product_with_the_identity(move: tuple, source: tuple[int, ...], position: int) -> None:
    graph, root = moved(*move, source=source)
    frozen = saturate(graph, [root], [move_is_product([TILE])])
    (dot,) = frozen.nodes(graph.find(root), "dot")
    assert dot.children[position] == graph.find(root)
    x = np.arange(np.prod(source), dtype=np.int8).reshape(source)
    values = [value for number, _, value in node_values(frozen, {0: x}) if number == graph.find(root)]
    assert len(values) == 2
    assert np.array_equal(*values)


@pytest.mark.parametrize(
    ("move", "dtype", "source"),
    [(PART, "s32", (8, 8)), (("slice", (("limit", (3, 4)), ("start", (0, 0)), ("stride", (1, 1))), (3, 4)), "s8", (8, 8))],
    ids=["wide elements", "another size"],
)
def test_what_is_no_dense_tile_of_bytes_is_no_product(move: tuple, dtype: str, source: tuple[int, ...]) -> None:
    graph, root = moved(*move, dtype=dtype, source=source)
    assert not list(saturate(graph, [root], [move_is_product([TILE])]).nodes(graph.find(root), "dot"))


def test_a_constant_is_transposed_when_it_is_compiled() -> None:
    graph, rows = EGraph(), ((1, 2, 3), (4, 5, 6))
    constant = graph.make("constant", (("value", rows),), Shape("s8", (2, 3)), ())
    root = graph.make("transpose", (("dimensions", (1, 0)),), Shape("s8", (3, 2)), [constant])
    frozen = saturate(graph, [root], CONSTANTS)
    assert ENode("constant", (("value", ((1, 4), (2, 5), (3, 6))),), Shape("s8", (3, 2))) in frozen.classes[graph.find(root)]
