"""Products of many integers, which go through floats where these are exact, are the same as those of integers."""

import numpy as np
import pytest

from act.hlo.products import FEW, matmul


@pytest.mark.parametrize("bits", [7, 20, 21, 22, 31])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
def test_integers_are_exact_modulo_their_width(bits, dtype):
    rng = np.random.default_rng(bits)
    low = 0 if dtype is np.uint32 else -(1 << bits)
    a = rng.integers(low, (1 << bits) - 1, (2, 16, 4096), dtype=np.int64, endpoint=True).astype(dtype)
    b = np.full((2, 4096, 8), (1 << bits) - 1, dtype=dtype)
    assert a.size * b.shape[-1] >= FEW
    np.testing.assert_array_equal(matmul(a, b).astype(dtype), np.matmul(a, b))


def test_a_product_without_terms_is_zero():
    assert not matmul(np.zeros((1, 512, 0), np.int32), np.zeros((1, 0, 512), np.int32)).any()
