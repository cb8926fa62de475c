"""Layouts change no value but that of a bitcast, which re-reads the places of the elements."""

import numpy as np
import pytest

from act.errors import UserError
from act.hlo import parse_module
from act.hlo.evaluate import evaluate

SIX = np.arange(6, dtype=np.int32).reshape(2, 3)


def bitcast(source: str, target: str):
    return parse_module(f"HloModule m\nENTRY e {{\n  a = {source} parameter(0)\n  ROOT b = {target} bitcast(a)\n}}")


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("s32[2,3]{1,0}", "s32[6]{0}", SIX.reshape(6)),
        ("s32[2,3]{1,0}", "s32[3,2]{0,1}", SIX.T),
        ("s32[2,3]{0,1}", "s32[6]{0}", SIX.T.reshape(6)),
        ("s32[2,3]{0,1}", "s32[3,2]{1,0}", SIX.T),
        ("s32[2,3]", "s32[1,3,2]{1,2,0}", SIX.T.reshape(1, 3, 2)),
        ("s32[2,3]{1,0}", "u32[2,3]{1,0}", SIX.astype(np.uint32)),
        ("s32[2,3]{1,0:T(8,128)}", "s32[2,3]{1,0:T(8,128)}", SIX),
    ],
)
def test_a_bitcast_reads_the_elements_in_the_order_of_their_places(source, target, expected):
    np.testing.assert_array_equal(evaluate(bitcast(source, target), [SIX]), expected)


@pytest.mark.parametrize(
    ("source", "target", "problem"),
    [
        ("s32[2,3]{1,0:T(8,128)}", "s32[2,3]{1,0}", "whose tiles differ"),
        ("s32[2,3]{1,0:T(8,128)}", "s32[6]{0:T(8,128)}", "a tiled tensor to other dimensions"),
        ("s32[2,3]{1,0}", "s16[2,6]{1,0}", "of another width"),
        ("s32[2,3]{1,1}", "s32[6]", "is no order of 2 dimension"),
    ],
)
def test_a_bitcast_that_needs_more_than_orders_is_refused(source, target, problem):
    with pytest.raises(UserError, match=problem):
        bitcast(source, target)


def test_layouts_of_other_operators_are_dropped():
    tile = "{1,0:T(8,128)(2,1)S(1)}"
    text = "HloModule m\nENTRY e {{ a = f32[16,64]{tile} parameter(0)\n ROOT b = f32[16,64]{other} copy(f32[16,64]{tile} a) }}"
    assert parse_module(text.format(tile=tile, other="{0,1:T(16,64)}")) == parse_module(text.format(tile="", other=""))
