"""A value that is a function of one wider value -> the bounds that it may be clamped to, found by evaluation (to be proved afterwards)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import PURE, constant_value, result, width
from lift.passes.match import without_extensions
from lift.prove.cone import Cone, cone

_MAX_OPERATIONS = 80
_THROUGH = frozenset("arith.select arith.andi arith.ori arith.xori arith.trunci arith.cmpi arith.extsi arith.extui arith.shrui arith.shrsi arith.shli".split())


@dataclass(frozen=True, slots=True)
class Clamp:
    """min(max(x, low), high) in `to` bits, with x read as signed or unsigned."""

    x: SSAValue
    low: int
    high: int
    signed: bool
    to: int

    @property
    def saturates(self) -> bool:
        """Bounded otherwise than by 0 below and the largest value of x above."""
        return not (self.is_relu and self.high == (1 << (width(self.x) - 1)) - 1)

    @property
    def is_relu(self) -> bool:
        return self.signed and self.low == 0


def clamps(op: Operation) -> Iterator[Clamp]:
    """Clamps that `op` agrees with at the ends and beyond its bounds."""
    value = result(op)
    common = _on_every_way(value)
    if not any(width(v) >= width(value) for v in common):
        return
    for x in sources(value):
        if x not in common or closed(value, {x}) is None:
            continue
        part = cone((value,), {x})
        for signed, result_signed in ((True, True), (True, False), (False, False)):
            found = _bounds(part, x, width(value), signed, result_signed)
            if found is not None and _agrees(found, part):
                yield found


def _on_every_way(value: SSAValue) -> set[SSAValue]:
    """Some of what `value` depends on, with every value that it depends on alone: that lies on each way down to a leaf, and these are two of them."""
    first, last = _way_down(value, 0), _way_down(value, -1)
    return first & last


def _way_down(value: SSAValue, side: int) -> set[SSAValue]:
    """The values on the way through the first or the last operands that are no constants."""
    found: set[SSAValue] = set()
    while len(found) <= _MAX_OPERATIONS and isinstance(op := value.owner, Operation) and op.name in PURE:
        varying = [v for v in op._operands if constant_value(v) is None]
        if not varying:
            break
        value = varying[side]
        found.add(value)
    return found


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


def sources(value: SSAValue) -> list[SSAValue]:
    """Candidates for x: what is compared, truncated or shifted on the way down from `value`, nearest first, and at least as wide."""
    found: dict[SSAValue, None] = {}
    seen, queue = {value}, [value]
    for current in queue:
        op = current.owner
        if not isinstance(op, Operation) or op.name not in _THROUGH or len(queue) > _MAX_OPERATIONS:
            continue
        for operand in op._operands:
            bare = without_extensions(operand)[0]
            if constant_value(operand) is None and width(bare) >= width(value) and bare is not value and width(bare) > 1:
                found[bare] = None
        fresh = [v for v in op._operands if v not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return list(found)[:8]


def _bounds(part: Cone, x: SSAValue, to: int, signed: bool, result_signed: bool) -> Clamp | None:
    """The values at the least and the greatest x, if they are a proper part of its range."""
    bits = width(x)
    least, greatest = ((1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    low, high = (_read(part.evaluate([v])[0], to, result_signed) for v in (least, greatest))
    inside = _read(least, bits, signed) <= low < high <= greatest
    whole = (low, high) == (_read(least, bits, signed), greatest)
    return Clamp(x, low, high, signed, to) if inside and not whole else None


def _read(value: int, bits: int, signed: bool) -> int:
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _agrees(found: Clamp, part: Cone) -> bool:
    """A quick look at the neighbourhoods of the bounds, of zero and of the ends; most impostors fail it."""
    bits = width(found.x)
    ends = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1, (1 << bits) - 1)
    for centre in (found.low, found.high, 0, *ends, found.high // 2, 3 * found.high):
        for raw in (centre - 1, centre, centre + 1):
            x = raw & ((1 << bits) - 1)
            expected = min(max(_read(x, bits, found.signed), found.low), found.high)
            if part.evaluate([x])[0] != expected & ((1 << found.to) - 1):
                return False
    return True
