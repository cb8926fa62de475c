"""Products of tensors with any number of free, contracted and batch dimensions are sums of products of matrices."""

import pytest

from tests.act.backend.backends import error_of, hlo, reference

CASES = {
    "two free": ("s8[2,5,20]", "s8[20,7]", "s32[2,5,7]", "lhs_contracting_dims={2}, rhs_contracting_dims={0}"),
    "two free on the right": ("s8[4,20]", "s8[3,4,6]", "s32[20,3,6]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"),
    "two contracted": ("s8[3,20,17]", "s8[17,3,5]", "s32[20,5]", "lhs_contracting_dims={0,2}, rhs_contracting_dims={1,0}"),
    "all contracted": ("s8[2,20]", "s8[20,2]", "s32[]", "lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}"),
    "a vector and two free": ("s8[3,20,6]", "s8[20]", "s32[3,6]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
    "a batch as rows": ("s8[5,20]", "s8[5,20,3]", "s32[5,3]", "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0}"),
    "only batches": ("s8[3,20]", "s8[3,20]", "s32[3]", "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0}"),
    "a batch": ("s8[2,4,20]", "s8[2,20,3]", "s32[2,4,3]", "lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0}"),
    "one contracted element": ("s8[17,1]", "s8[17,1]", "s32[17]", "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0}"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_product_of_tensors_is_right(name):
    left, right, result, dimensions = CASES[name]
    kernel = hlo(f"a = {left} parameter(0)", f"b = {right} parameter(1)", f"d = {result} dot(a, b), {dimensions}")
    assert error_of(reference("gemmini"), kernel) is None
