"""Where a value may live in an accelerator memory: a box of places along every coordinate, for a range of steps.

Two homes are apart when they are not alive together, or when they do not meet along any one coordinate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.memo import names_of
from act.generator.model import Start
from act.records import dataclass, field
from act.taidl.expr import ExprError, evaluate
from act.taidl.model import Expr

Places = tuple[int, ...]
"""A number for every coordinate."""


def solve_start(start: Start, place: int, alpha: dict[str, int]) -> int | None:
    """The value of the attribute that puts the first element at `place`; None if there is none.  0 for a fixed place that is right."""
    rest = place - evaluate(start.offset, alpha)
    if start.attribute is None:
        return 0 if rest == 0 else None
    return rest // start.scale if rest >= 0 and rest % start.scale == 0 else None


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """What one step asks of a home: `starts` are the coordinates it addresses, `conditions` those over their attributes and alpha alone.
    `offset` is where in the home its operand begins.  Compared by identity: an allocator makes equal ones once."""

    starts: tuple[tuple[int, Start], ...]
    alpha: tuple[tuple[str, int], ...]
    conditions: tuple[Expr, ...]
    offset: Places
    _shifts: tuple[tuple[int, str | None, int, int], ...] = field(init=False)
    _allowed: dict[tuple[int, int], bool] = field(default_factory=dict)
    given: frozenset[int] = field(init=False)
    chosen: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        """For each start its coordinate and attribute, and by what factor and shift the place is that of the attribute; and which coordinates
        are given, and which an attribute chooses."""
        alpha = dict(self.alpha)
        shifts = tuple((which, start.attribute, start.scale, evaluate(start.offset, alpha) - self.offset[which]) for which, start in self.starts)
        object.__setattr__(self, "_shifts", shifts)
        object.__setattr__(self, "given", frozenset([which for which, start in self.starts if start.attribute is None]))
        object.__setattr__(self, "chosen", frozenset([which for which, start in self.starts if start.attribute is not None]))

    def allows(self, coordinate: int, place: int) -> bool:
        """Whether the home may begin at `place` of one coordinate, as far as that alone says."""
        found = self._allowed.get((coordinate, place))
        if found is None:
            found = self._allowed[coordinate, place] = self._allows(coordinate, place)
        return found

    def _allows(self, coordinate: int, place: int) -> bool:
        for which, attribute, scale, shift in self._shifts:
            if which == coordinate:
                rest = place - shift
                if attribute is None:
                    return rest == 0
                return rest >= 0 and rest % scale == 0 and self._holds({attribute: rest // scale})
        return True

    def wanted(self, coordinate: int) -> str:
        """Where the operand may begin along one coordinate, in words; nothing where it is not said."""
        found = [(attribute, scale, shift + self.offset[which]) for which, attribute, scale, shift in self._shifts if which == coordinate]
        return " and ".join(f"at {shift}" if attribute is None else f"at {attribute} * {scale} + {shift}" for attribute, scale, shift in found)

    def together(self, at: Places) -> bool:
        """Whether the home may begin at `at`."""
        if not self.conditions:
            return all(self.allows(which, at[which]) for which, *_ in self._shifts)
        values = {attribute: (at[which] - shift) // scale for which, attribute, scale, shift in self._shifts if attribute is not None}
        return all(self.allows(which, at[which]) for which, *_ in self._shifts) and self._holds(values)

    def _holds(self, values: dict[str, int]) -> bool:
        if not self.conditions:
            return True
        known = {**dict(self.alpha), **values}
        return all(holds(condition, known) for condition in self.conditions)


def holds(condition: Expr, values: dict[str, int]) -> bool:
    """Whether a condition is true, or not known yet."""
    try:
        return not names_of(condition) <= values.keys() or evaluate(condition, values) != 0
    except ExprError:
        return False


@dataclass(eq=False, slots=True)
class Home:
    """A box of `sizes` that begins at `at`, in a `buffer` of `limits`, for the steps `begin` to `end` (both included)."""

    buffer: str
    limits: Places
    sizes: Places
    begin: int
    end: int
    constraints: dict[Constraint, None] = field(default_factory=dict)
    at: Places = ()

    @property
    def fixed(self) -> bool:
        """Whether a coordinate that others choose is given."""
        return bool(self.constraints) and not self.free()

    def free(self) -> list[int]:
        """The coordinates whose place is chosen."""
        given = frozenset().union(*[each.given for each in self.constraints])
        return sorted(frozenset().union(*[each.chosen for each in self.constraints]) - given)

    def places(self, coordinate: int, first: int = 0) -> Iterator[int]:
        """The places of one coordinate, from `first` on, at which every step that uses the home can address it."""
        last = self.limits[coordinate] - self.sizes[coordinate]
        return (place for place in range(first, last + 1) if self.may_begin(coordinate, place))

    def may_begin(self, coordinate: int, place: int) -> bool:
        """Whether every step that uses the home can address it there."""
        if place + self.sizes[coordinate] > self.limits[coordinate]:
            return False
        return all(each.allows(coordinate, place) for each in self.constraints)

    def meets(self, other: Home, apart: int = -1) -> bool:
        """Whether two homes that have their places overlap along every coordinate, but for `apart`."""
        places = enumerate(zip(self.at, self.sizes, other.at, other.sizes, strict=True))
        return not any((here + size <= there or there + length <= here) and which != apart for which, (here, size, there, length) in places)

    def together_with(self, other: Home) -> bool:
        """Whether both are alive at some step."""
        return self.begin <= other.end and other.begin <= self.end


def first_fit(home: Home, placed: Sequence[Home]) -> bool:
    """Gives a home the first place that meets none of those that live at the same time; False when there is none."""
    begin, end = home.begin, home.end
    others = [each for each in placed if begin <= each.end and each.begin <= end]
    free = home.free()
    one_way = len(free) == 1
    for at in _one_way(home, others, free[0]) if one_way else _from(home, _corners(home, others, free)):
        home.at = at
        if (one_way or not any(map(home.meets, others))) and all(each.together(at) for each in home.constraints):
            return True
    home.at = ()
    return False


def _one_way(home: Home, others: Sequence[Home], which: int) -> Iterator[Places]:
    """The lowest place along the one coordinate that is chosen, at which the home meets none of the others."""
    at = [next(home.places(other), 0) for other in range(len(home.limits))]
    home.at = tuple(at)
    size, place = home.sizes[which], at[which] if home.may_begin(which, at[which]) else None
    for begin, end in sorted([(each.at[which], each.at[which] + each.sizes[which]) for each in others if home.meets(each, which)]):
        if place is None or place + size <= begin:
            break
        if end > place:
            place = end if home.may_begin(which, end) else next(home.places(which, end + 1), None)
    if place is not None:
        yield (*at[:which], place, *at[which + 1 :])


def _corners(home: Home, others: Sequence[Home], free: Sequence[int]) -> list[list[int]]:
    """Where a home may begin along each coordinate: at the beginning, and where others end."""
    return [sorted({0, *(each.at[which] + each.sizes[which] for each in others)}) if which in free else [0] for which in range(len(home.limits))]


def _from(home: Home, corners: Sequence[Sequence[int]]) -> Iterator[Places]:
    """For every combination of corners the next places that the home may have."""
    if not corners:
        yield ()
        return
    for first in corners[0]:
        place = next(home.places(len(home.limits) - len(corners), first), None)
        if place is not None:
            yield from ((place, *rest) for rest in _from(home, corners[1:]))
