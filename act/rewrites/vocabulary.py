"""The selectors of an accelerator -> the operators that its instructions compute, by which rules are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from act.generator.model import Apply, Pattern, Selector, Splat
from act.rewrites.model import CONSTANT

IN_HOST = frozenset("broadcast transpose slice concatenate pad".split())
"""Movements that are other addresses when an input is read or an output written."""


def vocabulary(selectors: Iterable[Selector]) -> frozenset[str]:
    """Operators by name; those that only occur with a constant operand, such as a maximum with 0, as `maximum:constant`."""
    return IN_HOST.union(name for selector in selectors for name in _operators(selector.pattern))


def _operators(pattern: Pattern) -> Iterator[str]:
    if isinstance(pattern, Apply):
        limited = pattern.opcode not in ("clamp", "select") and any(isinstance(child, Splat) for child in pattern.children)
        yield f"{pattern.opcode}{CONSTANT if limited else ''}"
        for child in pattern.children:
            yield from _operators(child)
