"""Convolutions of integers with any dimension numbers, strides, paddings, dilations of the kernel, and reversals."""

import pytest

from tests.act.backend.backends import error_of, hlo, reference

CASES = {
    "3x3, channels last": ("s8[1,6,5,4]", "s8[3,3,4,7]", "s32[1,6,5,7]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"),
    "strides": ("s8[2,7,6,3]", "s8[2,3,3,5]", "s32[2,3,3,5]", "window={size=2x3 stride=2x2 pad=0_0x1_1}, dim_labels=b01f_01io->b01f"),
    "a dilated kernel": ("s8[1,7,3]", "s8[2,3,5]", "s32[1,4,5]", "window={size=2 rhs_dilate=3}, dim_labels=b0f_0io->b0f"),
    "a reversed kernel": ("s8[1,7,3]", "s8[3,3,5]", "s32[1,5,5]", "window={size=3 rhs_reversal=1}, dim_labels=b0f_0io->b0f"),
    "other labels": ("s8[1,7,3]", "s8[5,2,3]", "s32[6,1,5]", "window={size=2}, dim_labels=b0f_o0i->0bf"),
    "groups of features": ("s8[1,6,5,4]", "s8[3,3,2,6]", "s32[1,4,3,6]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2"),
    "a kernel for each feature": ("s8[2,7,3]", "s8[3,1,6]", "s32[2,7,6]", "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=3"),
    "groups of the batch": ("s8[4,7,3]", "s8[2,3,6]", "s32[2,3,6]", "window={size=2 stride=2}, dim_labels=b0f_0io->b0f, batch_group_count=2"),
    "groups, other labels": ("s8[3,7,2]", "s8[6,2,1]", "s8[6,6,2]", "window={size=2 rhs_reversal=1}, dim_labels=f0b_o0i->0fb, feature_group_count=3"),
    "a dilated input": ("s8[1,4,3]", "s8[3,3,5]", "s32[1,7,5]", "window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f"),
    "phases of two lengths": (
        "s8[1,4,3]",
        "s8[4,3,5]",
        "s32[1,11,5]",
        "window={size=4 pad=2_2 lhs_dilate=3 rhs_reversal=1}, dim_labels=b0f_0io->b0f",
    ),
    "a dilated input and a stride": ("s8[2,5,3]", "s8[2,3,5]", "s32[2,7,5]", "window={size=2 stride=2 pad=1_0 lhs_dilate=3}, dim_labels=b0f_0io->b0f"),
    "a stride that is the distance": ("s8[1,5,3]", "s8[2,3,5]", "s32[1,4,5]", "window={size=2 stride=2 lhs_dilate=2}, dim_labels=b0f_0io->b0f"),
    "both dilated, two dimensions": (
        "s8[1,3,2,4]",
        "s8[2,2,4,7]",
        "s32[1,4,4,7]",
        "window={size=2x2 pad=1_0x1_1 lhs_dilate=2x2 rhs_dilate=2x1}, dim_labels=b01f_01io->b01f",
    ),
    "a dilated input in groups": ("s8[1,4,4]", "s8[2,2,6]", "s32[1,6,6]", "window={size=2 lhs_dilate=2}, dim_labels=b0f_0io->b0f, feature_group_count=2"),
    "in bytes": ("s8[1,6,5,4]", "s8[3,3,4,7]", "s8[1,4,3,7]", "window={size=3x3}, dim_labels=b01f_01io->b01f"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_convolution_is_right(name):
    left, right, result, attributes = CASES[name]
    kernel = hlo(f"a = {left} parameter(0)", f"b = {right} parameter(1)", f"d = {result} convolution(a, b), {attributes}")
    assert error_of(reference("gemmini"), kernel) is None
