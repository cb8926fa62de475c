"""One address attribute that begins several boxes -> where a box must lie, once another one has its place.

`acc[at]` and `out[at]`, which an instruction writes both: where the first is decides where the second must be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from act.backend.homes import Home, Places, solve_start
from act.backend.plan import Step
from act.generator.model import Start
from act.records import dataclass, field
from act.taidl.expr import evaluate


@dataclass(frozen=True, slots=True)
class Link:
    """Coordinate `which` of a home, `offset` after its beginning, is where `start` of a step begins."""

    step: Step
    start: Start
    which: int
    offset: int


@dataclass(slots=True)
class Wanted:
    """Follows which values the attributes of steps have, as homes get their places."""

    _links: dict[Home, list[Link]] = field(default_factory=dict)
    _values: dict[tuple[Step, str], int] = field(default_factory=dict)

    def add(self, step: Step, boxes: Sequence[tuple[Home, int, Start, int]]) -> None:
        """All the boxes of a step: home, coordinate, start, and the offset in the home; those with an attribute of their own do not matter."""
        counts: dict[str, int] = defaultdict(int)
        for _, _, start, _ in boxes:
            if start.attribute:
                counts[start.attribute] += 1
        for home, which, start, offset in boxes:
            if start.attribute and counts[start.attribute] > 1:
                self._links.setdefault(home, []).append(Link(step, start, which, offset))

    def note(self, home: Home) -> None:
        """The home has its place."""
        for link in self._links.get(home, ()):
            assert link.start.attribute is not None
            value = solve_start(link.start, home.at[link.which] + link.offset, dict(link.step.match.alpha))
            if value is not None:
                self._values.setdefault((link.step, link.start.attribute), value)

    def fit(self, home: Home, living: Sequence[Home]) -> bool:
        """Gives the home the place that others ask for, if there is one and it is free."""
        at = self._place(home)
        if at is None:
            return False
        home.at = at
        inside = all(0 <= place <= limit - size for place, limit, size in zip(at, home.limits, home.sizes, strict=True))
        free = inside and not any(home.meets(each) for each in living if each.together_with(home))
        if free and all(each.together(at) for each in home.constraints):
            return True
        home.at = ()
        return False

    def _place(self, home: Home) -> Places | None:
        at: dict[int, int] = {}
        for link in self._links.get(home, ()):
            value = self._values.get((link.step, link.start.attribute or ""))
            if value is not None:
                start = link.start
                at.setdefault(link.which, value * start.scale + evaluate(start.offset, dict(link.step.match.alpha)) - link.offset)
        if not at:
            return None
        return tuple(at[which] if which in at else next(home.places(which), 0) for which in range(len(home.limits)))
