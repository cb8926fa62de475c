"""Strides of reshaped tensors, against numpy."""

import itertools

import numpy as np
import pytest

from act.backend.views import reshaped


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("target", [(24,), (6, 4), (4, 6), (2, 12), (2, 3, 4), (4, 3, 2), (1, 24, 1), (2, 3, 2, 2), (8, 3)])
def test_a_reshape_is_other_strides_or_none(order, target):
    array = np.arange(24, dtype=np.int8).reshape(2, 3, 4).transpose(order)
    found = reshaped(array.shape, array.strides, target)
    expected = array.reshape(target)
    if found is None:
        assert not np.shares_memory(expected, array)
    else:
        view = np.lib.stride_tricks.as_strided(array, target, found)
        assert np.array_equal(view, expected)


def test_a_broadcast_dimension_keeps_its_stride_of_zero():
    assert reshaped((4, 6), (0, 1), (2, 2, 6)) == (0, 0, 1)
    assert reshaped((4, 6), (0, 1), (24,)) is None
