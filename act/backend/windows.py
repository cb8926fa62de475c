"""Extremes over windows, and sums of integers over them -> extremes and sums of slices, one for each place of the window, before anything is cut into tiles.

Before --> after, for `reduce-window(x), window={size=2 stride=2}` by maximum: `maximum(slice(x)[0::2], slice(x)[1::2])`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from act.backend.analysis import type_of
from act.backend.convolutions import slice_of
from act.backend.gaps import KINDS, is_dense, may_take_apart, outside
from act.backend.phases import reach_of
from act.backend.reductions import Rewriting, neutral
from act.hlo.model import Computation, Instruction, Shape
from act.records import replace

LARGEST = 64
"""Places of the largest window that is taken apart."""


def windows_as_slices(computation: Computation) -> Computation:
    """Every such reduction over a window of a few places, without gaps in the input."""
    state = Rewriting()
    for each in computation:
        if each.opcode != "reduce-window" or not _expand(state, each):
            state.values[each.name] = each
    return replace(computation, instructions=tuple(state.values.values()))


def _expand(state: Rewriting, each: Instruction) -> bool:
    given, shape = each.attributes, type_of(each)
    if given["kind"] not in KINDS or not may_take_apart(each) or not is_dense(each) or prod(given["size"]) > LARGEST or 0 in shape.dims:
        return False
    parts = list(_parts(state, each))
    if not parts:
        return False
    total, start = _together(state, each, parts), state.values[each.operands[1]]
    if len(parts) > 1 and start.opcode == "constant" and start.attributes["value"] == neutral(given["kind"], shape.dtype):
        state.values[each.name] = replace(state.values.pop(total), name=each.name)
        return True
    spread = state.add(each, "start", shape, "broadcast", (start.name,), dimensions=())
    state.values[each.name] = replace(each, opcode=given["kind"], operands=(total, spread), attributes={})
    return True


def _together(state: Rewriting, each: Instruction, parts: Sequence[str]) -> str:
    """The extreme, or the sum, of all parts, two by two."""
    kind, shape = each.attributes["kind"], type_of(each)
    while len(parts) > 1:
        pairs = [state.add(each, kind, shape, kind, tuple(pair)) for pair in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*pairs, *parts[len(parts) - len(parts) % 2 :]]
    return parts[0]


def _parts(state: Rewriting, each: Instruction) -> Iterator[str]:
    """What each place of the window meets, for all outputs: elements of the input, and nothing where it reaches beyond."""
    given, outputs = each.attributes, type_of(each).dims
    name, source = each.operands[0], type_of(state.values[each.operands[0]])
    for place in product(*(range(size) for size in given["size"])):
        reaches = [reach_of(given, axis, at, source.dims[axis], outputs[axis]) for axis, at in enumerate(place)]
        if not all(reach.first < reach.end for reach in reaches):
            continue
        pieces = {
            axis: (reach.source, reach.source + (reach.end - reach.first - 1) * step + 1, step)
            for axis, (reach, step) in enumerate(zip(reaches, given["stride"], strict=True))
        }
        part = slice_of(state, each, name, pieces)
        low, high = tuple(reach.first for reach in reaches), tuple(count - reach.end for count, reach in zip(outputs, reaches, strict=True))
        if any(low + high):
            nothing = outside(state, each)
            part = state.add(each, "padded", Shape(source.dtype, outputs), "pad", (part, nothing), low=low, high=high, interior=(0,) * source.rank)
        yield part
