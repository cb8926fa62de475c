"""A lifted mode and the netlist give the same state after the instruction, from the same random state and command."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.function import Loop, Statement, Store
from tests.lift.unroll.replay import agree, differences, draw, predicted, simulated

INSTRUCTIONS = [
    "compute_accumulated", "compute_preloaded", "config_ex", "config_ld", "config_st", "mvin", "mvin2", "mvin3", "mvout", "preload",
]  # fmt: skip


def test_the_instructions_are_those_replayed(gemmini: Lift) -> None:
    assert sorted(gemmini.modes) == INSTRUCTIONS
    assert gemmini.opaque == {}


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_a_mode_equals_simulation(gemmini: Lift, instruction: str) -> None:
    rng = random.Random(instruction)
    agree(gemmini, rng.choice(gemmini.modes[instruction]), rng)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_every_mode_equals_simulation(gemmini: Lift, instruction: str, seed: int) -> None:
    for mode in gemmini.modes[instruction]:
        agree(gemmini, mode, random.Random(f"{instruction} {mode.number} {seed}"))


def last_bit_flipped(statement: Statement) -> Statement:
    if isinstance(statement, Loop):
        return replace(statement, body=(*statement.body[:-1], last_bit_flipped(statement.body[-1])))
    return replace(statement, data=terms.apply("xor", statement.data.width, (statement.data, terms.const(1, statement.data.width))))


def last_gone(statement: Statement) -> Statement | None:
    if isinstance(statement, Store):
        return None
    body = tuple(s for s in (*statement.body[:-1], last_gone(statement.body[-1])) if s is not None)
    return replace(statement, body=body) if body else None


def one_iteration_less(statement: Statement) -> Statement | None:
    if isinstance(statement, Store):
        return None
    return replace(statement, count=terms.apply("sub", statement.count.width, (statement.count, terms.const(1, statement.count.width))))


@pytest.mark.parametrize("damage", [last_bit_flipped, last_gone, one_iteration_less])
def test_a_damaged_update_function_is_noticed(gemmini: Lift, damage: object) -> None:
    mode = next(
        m
        for m in gemmini.modes["mvin"]
        if any(a.role == "host" for f in m.functions.values() for a in f.arguments) and "scratchpad.bank.memory.mem" in m.functions
    )
    function = mode.functions["scratchpad.bank.memory.mem"]
    damaged = damage(function.body[-1])  # type: ignore[operator]
    body = (*function.body[:-1], *([damaged] if damaged is not None else []))
    wrong = replace(mode, functions={**mode.functions, function.target: replace(function, body=body)})
    before = draw(gemmini, mode, random.Random(1))
    found = simulated(gemmini, mode, before)
    assert differences(gemmini, predicted(gemmini, mode, before), found, before) == []
    assert differences(gemmini, predicted(gemmini, wrong, before), found, before) != []


def test_a_register_left_out_is_noticed(gemmini: Lift) -> None:
    mode = gemmini.modes["config_st"][0]
    functions = {t: f for t, f in mode.functions.items() if t != "store_controller.stride"}
    before = draw(gemmini, mode, random.Random(2))
    found = simulated(gemmini, mode, before)
    assert differences(gemmini, predicted(gemmini, replace(mode, functions=functions), before), found, before) != []
