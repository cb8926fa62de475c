"""Regions of a tensor, and where they are in the same tensor with other dimensions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from act.backend.pieces import before_reshape

SHAPES = [
    ((4, 6), (2, 2, 6)),
    ((24,), (4, 6)),
    ((4, 6), (24,)),
    ((2, 1, 6), (2, 6)),
    ((2, 6), (1, 2, 2, 3)),
    ((4, 4), (2, 2, 2, 2)),
    ((4, 6), (6, 4)),
    ((1, 1), (1,)),
    ((3, 1), (1, 3, 1)),
]


def regions(dims):
    cuts = [[(start, size) for start in range(extent) for size in range(1, extent - start + 1)] for extent in dims]
    return product(*cuts)


def cut(array, region):
    return array[tuple(slice(start, start + size) for start, size in region)]


@pytest.mark.parametrize(("dims", "source"), SHAPES)
def test_a_region_before_a_reshape_has_the_same_elements_in_the_same_order(dims, source):
    numbers = np.arange(np.prod(dims))
    found = 0
    for region in regions(dims):
        before = before_reshape(region, dims, source)
        if before is not None:
            found += 1
            assert np.array_equal(cut(numbers.reshape(source), before).ravel(), cut(numbers.reshape(dims), region).ravel())
    assert found


def test_every_part_of_a_vector_that_is_a_region_of_a_matrix_is_found():
    numbers = np.arange(24)
    known = {tuple(cut(numbers.reshape(4, 6), region).ravel()) for region in regions((4, 6))}
    for region in regions((24,)):
        assert (before_reshape(region, (24,), (4, 6)) is not None) == (tuple(cut(numbers, region)) in known)


def test_blocks_of_rows_and_columns_are_regions():
    assert before_reshape(((16, 16), (32, 16)), (64, 64), (4, 16, 4, 16)) == ((1, 1), (0, 16), (2, 1), (0, 16))
    assert before_reshape(((8, 16), (32, 16)), (64, 64), (4, 16, 4, 16)) is None
