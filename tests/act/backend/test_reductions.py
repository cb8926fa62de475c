"""Sums over any dimensions, and greatest and least elements of tensors of any size."""

import pytest

from tests.act.backend.backends import error_of, reference

START = {"add": 3, "maximum": -128, "minimum": 100}
CASES = [
    ("maximum", "s8", (20, 7), (0,)),
    ("minimum", "s8", (5, 33), (1,)),
    ("maximum", "s8", (3, 7), (0, 1)),
    ("add", "s8", (3, 5, 4), (1,)),
    ("add", "s8", (3, 5, 4), (0, 2)),
]


@pytest.mark.parametrize(("kind", "dtype", "dims", "dimensions"), CASES)
def test_a_reduction_is_right(kind, dtype, dims, dimensions):
    kept = ",".join(str(size) for axis, size in enumerate(dims) if axis not in dimensions)
    text = f"""HloModule reduction
f {{
  p = {dtype}[] parameter(0)
  q = {dtype}[] parameter(1)
  ROOT m = {dtype}[] {kind}(p, q)
}}
ENTRY main {{
  a = {dtype}[{",".join(map(str, dims))}] parameter(0)
  i = {dtype}[] constant({START[kind]})
  ROOT d = {dtype}[{kept}] reduce(a, i), dimensions={{{",".join(map(str, dimensions))}}}, to_apply=f
}}
"""
    assert error_of(reference("gemmini"), text) is None
