"""A case statement to alternatives, each with its 1-bit condition."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.module import Case, Statement

Alternative = tuple[tuple[Node, ...], Node | None, tuple[Statement, ...]]
_ENUMERATED_WIDTH = 12


def branches(b: Builder, selector: Node, case: Case, evaluate: Callable[[Node], Node]) -> list[Alternative]:
    """(conditions on the path, condition to select, body) of each item and the default.

    When the patterns cover every value the last item needs no condition; when they exclude each other a path needs its own alone.
    """
    items = [([evaluate(p) for p in patterns], body) for patterns, body in case.items]
    values = _enumerate(selector.width, [p for patterns, _ in items for p in patterns], case.wildcards)
    disjoint = values is not None and len(set(values)) == len(values)
    possible = selector.args[0].width if selector.op == "zext" else selector.width
    full = values is not None and len({v for v in values if not v >> possible}) == 1 << possible
    result: list[Alternative] = []
    failed: tuple[Node, ...] = ()
    for number, (patterns, body) in enumerate(items):
        hit = _any(b, [match_pattern(b, selector, p, case.wildcards) for p in patterns])
        last = full and number == len(items) - 1
        result.append(((hit,) if disjoint else (*failed, hit), None if last else hit, body))
        failed = (*failed, b.op("not", hit))
    return result if full else [*result, (failed, None, case.default or ())]


def _any(b: Builder, hits: list[Node]) -> Node:
    result = b.const(0, 1)
    for hit in hits:
        result = b.op("or", result, hit)
    return result


def match_pattern(b: Builder, selector: Node, pattern: Node, wildcards: str) -> Node:
    """1 bit: `selector` matches `pattern`; for `wildcards` see `Case`."""
    if pattern.op != "const" or not pattern.xmask:
        return b.op("eq", selector, pattern)
    anything = _anything(pattern, wildcards)
    if pattern.xmask & ~anything:
        return b.const(0, 1)  # an x digit is no two-state value
    assert isinstance(pattern.attr, int)
    care = b.const(~anything, selector.width)
    return b.op("eq", b.op("and", selector, care), b.const(pattern.attr & ~anything, selector.width, 0, pattern.label))


def identical(b: Builder, one: Node, two: Node) -> Node:
    """1 bit: `one === two` for two-state values; an x digit of a literal is identical to none of them."""
    if one.op == two.op == "const" and (one.xmask or two.xmask):
        return b.const((one.attr, one.xmask) == (two.attr, two.xmask), 1)
    return match_pattern(b, one, two, "") if two.op == "const" else match_pattern(b, two, one, "")


def _anything(pattern: Node, wildcards: str) -> int:
    """The bits of `pattern` that match anything."""
    assert isinstance(pattern.attr, int)
    return {"": 0, "z": pattern.xmask & pattern.attr, "x": pattern.xmask}[wildcards]


def _enumerate(width: int, patterns: list[Node], wildcards: str) -> list[int] | None:
    """The values that constant patterns match, one list entry per match; None when there are too many or a pattern is no constant."""
    if any(p.op != "const" for p in patterns):
        return None
    values: list[int] = []
    for pattern in patterns:
        free = [bit for bit in range(width) if _anything(pattern, wildcards) >> bit & 1]
        if len(free) > _ENUMERATED_WIDTH:
            return None
        if pattern.xmask & ~_anything(pattern, wildcards):
            continue
        assert isinstance(pattern.attr, int)
        base = pattern.attr & ~_anything(pattern, wildcards)
        values += [base + sum(bits) for bits in product(*[(0, 1 << bit) for bit in free])]
    return values
