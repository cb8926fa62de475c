"""Flattening keeps the function and leaves one computation of operators on tensors."""

import numpy as np

from act.hlo import flatten, parse_module
from act.hlo.evaluate import evaluate

CLIP = """
clip {
  x = s32[4] parameter(0)
  low = s32[] parameter(1)
  high = s32[] parameter(2)
  b = s32[4] broadcast(low), dimensions={}
  m = s32[4] maximum(b, x)
  c = s32[4] broadcast(high), dimensions={}
  ROOT r = s32[4] minimum(c, m)
}
ENTRY main {
  x = s32[4] parameter(0)
  low = s32[] constant(-2)
  high = s32[] constant(3)
  a = s32[4] call(x, low, high), to_apply=clip
  dead = s32[4] negate(a)
  ROOT b = s32[4] call(a, low, high), to_apply=clip
}
"""


def test_calls_are_inlined_with_names_that_stay_different():
    flat = flatten(parse_module(CLIP))
    assert [each.opcode for each in flat.main].count("minimum") == 2
    assert len({each.name for each in flat.main}) == len(flat.main.instructions)
    np.testing.assert_array_equal(evaluate(flat, [[-9, 0, 2, 9]]), [-2, 0, 2, 3])


def test_unused_instructions_go_but_unused_parameters_stay():
    flat = flatten(parse_module("ENTRY m { a = s8[] parameter(0) b = s8[] parameter(1) c = s8[] negate(b) ROOT d = s8[] copy(a) }"))
    assert [each.name for each in flat.main] == ["a", "b"]
    assert flat.main.root == "a"


def test_tuples_disappear_but_for_several_outputs():
    inner = "f { p = s8[2] parameter(0) n = s8[2] negate(p) ROOT t = (s8[2], s8[2]) tuple(p, n) }\n"
    entry = "ENTRY m { a = s8[2] parameter(0) t = (s8[2], s8[2]) call(a), to_apply=f e = s8[2] get-tuple-element(t), index=1 "
    assert flatten(parse_module(inner + entry + "ROOT u = (s8[2]) tuple(e) }")).main.result.opcode == "negate"
    both = flatten(parse_module(inner + entry + "ROOT u = (s8[2], (s8[2], s8[2])) tuple(e, t) }")).main.result
    assert (both.opcode, both.operands) == ("tuple", ("n", "a", "n"))


def test_a_stretched_dimension_becomes_a_reshape_and_a_broadcast():
    flat = flatten(parse_module("ENTRY m { a = s8[3,1] parameter(0) ROOT b = s8[3,2] broadcast(a), dimensions={0,1} }"))
    assert [(each.opcode, str(each.shape)) for each in flat.main][1:] == [("reshape", "s8[3]"), ("broadcast", "s8[3,2]")]
    assert flat.main.result.attributes == {"dimensions": (0,)}
    np.testing.assert_array_equal(evaluate(flat, [[[1], [2], [3]]]), [[1, 1], [2, 2], [3, 3]])
