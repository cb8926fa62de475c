"""Outputs that are inputs, for machines on which nothing that is loaded can be stored as it is -> a limit that changes nothing.

Before --> after:  `x = s8[m,n] parameter(0)` as an output --> `maximum(x, -128)`
"""

from __future__ import annotations

from collections.abc import Sequence

from act.backend.analysis import integral, type_of
from act.backend.reductions import Rewriting, with_outputs
from act.generator.model import InHost, Leaf, OnChip, Selector
from act.hlo.dtypes import integer_range, width
from act.hlo.model import Computation, Shape

MOVES = frozenset(["reshape", "slice", "transpose", "reverse", "concatenate"])


def computes_copies(selectors: Sequence[Selector]) -> bool:
    """Whether no memory takes bytes as they are and gives them out as they are."""
    moves = [each for each in selectors if isinstance(each.pattern, Leaf) and each.narrow is None and width(each.result.dtype) == 8]
    taken = {each.result.access.buffer for each in moves if isinstance(each.result.access, OnChip)}
    given = {each.operands[0].access.buffer for each in moves if isinstance(each.result.access, InHost)}
    return bool(taken) and bool(given) and not taken & given


def copies_as_limits(computation: Computation) -> Computation:
    """Every output of bytes that is only moved is the greater of itself and the least byte."""
    return with_outputs(computation, _limited)


def _limited(state: Rewriting, name: str) -> str:
    each, shape = state.values[name], type_of(state.values[name])
    if not integral(shape.dtype) or width(shape.dtype) != 8 or not shape.dims or not _is_moved(state, name):
        return name
    least = state.add(each, "least", Shape(shape.dtype), "constant", (), value=integer_range(shape.dtype)[0])
    spread = state.add(each, "spread", shape, "broadcast", (least,), dimensions=())
    return state.add(each, "copy", shape, "maximum", (name, spread))


def _is_moved(state: Rewriting, name: str) -> bool:
    each = state.values[name]
    return each.opcode == "parameter" or (each.opcode in MOVES and all(_is_moved(state, operand) for operand in each.operands))
