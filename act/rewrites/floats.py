"""Identities that hold for every float, bit for bit but for the payload of a NaN: no sum is reordered and nothing is rounded twice.

Before --> after:  `floor(ceil(x))` --> `ceil(x)`,  `is-finite(negate(x))` --> `is-finite(x)`
"""

from __future__ import annotations

from act.backend.classes import ClassGraph, ENode
from act.hlo.dtypes import is_float
from act.rewrites.model import Rewrite, rewriter
from act.rewrites.pattern import identity
from act.rewrites.terms import Proposals, splat, term

ROUNDING = ("floor", "ceil", "round-nearest-even", "round-nearest-afz")
rule = rewriter("algebraic")


def _named(opcode: str) -> str:
    return opcode.replace("-", "_")


_ROUNDED = tuple((f"{_named(outer)}_of_{_named(inner)}", "floats", f"{outer}({inner}(x)) = {inner}(x)") for outer in ROUNDING for inner in ROUNDING)
_SIGNS = (
    ("floor_of_negate", "floats", "floor(negate(x)) = negate(ceil(x))"),
    ("ceil_of_negate", "floats", "ceil(negate(x)) = negate(floor(x))"),
    ("round_nearest_even_of_negate", "floats", "round-nearest-even(negate(x)) = negate(round-nearest-even(x))"),
    ("round_nearest_afz_of_negate", "floats", "round-nearest-afz(negate(x)) = negate(round-nearest-afz(x))"),
    ("abs_of_exponential", "floats", "abs(exponential(x)) = exponential(x)"),
    ("is_finite_of_negate", "floats", "is-finite(negate(x)) = is-finite(x)"),
    ("is_finite_of_abs", "floats", "is-finite(abs(x)) = is-finite(x)"),
)
POWERS = tuple(2.0**power for power in (*range(-8, 0), *range(1, 9)))


def divide_by_power_of_two(graph: ClassGraph, node: ENode) -> Proposals:
    """x / c = x * (1 / c) for floats, when c is a power of two from 2**-8 to 2**8, whose inverse is exact."""
    divisor = graph.splats.get(node.children[1])
    if is_float(node.shape.dtype) and divisor is not None and abs(divisor) in POWERS:
        yield term(graph, "multiply", node.children[0], splat(1 / divisor, node.shape))


RULES: tuple[Rewrite, ...] = (
    *(identity("algebraic", *each) for each in (*_ROUNDED, *_SIGNS)),
    rule(divide_by_power_of_two, "divide", types="floats", builds="multiply:constant"),
)
