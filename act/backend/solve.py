"""Homes that first fit could not place -> places found by a constraint solver (OR-tools CP-SAT, which is imported only then).

Homes are boxes of time and places that must not overlap.  One worker, a fixed seed and a limit that counts work and not seconds make the
answer the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from act.backend.homes import Home, Places

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

WORK = 5.0
"""The limit, in the solver's units of deterministic time."""
AGAIN = 32
"""How often an answer that breaks a condition over several coordinates is forbidden and another is asked for."""


def solve_places(homes: Sequence[Home]) -> dict[Home, Places] | None:
    """A place for each home of one memory; None when there is none or none was found within the limit."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    starts = _variables(model, homes)
    if starts is None:
        return None
    _apart(model, homes, starts)
    for _ in range(AGAIN):
        found = _answer(model, starts)
        broken = [] if found is None else [home for home, at in found.items() if not all(each.together(at) for each in home.constraints)]
        if not broken:
            return found
        for home in broken:
            assert found is not None
            model.add_forbidden_assignments(starts[home], [found[home]])
    return None


def solve_related(
    groups: Sequence[Sequence[Home]], relate: Callable[[cp_model.CpModel, dict[Home, list[Any]]], None], broken: Callable[[], list[list[Home]]]
) -> bool:
    """Gives the homes of several memories places with the relations that `relate` adds; `broken` names the homes of each relation that
    does not hold all the same, which is then forbidden.  False when no places were found."""
    from ortools.sat.python import cp_model

    model, starts = cp_model.CpModel(), {}
    for homes in groups:
        found = _variables(model, homes)
        if found is None:
            return False
        starts |= found
        _apart(model, homes, starts)
    relate(model, starts)
    for _ in range(AGAIN):
        answer = _answer(model, starts)
        if answer is None:
            return False
        for home, at in answer.items():
            home.at = at
        wrong = broken()
        if not wrong:
            return True
        for homes in wrong:
            unique = list(dict.fromkeys(homes))
            model.add_forbidden_assignments([each for home in unique for each in starts[home]], [tuple(each for home in unique for each in home.at)])
    return False


def _variables(model: cp_model.CpModel, homes: Sequence[Home]) -> dict[Home, list[Any]] | None:
    """The place of every home along every coordinate; None when a home has none."""
    from ortools.sat.python import cp_model

    starts = {}
    for home in homes:
        places = [list(home.places(which)) for which in range(len(home.limits))]
        if not all(places):
            return None
        starts[home] = [model.new_int_var_from_domain(cp_model.Domain.FromValues(each), "") for each in places]
    return starts


def _apart(model: cp_model.CpModel, homes: Sequence[Home], starts: dict[Home, list[Any]]) -> None:
    """Homes that live at the same time are apart along some coordinate; along one alone they are rectangles of time by places."""
    free = sorted({which for home in homes for which in home.free()})
    if len(free) == 1:
        times = [model.new_fixed_size_interval_var(home.begin, home.end + 1 - home.begin, "") for home in homes]
        places = [model.new_fixed_size_interval_var(starts[home][free[0]], home.sizes[free[0]], "") for home in homes]
        model.add_no_overlap_2d(times, places)
        return
    for number, first in enumerate(homes):
        for second in homes[number + 1 :]:
            if first.together_with(second):
                model.add_bool_or([each for which in range(len(first.limits)) for each in _sides(model, starts, which, first, second)])


def _sides(model: cp_model.CpModel, starts: dict[Home, list[Any]], which: int, first: Home, second: Home) -> list[Any]:
    """That one ends before the other begins, along one coordinate."""
    sides = []
    for below, above in ((first, second), (second, first)):
        side = model.new_bool_var("")
        model.add(starts[below][which] + below.sizes[which] <= starts[above][which]).only_enforce_if(side)
        sides.append(side)
    return sides


def _answer(model: cp_model.CpModel, starts: dict[Home, list[Any]]) -> dict[Home, Places] | None:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = WORK
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return {home: tuple(solver.value(start) for start in each) for home, each in starts.items()}
