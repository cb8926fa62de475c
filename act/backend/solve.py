"""Homes that first fit could not place -> rows found by a constraint solver (OR-tools CP-SAT, which is imported only then).

Homes are rectangles of time by rows that must not overlap.  One worker, a fixed seed and a limit that counts work and not seconds make the
answer the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from act.backend.allocate import Home

WORK = 20.0
"""The limit, in the solver's units of deterministic time."""


def solve_rows(homes: Sequence[Home], rows: int, allowed: Mapping[Home, Sequence[int]]) -> dict[Home, int] | None:
    """A row for each home of one memory, out of those `allowed`; None when there is none or none was found within the limit."""
    from ortools.sat.python import cp_model

    if any(not allowed[home] for home in homes):
        return None
    model = cp_model.CpModel()
    starts, times, places = {}, [], []
    for number, home in enumerate(homes):
        domain = cp_model.Domain.FromValues([row for row in allowed[home] if row + home.size <= rows])
        start = starts[home] = model.new_int_var_from_domain(domain, f"row{number}")
        times.append(model.new_fixed_size_interval_var(home.begin, home.end + 1 - home.begin, f"time{number}"))
        places.append(model.new_fixed_size_interval_var(start, home.size, f"place{number}"))
    model.add_no_overlap_2d(times, places)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = WORK
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return {home: solver.value(start) for home, start in starts.items()}
