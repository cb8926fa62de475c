"""Reads of parts by dynamic indices: bits beyond the vector are undefined, and nothing is added where none can be."""

from __future__ import annotations

import random

import pytest

from lift.netlist import select
from lift.netlist.bounds import maximum
from lift.netlist.builder import Builder
from lift.netlist.model import Netlist, Node
from lift.netlist.simulate import Simulator


def netlist(value: Node, **inputs: int) -> Netlist:
    return Netlist("top", inputs, {"y": value}, {}, {}, {}, {}, {}, None, None)


def test_read_that_stays_inside_is_a_shift() -> None:
    b = Builder()
    index = b.concat([b.intern("input", 2, (), "i"), b.const(0, 3)])
    assert select.read(b, b.intern("input", 32, (), "a"), index, 8).op == "extract"


@pytest.mark.parametrize(("width", "bias"), [(1, 0), (4, 0), (4, 3), (5, 2)])
def test_bits_beyond_the_vector_are_undefined_and_all_others_exact(width: int, bias: int) -> None:
    b = Builder()
    part = select.read(b, b.intern("input", 6, (), "a"), b.intern("input", 4, (), "i"), width, bias)
    a = random.Random(width).getrandbits(6)
    for i in range(16):
        zeros, ones = (Simulator(netlist(part, a=6, i=4), lambda w, d=d: -d & (1 << w) - 1).outputs({"a": a, "i": i})["y"] for d in (0, 1))
        for k in range(width):
            at = i - bias + k
            assert (zeros >> k & 1, ones >> k & 1) == ((a >> at & 1,) * 2 if 0 <= at < 6 else (0, 1))


def test_upper_bounds_follow_the_operators() -> None:
    b = Builder()
    x, c = b.intern("input", 2, (), "x"), b.intern("input", 1, (), "c")
    wide = b.extend(x, 6, False)
    assert maximum(b.op("add", wide, b.const(5, 6))) == 8
    assert maximum(b.op("mul", wide, b.const(12, 6))) == 36
    assert maximum(b.op("mul", wide, b.const(30, 6))) == 63  # it may wrap
    assert maximum(b.concat([x, b.const(1, 2)])) == 13
    assert maximum(b.mux(c, wide, b.const(7, 6))) == 7
    assert maximum(b.op("and", b.intern("input", 6, (), "y"), b.const(9, 6))) == 9
