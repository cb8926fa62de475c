"""The operators that this project knows, by the way their shape follows from their operands."""

from __future__ import annotations

ROUNDING = frozenset("floor ceil round-nearest-even round-nearest-afz".split())
FUNCTIONS = frozenset(
    "exponential exponential-minus-one log log-plus-one logistic sqrt rsqrt cbrt sine cosine tan asin acos sinh cosh tanh asinh acosh atanh erf".split()
)
"""Functions of one float; but for `sqrt` they are not fixed by IEEE 754."""
UNARY = frozenset("abs negate not sign is-finite popcnt count-leading-zeros".split()) | ROUNDING | FUNCTIONS
SHIFTS = frozenset("shift-left shift-right-arithmetic shift-right-logical".split())
BINARY = frozenset("add subtract multiply divide remainder maximum minimum power atan2 and or xor".split()) | SHIFTS
POINTWISE = UNARY | BINARY | {"convert"}
"""Operators whose operands all have the shape of the result."""
ELEMENTWISE = POINTWISE | {"compare", "select", "clamp"}
"""Each element of the result depends on that of each operand; limits and predicates may be scalars."""
COMMUTATIVE = frozenset("add multiply maximum minimum and or xor".split())
REDUCTIONS = COMMUTATIVE
REDUCING = frozenset(("reduce", "reduce-window"))
CALLS = frozenset(("call", "fusion"))
SAME = frozenset(("copy", "optimization-barrier"))
"""The value is the operand, which may be a tuple."""
DATA_MOVEMENT = frozenset("broadcast reshape transpose slice pad concatenate reverse dynamic-slice dynamic-update-slice".split()) | SAME
OTHER = REDUCING | frozenset(
    "parameter constant iota convert bitcast-convert reduce-precision dot convolution compare select clamp tuple get-tuple-element".split()
)
ALL = UNARY | BINARY | CALLS | DATA_MOVEMENT | OTHER

DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")

# How many operands; the operators that are not here take any number.
OPERANDS = (
    dict.fromkeys(UNARY | SAME, 1)
    | dict.fromkeys("broadcast reshape transpose slice reverse convert bitcast-convert reduce-precision get-tuple-element".split(), 1)
    | dict.fromkeys(BINARY | REDUCING, 2)
    | dict.fromkeys("dot convolution pad compare".split(), 2)
    | dict.fromkeys(("select", "clamp"), 3)
    | dict.fromkeys(("parameter", "constant", "iota"), 0)
)
