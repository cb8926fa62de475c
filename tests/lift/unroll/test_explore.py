"""What makes execution fast does not change what it finds."""

from __future__ import annotations

import pytest

from lift.unroll.extract import Lift
from lift.unroll.machine import Cycle, Machine
from lift.unroll.terms import Term
from tests.lift.lifted import RTL, lift_of
from tests.lift.unroll.digest import text


def again() -> str:
    return text(lift_of([RTL], "Gemmini", {"DIM": 4}))


def test_computing_everything_at_once_gives_the_same_lift(gemmini: Lift, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "_is_data", lambda self, name: False)
    assert again() == text(gemmini)


def test_remembering_nothing_gives_the_same_lift(gemmini: Lift, monkeypatch: pytest.MonkeyPatch) -> None:
    def computed(cycle: Cycle, node: object, plan: object) -> Term:
        return cycle.value(node)  # type: ignore[arg-type]

    monkeypatch.setattr(Cycle, "_remembered", computed)
    assert again() == text(gemmini)


def test_every_path_of_the_accelerator_comes_to_rest(gemmini: Lift) -> None:
    assert all(path.returns is None for e in gemmini.unit.executions.values() for path in e.paths)
