"""What makes execution fast does not change what it finds."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from lift.discover.environment import Surroundings
from lift.discover.rest import rest
from lift.unroll import terms
from lift.unroll.explore import Explorer
from lift.unroll.extract import Lift
from lift.unroll.function import Loop, Statement
from lift.unroll.machine import Cycle, Machine
from lift.unroll.summarise import Summary
from lift.unroll.terms import Term
from tests.lift import small
from tests.lift.lifted import RTL, lift_of
from tests.lift.unroll.digest import text
from tests.lift.unroll.replay import agree


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


def test_asking_every_write_port_in_every_cycle_gives_the_same_lift(gemmini: Lift, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "ports_after", lambda machine, *_: frozenset(range(len(machine.ports))))
    assert again() == text(gemmini)


def test_write_ports_are_asked_again_when_something_changes_that_their_enables_depend_on(tmp_path: Path) -> None:
    unit = small.machine(small.FILL, tmp_path).unit
    surroundings = Surroundings(unit.machine.netlist, unit.contract, None)
    resting = unit.machine.cycle(rest(unit.machine, unit.idle, surroundings.idle(), {}), surroundings.idle(), {}).after()
    assert resting.ports == frozenset()
    assert unit.machine.changed(resting, {"step": terms.const(3, 8)}).ports == frozenset()
    assert unit.machine.changed(resting, {"state": terms.const(1, 2)}).ports == {0}


def test_ways_that_did_not_meet_are_not_executed_again(gemmini: Lift, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    stretch = Explorer._stretch
    monkeypatch.setattr(Explorer, "_stretch", lambda *given: [made.append(0), stretch(*given)][1])
    assert again() == text(gemmini)
    number = len(made)
    monkeypatch.setattr(Summary, "version", lambda _: object())
    assert again() == text(gemmini)
    assert len(made) - number > number


def test_loops_of_one_path_have_indices_of_their_own_and_the_same_loop_has_the_same(gemmini: Lift) -> None:
    def indices(statements: tuple[Statement, ...]) -> list[str]:
        return [name for s in statements if isinstance(s, Loop) for name in (str(s.index.attr), *indices(s.body))]

    found = [indices(path.statements) for e in gemmini.unit.executions.values() for path in e.paths]
    assert max(map(len, found)) > 1
    for names in found:
        assert sorted(names) == [f"i{n}" for n in range(len(names))]


def test_every_path_of_the_accelerator_comes_to_rest(gemmini: Lift) -> None:
    assert all(path.returns is None for e in gemmini.unit.executions.values() for path in e.paths)


def test_a_loop_around_one_that_is_executed_one_by_one_is_summarised(tmp_path: Path) -> None:
    """Which loop is around which turns out only when the inner one, the columns of a window that end where they should go on, is executed."""
    folder = Path(shutil.copytree(RTL, tmp_path / "rtl"))
    store = folder / "StoreController.v"
    before = "last_wcol  = (wcol_counter == pool_size"
    assert before in store.read_text()
    store.write_text(store.read_text().replace(before, before.replace("==", "!=")))
    lift = lift_of([folder], "Gemmini", {"DIM": 4})
    assert lift.modes["mvout"] and lift.unit.executions["mvout"].opaque is None
    rng = random.Random(0)
    agree(lift, rng.choice(lift.modes["mvout"]), rng)
