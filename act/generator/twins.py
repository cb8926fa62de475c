"""Instructions on wide integers -> the same instructions seen modulo 2**w, for programs that only want the low bits in the end.

Before --> after:  `acc = dot(convert<s32>(a), convert<s32>(b)) + acc` --> `acc = dot(a, b) + acc` in s8, where the memory of 32-bit sums
holds any numbers with these low bytes; and `convert<s8>(acc)`, which moves them out, is the value itself.

Low bits of sums, differences and products depend on low bits only, so a twin says no more than its instruction; arithmetic in a narrow type
needs no detour over a wide one.  There are twins where some instruction gives the low bits out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.analysis import integral
from act.generator.model import Apply, InHost, Leaf, Operand, Pattern, Selector, Splat
from act.generator.pattern import renormalised
from act.hlo.dtypes import width, wrap
from act.records import replace

RING = frozenset(["sum", "subtract", "negate", "multiply", "dot"])
MOVES = frozenset(["broadcast", "reshape", "transpose", "slice", "reverse", "pad"])


def twins(selectors: Sequence[Selector]) -> tuple[Selector, ...]:
    """The twins of all instructions, in their order."""
    exits = [found for selector in selectors if (found := _exit(selector)) is not None]
    types = dict.fromkeys(each.result.dtype for each in exits)
    entries = [found for dtype in types for selector in selectors if (found := _twin(selector, dtype)) is not None]
    return (*entries, *exits) if entries else ()


def _exit(selector: Selector) -> Selector | None:
    """An instruction that gives the low bits of an operand on chip, with the low bits as operand."""
    pattern = selector.pattern
    if not isinstance(pattern, Apply) or pattern.opcode != "convert":
        return None
    found = narrowed(pattern, pattern.dtype, selector)
    return _with(selector, found, pattern.dtype) if found is not None and _narrow_leaves(found, selector) else None


def _twin(selector: Selector, dtype: str) -> Selector | None:
    """The instruction modulo 2**w, if it leaves a wider integer on chip."""
    if isinstance(selector.result.access, InHost) or not _wider(selector.result.dtype, dtype):
        return None
    found = narrowed(selector.pattern, dtype, selector)
    return None if found is None else _with(selector, found, dtype)


def _with(selector: Selector, pattern: Pattern, dtype: str) -> Selector:
    narrow = _narrow_leaves(pattern, selector)
    operands = tuple(replace(each, dtype=narrow.get(number, each.dtype)) for number, each in enumerate(selector.operands))
    result: Operand = replace(selector.result, dtype=dtype)
    return replace(selector, operands=operands, result=result, pattern=renormalised(pattern), narrow=dtype)


def _narrow_leaves(pattern: Pattern, selector: Selector) -> dict[int, str]:
    """The operands that a pattern takes in another type than the instruction."""
    return {leaf.operand: leaf.dtype for leaf in _leaves(pattern) if leaf.dtype != selector.operands[leaf.operand].dtype}


def _leaves(pattern: Pattern) -> Iterator[Leaf]:
    if isinstance(pattern, Leaf):
        yield pattern
    if isinstance(pattern, Apply):
        for child in pattern.children:
            yield from _leaves(child)


def _wider(dtype: str, narrow: str) -> bool:
    return integral(dtype) and width(dtype) > width(narrow)


def narrowed(pattern: Pattern, dtype: str, selector: Selector) -> Pattern | None:
    """The low bits of `pattern` as a pattern of the integer type `dtype`; None when they depend on more than low bits."""
    if pattern.dtype == dtype and not isinstance(pattern, Apply):
        return pattern
    if not integral(pattern.dtype):
        return None
    match pattern:
        case Leaf(operand) if _wider(pattern.dtype, dtype) and not isinstance(selector.operands[operand].access, InHost):
            return replace(pattern, dtype=dtype)
        case Splat(value) if not isinstance(value, int):
            return None
        case Splat(value):
            return replace(pattern, value=wrap(dtype, value), dtype=dtype)
        case Apply("convert", children=(child,)) if _wider(pattern.dtype, dtype) or pattern.dtype == dtype:
            inner = narrowed(child, dtype, selector) if child.dtype == dtype or _wider(child.dtype, dtype) else None
            return inner if inner is not None else _converted(child, dtype)
        case Apply(opcode) if opcode in RING | MOVES:
            children = [narrowed(child, dtype, selector) for child in pattern.children]
            return None if None in children else replace(pattern, dtype=dtype, children=tuple(children))
    return _converted(pattern, dtype) if isinstance(pattern, Leaf) and _wider(pattern.dtype, dtype) else None


def _converted(pattern: Pattern, dtype: str) -> Pattern | None:
    return Apply("convert", (), dtype, pattern.dims, (pattern,)) if integral(pattern.dtype) else None
