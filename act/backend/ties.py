"""Values that lie in fixed places relative to each other -> groups that are moved as one: a weighted union-find.

An operand that is updated in place lies where the result lies, a slice inside its operand, a piece inside its whole.
"""

from __future__ import annotations

from collections.abc import Iterable

from act.backend.homes import Places
from act.backend.order import box, step_dims
from act.backend.plan import Identity, Step, Value
from act.generator.model import OnChip
from act.records import dataclass, field


@dataclass(slots=True)
class Ties:
    """`ranks` gives the number of coordinates of each memory.  A value begins `offset` after the value that stands for its group."""

    ranks: dict[str, int]
    _parents: dict[Value, tuple[Value, Places]] = field(default_factory=dict)
    _members: dict[Value, list[Value]] = field(default_factory=dict)

    def add(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if step.target is None:
                self.find(step)
            for operand, value in zip(step.match.selector.operands, step.operands, strict=True):
                if isinstance(value, Identity):
                    self._identity(value)
                if operand.tied and step.target is None and isinstance(value, (Step, Identity)):
                    self._tie(value, step, self._zero(step))

    def _zero(self, value: Value) -> Places:
        return (0,) * self.ranks[buffer_of(value)]

    def _identity(self, value: Identity) -> None:
        for part, start in zip(value.parts, value.starts, strict=True):
            offset = list(self._zero(value))
            for axis, index in zip(value.axes, start, strict=True):
                offset[axis] = index
            if isinstance(part, Identity):
                self._identity(part)
            inner, outer = (value, part) if value.is_slice else (part, value)
            self._tie(outer, inner, tuple(offset))

    def find(self, value: Value) -> tuple[Value, Places]:
        """The value that stands for the group, and where `value` begins relative to it."""
        if value not in self._parents:
            self._parents[value] = value, self._zero(value)
            self._members[value] = [value]
        parent, offset = self._parents[value]
        if parent is value:
            return value, offset
        root, more = self.find(parent)
        self._parents[value] = root, _sum(more, offset)
        return self._parents[value]

    def _tie(self, outer: Value, inner: Value, offset: Places) -> None:
        """`inner` begins `offset` after `outer`."""
        (first, before), (second, after) = self.find(outer), self.find(inner)
        if first is second:
            if _sum(before, offset) != after:
                raise Contradiction
            return
        self._parents[second] = first, tuple(a + b - c for a, b, c in zip(before, offset, after, strict=True))
        self._members[first] += self._members.pop(second)

    def box(self, root: Value) -> tuple[Places, Places]:
        """Where the group begins relative to the value that stands for it, and its sizes."""
        spans = [(self.find(member)[1], extents(member, self.ranks[buffer_of(member)])) for member in self._members[root]]
        low = tuple(min(offset[which] for offset, _ in spans) for which in range(len(spans[0][0])))
        high = tuple(max(offset[which] + size[which] for offset, size in spans) for which in range(len(low)))
        return low, tuple(end - begin for begin, end in zip(low, high, strict=True))


class Contradiction(Exception):
    """A value would have to be in two places."""


def buffer_of(value: Value) -> str:
    if isinstance(value, Identity):
        return value.buffer
    access = value.match.selector.result.access
    assert isinstance(access, OnChip)
    return access.buffer


def extents(value: Value, rank: int) -> Places:
    """The size of a value along every coordinate."""
    if isinstance(value, Step):
        access = value.match.selector.result.access
        assert isinstance(access, OnChip)
        return box(access, step_dims(value))
    reach = [1] * rank
    for size, axis in zip(value.dims, value.axes, strict=True):
        reach[axis] = size
    return tuple(reach)


def _sum(first: Places, second: Places) -> Places:
    return tuple(a + b for a, b in zip(first, second, strict=True))
