"""What registers are whenever the unit is at rest, by induction over the commands: pointers with one idle value that end every path with one value are
equal, and what every path leaves as it is or gives its idle value has that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lift.discover.unit import Same
from lift.unroll.paths import Path
from lift.unroll.terms import Term

Grouped = dict[str, str]  # a register and the first of its group: what has moved apart stays apart


def classes(movers: Iterable[str], idle: dict[str, Term], paths: Sequence[Path], grouped: Grouped) -> Same:
    """Each of `movers` and the one that it equals, by induction over the commands; `grouped` is told."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in sorted(movers):
        finals = tuple(p.final.value(name) for p in paths)
        groups.setdefault((idle[name], grouped.get(name), finals), []).append(name)
    grouped.update((n, names[0]) for names in groups.values() for n in names)
    return {n: names[0] for names in groups.values() for n in names[1:]}


def with_guess(alike: tuple[tuple[str, ...], ...], same: Same, grouped: Grouped) -> Same:
    """`same` with what one path has moved `alike`, for the next execution: whether all paths do is seen when they are all there."""
    groups: dict[tuple[str, str | None], list[str]] = {}
    taken = {*same, *same.values()}
    for names in alike:
        for name in names:
            if name not in taken:
                groups.setdefault((names[0], grouped.get(name)), []).append(name)
    return {**same, **{n: names[0] for names in groups.values() for n in names[1:]}}


def equally(moves: Iterable[tuple[Term, object, str]]) -> tuple[tuple[str, ...], ...]:
    """The names, of which several have moved between the same two values."""
    groups: dict[tuple[Term, object], list[str]] = {}
    for before, after, name in moves:
        groups.setdefault((before, after), []).append(name)
    return tuple(tuple(names) for names in groups.values() if len(names) > 1)


def steady(paths: Iterable[Path], values: Mapping[str, tuple[Term, ...]]) -> set[str]:
    """Registers that every path leaves with one of their `values`: those before the command and the idle ones.  By induction over the commands these have
    their idle value between any two."""
    ends: dict[str, set[Term]] = {n: set() for n in values}
    for path in paths:
        for name, found in ends.items():
            found.add(path.final.value(name))
    return {n for n, found in ends.items() if found <= set(values[n])}
