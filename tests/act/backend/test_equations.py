"""Equations with one name, solved for it."""

from __future__ import annotations

import pytest

from act.backend.equations import Binding, equal_values
from act.taidl import evaluate, parse_expr

SIGNED = "(r + 32768) % 65536 - 32768"


@pytest.mark.parametrize(
    ("expr", "value", "solution"),
    [("r", 7, 7), ("r + 3", 7, 4), ("3 + r", 7, 4), ("r - 3", 7, 10), (SIGNED, 3, 3), (SIGNED, -5, 65531), (SIGNED, -32768, 32768), ("(r + 1) % 8", 0, 7)],
)
def test_a_sum_with_constants_is_solved(expr: str, value: int, solution: int) -> None:
    found = equal_values(parse_expr(expr), value, Binding({}, {}))
    assert found is not None and found.alpha == {"r": solution}
    assert evaluate(parse_expr(expr), found.alpha) == value


@pytest.mark.parametrize(("expr", "value"), [("r % 8", 9), (SIGNED, 40000), ("r * 2", 6), ("r + s", 6)])
def test_what_has_no_single_solution_waits(expr: str, value: int) -> None:
    found = equal_values(parse_expr(expr), value, Binding({}, {}))
    assert found is not None and found.alpha == {} and len(found.pending) == 1


def test_a_name_that_is_known_is_not_solved_for_again() -> None:
    found = equal_values(parse_expr("r + 3"), 7, Binding({"r": 1}, {}))
    assert found is not None and found.alpha == {"r": 1} and len(found.pending) == 1
