"""The text of a large constant -> nested tuples, without a token for each of its numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from act.hlo.dtypes import integer_range, is_float

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NUMBERS = re.compile(r"[^{},\s]+")
_SPACE = re.compile(r"[^{},]+")


def flat(value: Any) -> Sequence[Any]:
    """The elements of a constant, row by row."""
    found: Sequence[Any] = (value,)
    while found and isinstance(found[0], tuple):
        found = [each for part in found for each in part]
    return found


def quick_literal(text: str, dtype: str, dims: tuple[int, ...]) -> Any:
    """The value of `{ {1, 2}, {3, 4} }`; None where it is not plainly of this shape and type, so that a closer look finds out why."""
    text = _COMMENT.sub("", text)
    if _SPACE.sub("", text) != _braces(dims):
        return None
    try:
        values = _values(_NUMBERS.findall(text), dtype)
    except ValueError:
        return None
    return None if values is None or len(values) != math.prod(dims) else _nested(values, dims)


def _braces(dims: tuple[int, ...]) -> str:
    """The braces and commas of a constant of these dimensions."""
    result = ""
    for size in reversed(dims):
        result = "{" + ",".join([result] * size) + "}"
    return result


def _values(numbers: list[str], dtype: str) -> Sequence[Any] | None:
    if is_float(dtype):
        values = list(map(float, numbers))
        return [math.nan if value != value else value for value in values]
    if dtype == "pred":
        return [_TRUTH[number] for number in numbers] if set(numbers) <= _TRUTH.keys() else None
    integers = list(map(int, numbers))
    low, high = integer_range(dtype)
    return integers if integers and low <= min(integers) and max(integers) <= high else None


_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def _nested(values: Sequence[Any], dims: tuple[int, ...]) -> Any:
    for size in reversed(dims[1:]):
        values = [tuple(values[start : start + size]) for start in range(0, len(values), size)]
    return tuple(values)
