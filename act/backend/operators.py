"""How operators are told apart in an e-graph."""

from __future__ import annotations

from functools import cache

from act.backend.classes import Attributes
from act.hlo.model import Shape
from act.hlo.opcodes import POINTWISE

PLAIN = frozenset(["constant", "broadcast", "parameter", "negate", "subtract", "transpose", "slice", "reverse", "assemble"])
"""Operators that are nodes as they are."""

ALIKE = POINTWISE | {"sum"}
"""Operators whose operands all have the dimensions of the result."""

NO_DIMENSIONS: Attributes = (("dimensions", ()),)

Key = tuple[int, ...]
Operator = tuple[str, Attributes, Shape]
Name = tuple[str, Attributes, str, tuple[int, ...]]
"""An operator with its type in plain values, which are hashed faster."""


scalar_of = cache(Shape)
