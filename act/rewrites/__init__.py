"""Rules that hold for every accelerator: equal values written in another way.

`RULES` is what saturation needs, `FAMILIES` are all of them by family, `relevant` are those that can matter for one accelerator.  Each rule
looks at one node of a frozen e-graph and proposes nodes of equal value; it checks all attributes and types that the equality depends on.
"""

from functools import cache

from act.rewrites import (
    algebraic,
    bits,
    constants,
    conversion,
    convolution,
    dot,
    dot_parts,
    floats,
    joining,
    limits,
    lowering,
    reduce,
    ring,
    slicing,
    structural,
)
from act.rewrites.model import FAMILIES as _NAMES
from act.rewrites.model import Rewrite, Verdict, relevant, verdicts
from act.rewrites.vocabulary import vocabulary

_PARTS = (structural, joining, slicing, algebraic, ring, bits, limits, floats, conversion, dot, dot_parts, convolution, reduce, constants, lowering)
RULES: tuple[Rewrite, ...] = tuple(each for part in _PARTS for each in part.RULES)
FAMILIES: dict[str, tuple[Rewrite, ...]] = {name: tuple(each for each in RULES if each.family == name) for name in _NAMES}


@cache
def for_vocabulary(operators: frozenset[str]) -> tuple[Rewrite, ...]:
    """The rules that can matter for an accelerator with these operators (see `vocabulary`)."""
    return tuple(rule for rule, _ in relevant(RULES, operators))


__all__ = ["FAMILIES", "RULES", "Rewrite", "Verdict", "for_vocabulary", "relevant", "verdicts", "vocabulary"]
