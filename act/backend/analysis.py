"""What is known of an e-class from one of its nodes: that it is one constant everywhere, and bounds of its integer elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from act.backend.classes import Attributes, Scalar
from act.hlo.dtypes import integer_range, is_float, width, wrap
from act.hlo.literals import flat
from act.hlo.model import Instruction, Shape

Range = tuple[int, int]
MOVEMENT = frozenset(["broadcast", "reshape", "transpose", "slice", "reverse", "copy"])

_FOLD: dict[str, Callable[..., int]] = {
    "convert": lambda a: a,
    "sum": lambda *values: sum(values),
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "negate": lambda a: -a,
    "maximum": max,
    "minimum": min,
    "clamp": lambda low, x, high: min(max(x, low), high),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "not": lambda a: ~a,
}

LONGEST_SHIFT = 64
"""A shift by more leaves as little."""

FOLDED = frozenset(["clamp", "sum", "convert"])
"""Operators whose result is known to be one constant where its bounds are equal.  What is moved or put together may be wanted piece by piece;
for others there are rules."""


def type_of(value: Instruction) -> Shape:
    """The type of an instruction that is not a tuple."""
    assert isinstance(value.shape, Shape)
    return value.shape


@cache
def integral(dtype: str) -> bool:
    """Integers of any width, not `pred` and not floats."""
    return dtype != "pred" and not is_float(dtype)


STANDARD = (8, 16, 32, 64)


def common(dtype: str) -> str:
    """The least common type that holds every value of an integer type."""
    return f"{dtype[0]}{next(bits for bits in STANDARD if bits >= width(dtype))}"


def is_odd(dtype: str) -> bool:
    """An integer type that is no common one."""
    return integral(dtype) and width(dtype) not in STANDARD


def narrower(dtype: str, other: str) -> bool:
    """Whether an integer type has fewer bits than another one, or a type of floats than another one, which then has all its values."""
    alike = (integral(dtype) and integral(other)) or (is_float(dtype) and is_float(other))
    return alike and width(dtype) < width(other)


def full_range(shape: Shape) -> Range | None:
    return integer_range(shape.dtype) if integral(shape.dtype) else None


def splat_of(opcode: str, attributes: Attributes, shape: Shape, children: Sequence[Scalar | None], types: Sequence[Shape]) -> Scalar | None:
    """The value that every element has, when the children's `splats` decide it; integers only except for moved data."""
    if opcode == "constant":
        value = dict(attributes)["value"]
        return value if not isinstance(value, tuple) else None
    if not children or any(value is None for value in children):
        return None
    if opcode in MOVEMENT:
        return children[0]
    if not integral(shape.dtype) or not all(integral(kind.dtype) for kind in types):
        return None
    if opcode == "dot":
        return wrap(shape.dtype, _length(attributes, types[0]) * children[0] * children[1])  # type: ignore[operator]
    fold = _FOLD.get(opcode)
    return wrap(shape.dtype, fold(*children)) if fold else None


def _length(attributes: Attributes, left: Shape) -> int:
    """How many products each element of a dot product sums."""
    return math.prod(left.dims[dimension] for dimension in dict(attributes)["lhs_contracting_dims"])


def _products(a: Range, b: Range) -> list[int]:
    return [x * y for x in a for y in b]


def exact_range(opcode: str, attributes: Attributes, children: Sequence[Range], types: Sequence[Shape]) -> Range | None:
    """Bounds over the mathematical integers, before the result is wrapped to its type."""
    if opcode in MOVEMENT or opcode == "convert":
        return children[0]
    match opcode, children:
        case "sum", _:
            return sum(low for low, _ in children), sum(high for _, high in children)
        case "subtract", (a, b):
            return a[0] - b[1], a[1] - b[0]
        case "negate", (a,):
            return -a[1], -a[0]
        case "maximum", (a, b):
            return max(a[0], b[0]), max(a[1], b[1])
        case "minimum", (a, b):
            return min(a[0], b[0]), min(a[1], b[1])
        case "clamp", (low, x, high):
            return min(max(x[0], low[0]), high[0]), min(max(x[1], low[1]), high[1])
        case "multiply", (a, b):
            return min(_products(a, b)), max(_products(a, b))
        case "dot", (a, b):
            length = _length(attributes, types[0])
            return length * min(_products(a, b)), length * max(_products(a, b))
        case "abs", (a,):
            return max(0, a[0], -a[1]), max(-a[0], a[1])
        case "shift-right-arithmetic", (a, b) if b[0] >= 0:
            shifted = [end >> min(by, LONGEST_SHIFT) for end in a for by in b]
            return min(shifted), max(shifted)
        case "and", (a, b) if a[0] >= 0 or b[0] >= 0:
            return 0, min(most for low, most in (a, b) if low >= 0)
        case "assemble", _:
            return min(low for low, _ in children), max(high for _, high in children)
    return None


def range_of(opcode: str, attributes: Attributes, shape: Shape, children: Sequence[Range | None], types: Sequence[Shape]) -> Range | None:
    """Bounds of the elements; those of the type when the result may wrap; None when the elements are not integers."""
    full = full_range(shape)
    if full is None:
        return None
    if opcode == "constant":
        values = flat(dict(attributes)["value"])
        return (min(values), max(values)) if values else full
    known = [child for child in children if child is not None]
    if not children or len(known) < len(children):
        return full
    exact = exact_range(opcode, attributes, known, types)
    return exact if exact and full[0] <= exact[0] and exact[1] <= full[1] else full
