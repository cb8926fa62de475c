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
from lift.crosscheck.replay import OTHERS, RESET
from lift.crosscheck.verdicts import Verdict
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import Loop, Statement, UpdateFunction
from tests.lift.crosscheck.machine import UNIT, lifted
from tests.lift.crosscheck.small import needs_icarus

pytestmark = needs_icarus

# Another sample every day; a failure is repeated by setting TENSORLIFT_SEED to the seed in its message.
SEED = int(os.environ.get("TENSORLIFT_SEED", date.today().toordinal()))


def played(lift: Lift, seed: int = 1, parameters: dict[str, int | str] | None = None, only: list[str] | None = None) -> list[Verdict]:
    return replay_lift(lift.unit.machine.netlist, lift, Given(parameters or {}, seed=seed), only=only)


@pytest.fixture
def unit(tmp_path: Path) -> Lift:
    file = tmp_path / "small.v"
    file.write_text(UNIT)
    return lifted(file)


def test_a_unit_does_what_its_functions_say(unit: Lift) -> None:
    found = played(unit)
    assert {(v.subject, v.target) for v in found if v.target != OTHERS} == {("set", "step"), ("fill", "mem"), ("tell", "tell_bits")}
    assert {v.subject for v in found if v.target == OTHERS} == {RESET, "set", "fill", "tell"}
    assert [v for v in found if v.status != "tested"] == []


def test_the_systolic_accelerator_does_what_its_functions_say_sample(gemmini: Lift) -> None:
    names = random.Random(SEED).sample(sorted(gemmini.modes), 3)
    found = played(gemmini, SEED, {"DIM": 4}, names)
    assert {v.subject for v in found} == {*names, RESET}
    assert [v for v in found if v.status != "tested"] == [], f"TENSORLIFT_SEED={SEED}"


@pytest.mark.slow
def test_the_systolic_accelerator_does_what_its_functions_say(gemmini: Lift) -> None:
    assert [v for v in played(gemmini, SEED, {"DIM": 4}) if v.status != "tested"] == [], f"TENSORLIFT_SEED={SEED}"


def test_an_opaque_instruction_is_not_comparable(unit: Lift) -> None:
    opaque = replace(unit, opaque={"fill": "too deep"})
    (found,) = [v for v in played(opaque, only=["fill"]) if v.subject != RESET]
    assert (found.status, found.reason) == ("not comparable", "opaque: too deep")


def test_a_mode_of_which_no_state_is_drawn_is_not_comparable(unit: Lift) -> None:
    (mode,) = unit.modes["fill"]
    never = replace(unit, modes={**unit.modes, "fill": (replace(mode, domain=(terms.const(0, 1),)),)})
    found = [v for v in played(never, only=["fill"]) if v.subject != RESET]
    assert {v.status for v in found} == {"not comparable"}
    assert all("not shown to be satisfiable" in v.reason for v in found)


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


def damaged(lift: Lift, damage: Callable[[UpdateFunction], UpdateFunction | None], instruction: str = "fill") -> Lift:
    """`lift` with the functions of memories of an instruction damaged, or left out where the damage is None."""

    def functions(mode: Mode) -> Iterator[tuple[str, UpdateFunction]]:
        for target, function in mode.functions.items():
            wrong = damage(function) if function.body else function
            if wrong is not None:
                yield target, wrong

    modes = tuple(replace(m, functions=dict(functions(m))) for m in lift.modes[instruction])
    return replace(lift, modes={**lift.modes, instruction: modes})


@pytest.mark.parametrize("damage", [other_data, other_address, other_count])
def test_a_damaged_function_is_different(damage: Callable[[UpdateFunction], UpdateFunction], unit: Lift) -> None:
    wrong = [v for v in played(damaged(unit, damage)) if v.status == "different"]
    assert [(v.subject, v.target) for v in wrong] == [("fill", "mem")]
    shown = wrong[0].counterexample
    assert shown is not None
    assert shown.by == "Icarus Verilog"
    assert shown.ours.name.startswith("mem[0x")
    assert {"op", "a", "b", "step"} <= {row.name for row in shown.given}


def test_a_function_left_out_is_a_difference_in_everything_else(unit: Lift) -> None:
    wrong = [(v.subject, v.target) for v in played(damaged(unit, lambda function: None)) if v.status == "different"]
    assert wrong == [("fill", OTHERS)]
