"""Arithmetic on dimensions, which are integers or symbolic integers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Protocol

from act.hlo.model import Dimension


class Arithmetic(Protocol):
    """What shape inference needs of symbolic integers.  Arguments may be ints; at least one of them is not."""

    def add(self, a: Dimension, b: Dimension) -> Dimension: ...

    def subtract(self, a: Dimension, b: Dimension) -> Dimension: ...

    def multiply(self, a: Dimension, b: Dimension) -> Dimension: ...

    def divide(self, a: Dimension, b: Dimension) -> Dimension:
        """Rounded down."""
        ...

    def equal(self, a: Dimension, b: Dimension) -> bool:
        """Equal for all values; false when that cannot be shown."""
        ...

    def at_most(self, a: Dimension, b: Dimension) -> bool:
        """a <= b for all values; false when that cannot be shown."""
        ...


class Sizes:
    """Ints are computed here; everything else is asked of `symbolic`."""

    def __init__(self, symbolic: Arithmetic | None = None) -> None:
        self.symbolic = symbolic

    def _of(self, a: Dimension, b: Dimension) -> Arithmetic:
        if self.symbolic is None:
            raise TypeError(f"a symbolic dimension without symbolic arithmetic: {a}, {b}")
        return self.symbolic

    def add(self, a: Dimension, b: Dimension) -> Dimension:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return a if _is(b, 0) else b if _is(a, 0) else self._of(a, b).add(a, b)

    def subtract(self, a: Dimension, b: Dimension) -> Dimension:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if _is(b, 0) else self._of(a, b).subtract(a, b)

    def multiply(self, a: Dimension, b: Dimension) -> Dimension:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        return a if _is(b, 1) else b if _is(a, 1) else self._of(a, b).multiply(a, b)

    def divide(self, a: Dimension, b: Dimension) -> Dimension:
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return a if _is(b, 1) else self._of(a, b).divide(a, b)

    def equal(self, a: Dimension, b: Dimension) -> bool:
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        return a == b or self._of(a, b).equal(a, b)

    def at_most(self, a: Dimension, b: Dimension) -> bool:
        if isinstance(a, int) and isinstance(b, int):
            return a <= b
        return a == b or self._of(a, b).at_most(a, b)

    def total(self, sizes: Iterable[Dimension]) -> Dimension:
        return reduce(self.add, sizes, 0)

    def product(self, sizes: Iterable[Dimension]) -> Dimension:
        return reduce(self.multiply, sizes, 1)

    def same(self, left: Iterable[Dimension], right: Iterable[Dimension]) -> bool:
        first, second = tuple(left), tuple(right)
        return len(first) == len(second) and all(self.equal(a, b) for a, b in zip(first, second, strict=True))


def _is(value: Dimension, number: int) -> bool:
    return isinstance(value, int) and value == number
