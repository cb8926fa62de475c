"""The operators that this project knows, by the way their shape follows from their operands."""

from __future__ import annotations

UNARY = frozenset("abs negate not sign floor ceil round-nearest-even round-nearest-afz exponential log tanh logistic sqrt rsqrt is-finite".split())
BINARY = frozenset("add subtract multiply divide remainder maximum minimum power and or xor shift-left shift-right-arithmetic shift-right-logical".split())
COMMUTATIVE = frozenset("add multiply maximum minimum and or xor".split())
REDUCTIONS = COMMUTATIVE
CALLS = frozenset(("call", "fusion"))
DATA_MOVEMENT = frozenset("broadcast reshape transpose slice pad concatenate reverse copy".split())
OTHER = frozenset("parameter constant iota convert bitcast-convert dot reduce compare select clamp tuple get-tuple-element".split())
ALL = UNARY | BINARY | CALLS | DATA_MOVEMENT | OTHER

DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")

# How many operands; the operators that are not here take any number.
OPERANDS = (
    dict.fromkeys(UNARY, 1)
    | dict.fromkeys("broadcast reshape transpose slice reverse copy convert bitcast-convert get-tuple-element".split(), 1)
    | dict.fromkeys(BINARY, 2)
    | dict.fromkeys("dot pad reduce compare".split(), 2)
    | dict.fromkeys(("select", "clamp"), 3)
    | dict.fromkeys(("parameter", "constant", "iota"), 0)
)
