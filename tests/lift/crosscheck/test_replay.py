"""Instructions by their update functions and on Icarus Verilog, from random states: the same, unless a function is damaged."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lift.crosscheck import Given, replay_lift
from lift.crosscheck.replay import OTHERS
from lift.crosscheck.verdicts import Verdict
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import Loop, Statement, UpdateFunction
from tests.lift import small
from tests.lift.crosscheck.small import needs_icarus

pytestmark = needs_icarus

# Another sample every day; a failure is repeated by setting TENSORLIFT_SEED to the seed in its message.
SEED = int(os.environ.get("TENSORLIFT_SEED", date.today().toordinal()))
DESIGNS = {"fill": small.FILL, "nest": small.NEST, "copy": small.COPY, "sum": small.SUM, "ping-pong": small.PING_PONG, "pipeline": small.PIPELINE}


def played(lift: Lift, seed: int = 1, parameters: dict[str, int | str] | None = None, only: list[str] | None = None) -> list[Verdict]:
    return replay_lift(lift.unit.machine.netlist, lift, Given(parameters or {}, seed=seed), only=only)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_small_design_does_what_its_functions_say(name: str, tmp_path: Path) -> None:
    found = played(small.machine(DESIGNS[name], tmp_path))
    assert {v.subject for v in found} == {"set", "run"}
    assert [v for v in found if v.status != "tested"] == []


def test_the_systolic_accelerator_does_what_its_functions_say_sample(gemmini: Lift) -> None:
    names = random.Random(SEED).sample(sorted(gemmini.modes), 3)
    found = played(gemmini, SEED, {"DIM": 4}, names)
    assert {v.subject for v in found} == set(names)
    assert [v for v in found if v.status != "tested"] == [], f"TENSORLIFT_SEED={SEED}"


@pytest.mark.slow
def test_the_systolic_accelerator_does_what_its_functions_say(gemmini: Lift) -> None:
    assert [v for v in played(gemmini, SEED, {"DIM": 4}) if v.status != "tested"] == [], f"TENSORLIFT_SEED={SEED}"


def test_an_opaque_instruction_is_not_comparable(tmp_path: Path) -> None:
    (found,) = [v for v in played(small.machine(small.UNTIL_ZERO, tmp_path)) if v.subject == "run"]
    assert (found.status, found.reason.startswith("opaque: ")) == ("not comparable", True)


def test_every_state_variable_and_the_rest_have_a_verdict(tmp_path: Path) -> None:
    targets = {(v.subject, v.target) for v in played(small.machine(small.FILL, tmp_path))}
    assert targets == {("set", "step"), ("set", OTHERS), ("run", "mem"), ("run", OTHERS)}


def other_data(function: UpdateFunction) -> UpdateFunction:
    """The last bit of what is stored is flipped."""

    def changed(statement: Statement) -> Statement:
        if isinstance(statement, Loop):
            return replace(statement, body=tuple(changed(s) for s in statement.body))
        return replace(statement, data=terms.apply("xor", statement.data.width, (statement.data, terms.const(1, statement.data.width))))

    return replace(function, body=tuple(changed(s) for s in function.body))


def other_address(function: UpdateFunction) -> UpdateFunction:
    def changed(statement: Statement) -> Statement:
        if isinstance(statement, Loop):
            return replace(statement, body=tuple(changed(s) for s in statement.body))
        return replace(statement, address=terms.apply("add", statement.address.width, (statement.address, terms.const(1, statement.address.width))))

    return replace(function, body=tuple(changed(s) for s in function.body))


def other_count(function: UpdateFunction) -> UpdateFunction:
    loops = tuple(replace(s, count=terms.apply("sub", s.count.width, (s.count, terms.const(1, s.count.width)))) for s in function.body if isinstance(s, Loop))
    return replace(function, body=loops)


def damaged(lift: Lift, damage: Callable[[UpdateFunction], UpdateFunction | None]) -> Lift:
    """`lift` with the functions of memories of instruction `run` damaged, or left out where the damage is None."""

    def functions(mode: Mode) -> Iterator[tuple[str, UpdateFunction]]:
        for target, function in mode.functions.items():
            wrong = damage(function) if function.body else function
            if wrong is not None:
                yield target, wrong

    modes = tuple(replace(m, functions=dict(functions(m))) for m in lift.modes["run"])
    return replace(lift, modes={**lift.modes, "run": modes})


@pytest.mark.parametrize("damage", [other_data, other_address, other_count])
def test_a_damaged_function_is_different(damage: Callable[[UpdateFunction], UpdateFunction], tmp_path: Path) -> None:
    found = played(damaged(small.machine(small.FILL, tmp_path), damage))
    wrong = [v for v in found if v.status == "different"]
    assert [(v.subject, v.target) for v in wrong] == [("run", "mem")]
    shown = wrong[0].counterexample
    assert shown is not None
    assert shown.by == "Icarus Verilog"
    assert shown.ours.name.startswith("mem[0x")
    assert {"op", "a", "b", "step"} <= {row.name for row in shown.given}


def test_a_function_left_out_is_a_difference_in_everything_else(tmp_path: Path) -> None:
    lift = small.machine(small.SUM, tmp_path)
    found = played(damaged(lift, lambda function: None))
    assert ("run", OTHERS, "different") in {(v.subject, v.target, v.status) for v in found}
