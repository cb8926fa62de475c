"""Into what pieces the operators of a kernel are cut: the largest tensors that every instruction of the ISA can take at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.generator.model import Apply, OnChip, Operand, Pattern, Selector, Tiles
from act.taidl.bounds import Range, bounds
from act.taidl.model import Accelerator, Expr, Int

UNLIMITED = 1 << 20


def largest_tiles(selectors: Sequence[Selector], accelerator: Accelerator) -> Tiles:
    """What products give and everything that works in the memory of their results can take; without products, what everything can.
    Where everything works on vectors, a tile is one row; single numbers are none of these."""
    products = [selector for selector in selectors if any(_depths(selector))]
    memories = {_memory(selector.result) for selector in products}
    rows, columns = UNLIMITED, UNLIMITED
    for selector in selectors:
        for operand in (selector.result, *selector.operands):
            if len(operand.dims) == 2 and (not memories or _memory(operand) in memories):
                rows = min(rows, _extent(selector, operand, 0, accelerator))
                columns = min(columns, _extent(selector, operand, 1, accelerator))
    if rows == columns == UNLIMITED:
        vectors = [(selector, operand) for selector in selectors for operand in (selector.result, *selector.operands) if len(operand.dims) == 1]
        vectors = [each for each in vectors if each[1].dims != (Int(1),)] or vectors
        rows = 1 if vectors else rows
        columns = min((_extent(selector, operand, 0, accelerator) for selector, operand in vectors), default=columns)
    return Tiles(rows, columns, min((depth for selector in products for depth in _depths(selector)), default=UNLIMITED))


def _memory(operand: Operand) -> str:
    return operand.access.buffer


def _extent(selector: Selector, operand: Operand, dimension: int, accelerator: Accelerator) -> int:
    limit = _high(selector, operand.dims[dimension])
    if isinstance(operand.access, OnChip):
        buffer = accelerator.buffers[operand.access.buffer]
        limit = min(limit, (buffer.access + buffer.unit)[operand.access.axes[dimension]])
    return limit


def _high(selector: Selector, size: Expr) -> int:
    high = bounds(size, {name: Range(0, limit) for name, limit in selector.limits}).high
    return UNLIMITED if high is None else high


def _depths(selector: Selector) -> Iterator[int]:
    for part in _walk(selector.pattern):
        if isinstance(part, Apply) and part.opcode == "dot":
            contracted = dict(part.attributes)["lhs_contracting_dims"]
            yield from (_high(selector, part.children[0].dims[dimension]) for dimension in contracted)
            if not contracted:
                yield 1


def _walk(pattern: Pattern) -> Iterator[Pattern]:
    yield pattern
    if isinstance(pattern, Apply):
        for child in pattern.children:
            yield from _walk(child)
