"""Rules that hold for every accelerator: equal values written in another way.

`FAMILIES` are all of them by name; `RULES` is what saturation needs.  Each is a function of one node of a frozen e-graph that proposes
nodes of equal value, and checks all attributes and types that the equality depends on.
"""

from act.backend.classes import Rule
from act.rewrites import algebraic, conversion, dot, slicing, structural

FAMILIES: dict[str, tuple[Rule, ...]] = {
    "structural": structural.RULES,
    "slicing": slicing.RULES,
    "algebraic": algebraic.RULES,
    "conversion": conversion.RULES,
    "dot": dot.RULES,
}
RULES: tuple[Rule, ...] = tuple(each for family in FAMILIES.values() for each in family)

__all__ = ["FAMILIES", "RULES"]
