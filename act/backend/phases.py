"""A window that moves over a dilated input -> windows over the input itself, one for every so many outputs.

With a distance of 2 between the elements of the input and a stride of 1, even outputs meet some places of the window, odd outputs the others;
along each dimension there are `distance / gcd(distance, stride)` such phases.  Before --> after, for two phases a and b:

    `o[0], o[1], o[2], ...` --> `a[0], b[0], a[1], ...`, which is `reshape(concatenate(reshape(a), reshape(b)))`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import Any, NamedTuple

from act.backend.analysis import type_of
from act.backend.reductions import Rewriting
from act.hlo.model import Instruction, Shape


class Reach(NamedTuple):
    """Along one dimension: the first output and the end of those for which a place of the kernel meets the input, and the input of the first."""

    first: int
    end: int
    source: int


def phases(given: Mapping[str, Any]) -> tuple[int, ...]:
    """How many there are along each dimension of space."""
    return tuple(distance // gcd(distance, stride) for distance, stride in zip(given["lhs_dilation"], given["stride"], strict=True))


def stride_of(given: Mapping[str, Any], which: int) -> int:
    """How far the input of one output of a phase is from that of the next."""
    return given["stride"][which] // gcd(given["lhs_dilation"][which], given["stride"][which])


def reach_of(given: Mapping[str, Any], which: int, at: int, extent: int, outputs: int, phase: int = 0) -> Reach:
    """Output o of a phase meets the input where `distance * input = (o * count + phase) * stride + at * dilation - low`, if anywhere."""
    distance, stride = given.get("lhs_dilation", (1,) * (which + 1))[which], given["stride"][which]
    shift, rest = divmod(phase * stride + at * given["rhs_dilation"][which] - given["low"][which], distance)
    if rest:
        return Reach(0, 0, 0)
    step = stride // gcd(distance, stride)
    first = max(0, -(shift // step))
    end = min(outputs, (extent - 1 - shift) // step + 1)
    return Reach(first, end, first * step + shift)


def interleaved(state: Rewriting, each: Instruction, found: Sequence[str], counts: Mapping[int, int]) -> str:
    """One tensor of the outputs of all phases, whose values are in the order of the dimensions `counts`, the last one fastest."""
    for axis, count in reversed(counts.items()):
        groups = [found[first : first + count] for first in range(0, len(found), count)]
        found = [_between(state, each, group, axis) if count > 1 else group[0] for group in groups]
    (whole,) = found
    return whole


def _between(state: Rewriting, each: Instruction, parts: Sequence[str], axis: int) -> str:
    """Element i of part p becomes element i * len(parts) + p along a dimension."""
    shape = type_of(state.values[parts[0]])
    outer, extent, inner = shape.dims[:axis], shape.dims[axis], shape.dims[axis + 1 :]
    alone = Shape(shape.dtype, (*outer, extent, 1, *inner))
    single = tuple(state.add(each, "phase", alone, "reshape", (part,)) for part in parts)
    beside = Shape(shape.dtype, (*outer, extent, len(parts), *inner))
    together = state.add(each, "phases", beside, "concatenate", single, dimension=axis + 1)
    return state.add(each, "between", Shape(shape.dtype, (*outer, extent * len(parts), *inner)), "reshape", (together,))
