"""A value -> the one or two values that it is a function of.

A *front* of a value is a set of values on which it depends alone (beside constants).  Operations are taken away latest first, so that every front of one or two
values near it is met; sums of products last, as what follows them is about them.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping

from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import PURE, constant_value, walk, width
from lift.passes.match import MAC, SUM, made_by

Entry = tuple[bool, int, int, SSAValue]

_MAX_OPERATIONS = 80
_MAX_DEPTH = 40
_MAX_FRONT = 6
_MAX_FRONTS = 12
_MAX_SOURCES = 8


def positions(block: Block) -> dict[Operation, int]:
    """Where each operation stands in a function."""
    return {op: k for k, op in enumerate(walk(block))}


def fronts(value: SSAValue, at: Mapping[Operation, int]) -> Iterator[tuple[SSAValue, ...]]:
    """The fronts of one and two values, nearest first; `at` are the positions of the operations."""
    queue, waiting, fixed = list[Entry](), {value}, list[SSAValue]()
    if getattr(value.owner, "name", None) not in PURE:
        return
    _wait(queue, value, at)
    found = 0
    for _ in range(_MAX_DEPTH):
        if not queue or found == _MAX_FRONTS:
            return
        current = heapq.heappop(queue)[-1]
        for operand in current.owner._operands:  # type: ignore[union-attr]
            if operand in waiting or constant_value(operand) is not None:
                continue
            waiting.add(operand)
            if getattr(operand.owner, "name", None) in PURE:
                _wait(queue, operand, at)
            else:
                fixed.append(operand)
        size = len(queue) + len(fixed)
        if size > _MAX_FRONT or len(fixed) > 2:
            return
        if 0 < size <= 2:
            found += 1
            yield (*(entry[-1] for entry in queue), *fixed)


def _wait(queue: list[Entry], value: SSAValue, at: Mapping[Operation, int]) -> None:
    op = value.owner
    assert isinstance(op, Operation)
    heapq.heappush(queue, (MAC in op.attributes or SUM in op.attributes, -at[op], id(value), value))


def closed(value: SSAValue, leaves: Collection[SSAValue]) -> list[Operation] | None:
    """The operations between `value` and `leaves`, None if it depends on anything else but constants, not on all of them, or on too many operations."""
    inside: list[Operation] = []
    seen, stack = {value}, [value]
    while stack:
        current = stack.pop()
        op = current.owner
        if current in leaves and current is not value:
            continue
        if not isinstance(op, Operation) or op.name not in PURE or len(inside) > _MAX_OPERATIONS:
            return None
        inside.append(op)
        fresh = [v for v in op._operands if v not in seen]
        seen.update(fresh)
        stack.extend(fresh)
    return inside if all(leaf in seen for leaf in leaves) else None


def sources(value: SSAValue, at: Mapping[Operation, int] | None = None) -> list[SSAValue]:
    """What `value` is a function of, each alone, nearest first; of an extension and what it extends only the latter."""
    if at is None:
        at = positions(_outermost(value))
    found: list[SSAValue] = []
    for front in fronts(value, at):
        if len(front) == 1 and width(front[0]) > 1 and made_by(front[0], "arith.extsi", "arith.extui") is None:
            found.append(front[0])
            if len(found) == _MAX_SOURCES:
                break
    return found


def _outermost(value: SSAValue) -> Block:
    """The body of the function that `value` is in."""
    block = value.owner.parent_block() if isinstance(value.owner, Operation) else value.owner
    assert block is not None
    while (parent := block.parent_op()) is not None and (around := parent.parent_block()) is not None and parent.name != "func.func":
        block = around
    return block
