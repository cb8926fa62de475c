"""Gaps between the elements of a tensor -> edges behind each element, along a dimension of their own, before anything is cut into tiles.

Before --> after, for two places between the elements of x, along one dimension:

    `pad(x: s8[n], z), padding=l_h_2` --> `pad(reshape<3n>(pad(reshape<n,1>(x), z), padding=0_0x0_2), z), padding=l_(h-2)`

A reduction over windows of a dilated input, or of a part of it, is that over windows of one that is padded with what changes nothing.
"""

from __future__ import annotations

from act.backend.analysis import integral, type_of
from act.backend.reductions import EXACT, Rewriting
from act.hlo.infer import infer
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace

KINDS = ("maximum", "minimum", "add")
"""Reductions over windows that are taken apart."""


def gaps_as_edges(computation: Computation) -> Computation:
    """Every padding between elements, and every window over a dilated input or over a part of it."""
    state = Rewriting()
    for each in computation:
        if each.opcode == "reduce-window" and _can_change(each) and not is_dense(each):
            each = _over_padded(state, each)
        state.values[each.name] = _apart(state, each) if each.opcode == "pad" else each
    return replace(computation, instructions=tuple(state.values.values()))


def _can_change(each: Instruction) -> bool:
    return each.attributes["kind"] in KINDS and may_take_apart(each) and 0 not in type_of(each).dims


def may_take_apart(each: Instruction) -> bool:
    """Whether a reduction gives the same in any order and in any parts: a sum of floats is rounded once."""
    return each.attributes["kind"] in EXACT or integral(type_of(each).dtype)


def is_dense(each: Instruction) -> bool:
    """Whether a window is over the whole input, and there is nothing between the elements."""
    given = each.attributes
    return all(step == 1 for step in given.get("lhs_dilation", ())) and min((*given["low"], *given["high"]), default=0) >= 0


def outside(state: Rewriting, each: Instruction) -> str:
    """What stands for no element in a reduction over windows.  A sum counts what it begins with once, an extreme as often as one likes."""
    start, dtype = state.values[each.operands[1]], type_of(each).dtype
    if each.attributes["kind"] in ("maximum", "minimum") or (start.opcode == "constant" and start.attributes["value"] == 0):
        return start.name
    return state.add(each, "nothing", Shape(dtype), "constant", (), value=0)


def _over_padded(state: Rewriting, each: Instruction) -> Instruction:
    given, (name, start), none = each.attributes, each.operands, (0,) * len(each.attributes["size"])
    nothing = outside(state, each)
    edges = {"low": given["low"], "high": given["high"], "interior": tuple(step - 1 for step in given["lhs_dilation"])}
    source = type_of(state.values[name])
    shape = infer("pad", (source, Shape(source.dtype)), edges, source)
    padded = _apart(state, Instruction(f"{each.name}.dilated", shape, "pad", (name, nothing), edges, each.line))
    state.values[padded.name] = padded
    return replace(each, operands=(padded.name, start), attributes={**given, "low": none, "high": none, "lhs_dilation": (1,) * len(none)})


def _apart(state: Rewriting, each: Instruction) -> Instruction:
    """A padding with edges alone."""
    given, (name, constant) = each.attributes, each.operands
    dtype, none = type_of(each).dtype, (0,) * (type_of(each).rank + 1)
    high = list(given["high"])
    for axis, gap in enumerate(given["interior"]):
        dims = type_of(state.values[name]).dims
        if not gap or dims[axis] < 2:
            continue
        before, after = dims[: axis + 1], dims[axis + 1 :]
        alone = state.add(each, "alone", Shape(dtype, (*before, 1, *after)), "reshape", (name,))
        behind = tuple(gap if which == axis + 1 else 0 for which in range(len(none)))
        wide = state.add(each, "behind", Shape(dtype, (*before, 1 + gap, *after)), "pad", (alone, constant), low=none, high=behind, interior=none)
        name = state.add(each, "apart", Shape(dtype, (*dims[:axis], dims[axis] * (1 + gap), *after)), "reshape", (wide,))
        high[axis] -= gap
    return replace(each, operands=(name, constant), attributes={"low": given["low"], "high": tuple(high), "interior": none[1:]})
