"""Products of matrices on machines that have none: as sums of products of elements, and of columns with rows."""

import pytest

from act.backend.terms import products_as_terms
from act.hlo import flatten, parse_module
from tests.act.backend.backends import hlo
from tests.act.backend.test_other_machines import DIMS, compiled

BATCHES = "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"
PRODUCTS = {
    "matrices": ("s32[3,4]", "s32[4,5]", "s32[3,5]", DIMS),
    "columns": ("s32[4,3]", "s32[4,5]", "s32[3,5]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
    "batches": ("s32[2,3,4]", "s32[2,4,5]", "s32[2,3,5]", BATCHES),
    "vectors": ("s32[3]", "s32[5]", "s32[3,5]", ""),
    "bytes": ("s8[3,4]", "s8[4,5]", "s32[3,5]", DIMS),
}


def kernel(name: str) -> str:
    left, right, result, numbers = PRODUCTS[name]
    return hlo(f"a = {left} parameter(0)", f"b = {right} parameter(1)", f"d = {result} dot(a, b){', ' if numbers else ''}{numbers}")


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_sums_of_elements(name):
    issued = compiled("lanes", kernel(name))
    rows = 6 if name == "batches" else 3
    assert issued.count("multiply") == rows * (1 if name == "vectors" else 4)


@pytest.mark.parametrize("name", [name for name in PRODUCTS if name not in ("bytes", "batches")])
def test_products_are_sums_of_columns_with_rows(name):
    issued = compiled("outer", kernel(name))
    assert (issued.count("clear"), issued.count("update")) == (1, 1 if name == "vectors" else 4)


def test_a_product_whose_result_is_in_another_order_stays():
    numbers = BATCHES.replace("lhs_batch_dims={0}", "lhs_batch_dims={1}")
    text = hlo("a = s32[3,2,4] parameter(0)", "b = s32[2,4,5] parameter(1)", f"d = s32[2,3,5] dot(a, b), {numbers}")
    assert [each.opcode for each in products_as_terms(flatten(parse_module(text)).main)] == ["parameter", "parameter", "dot"]
