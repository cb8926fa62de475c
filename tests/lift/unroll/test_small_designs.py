"""State machines with loops: which are lifted, that they are lifted right, and which are refused with a reason."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lift.unroll import terms, walk
from lift.unroll.extract import Lift
from lift.unroll.function import Loop, Store
from tests.lift import small
from tests.lift.unroll.replay import Before, agree, assumed, differences, predicted, simulated


def replays(lift: Lift, instruction: str, times: int = 4) -> None:
    rng = random.Random(instruction)
    for mode in lift.modes[instruction]:
        for _ in range(times):
            agree(lift, mode, rng)


def test_a_loop_over_a_counter_is_one_statement(tmp_path: Path) -> None:
    lift = small.machine(small.FILL, tmp_path)
    (mode,) = lift.modes["run"]
    (loop,) = mode.functions["mem"].body
    assert isinstance(loop, Loop)
    assert [type(s) for s in loop.body] == [Store]
    replays(lift, "run")


def test_nested_loops_are_nested_statements(tmp_path: Path) -> None:
    lift = small.machine(small.NEST, tmp_path)
    (mode,) = lift.modes["run"]
    (outer,) = mode.functions["mem"].body
    assert isinstance(outer, Loop)
    assert [type(s) for s in outer.body] == [Loop]
    replays(lift, "run")


def test_counters_that_are_wrapped_by_what_they_are_beyond_their_limit_make_nested_loops(tmp_path: Path) -> None:
    lift = small.machine(small.WRAP, tmp_path)
    assert not lift.opaque
    assert not lift.unit.executions["run"].excluded
    most = max(lift.modes["run"], key=lambda m: str(m.functions["mem"].body).count("Loop("))
    assert any(isinstance(s, Loop) and any(isinstance(t, Loop) for t in s.body) for s in most.functions["mem"].body)
    replays(lift, "run")


def test_a_last_iteration_that_differs_comes_after_the_loop(tmp_path: Path) -> None:
    lift = small.machine(small.MARKED, tmp_path)
    (mode,) = lift.modes["run"]
    assert [type(s) for s in mode.functions["mem"].body] == [Loop, Store]
    replays(lift, "run")
    none = {terms.sym("b", 32): terms.const(1, 32)}
    assert not any(terms.substitute(d, none) is terms.FALSE for d in mode.domain)  # a loop of no iterations, and the last


def test_a_configuration_register_is_state_and_the_counters_are_not(tmp_path: Path) -> None:
    lift = small.machine(small.FILL, tmp_path)
    assert lift.registers == {"step"}
    (mode,) = lift.modes["set"]
    assert set(mode.functions) == {"step"}
    replays(lift, "set")


def test_a_register_that_no_instruction_changes_is_a_constant(tmp_path: Path) -> None:
    fixed = "reg [7:0] fixed; always @(posedge clock) if (reset) fixed <= 8'd7;"
    lift = small.machine(fixed + small.FILL.replace("i + step", "i + fixed"), tmp_path)
    assert lift.registers == frozenset()
    replays(lift, "run")


def test_copying_assumes_that_no_iteration_reads_what_an_earlier_one_wrote(tmp_path: Path) -> None:
    lift = small.machine(small.COPY, tmp_path)
    (mode,) = lift.modes["run"]
    assert mode.assumptions
    replays(lift, "run")


def test_a_load_after_a_loop_assumes_that_no_iteration_wrote_it(tmp_path: Path) -> None:
    lift = small.machine(small.FILL_THEN_COPY, tmp_path)
    (mode,) = lift.modes["run"]
    assert mode.assumptions
    replays(lift, "run")


@pytest.mark.parametrize("offset", [0, 3, 4])
def test_where_an_assumption_fails_the_lift_says_nothing(tmp_path: Path, offset: int) -> None:
    """The word copied after the loop was written by iteration `offset` of 5: the assumptions exclude every such state."""
    lift = small.machine(small.FILL_THEN_COPY, tmp_path)
    (mode,) = lift.modes["run"]
    fields = {"op": 2, "a": 16, "b": 5 | (16 + offset) << 8}
    rng = random.Random(offset)
    registers = {n: int(lift.unit.idle[n].attr or 0) if lift.unit.idle[n].is_const else 0 for n in lift.unit.idle}
    before = Before(registers, {"mem": [rng.getrandbits(16) for _ in range(256)]}, fields, 0)
    right = differences(lift, predicted(lift, mode, before), simulated(lift, mode, before), before) == []
    assert right or not assumed(lift, mode, before)


REFUSED = {
    "sum": (small.SUM, "acc, carried from one iteration to the next"),
    "first is other": (small.FIRST_IS_OTHER, "once, carried from one iteration to the next"),
    "pointers": (small.UNTIL_ZERO, "a loop whose course depends on left"),
    "never ready": (small.NEVER_READY, "without being ready for the next command"),
    "never quiet": (small.NEVER_QUIET, "not idle after"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_lifted_is_opaque_with_a_reason(tmp_path: Path, name: str) -> None:
    body, reason = REFUSED[name]
    lift = small.machine(body, tmp_path)
    assert "run" not in lift.modes
    assert reason in lift.opaque["run"]


def test_the_other_instructions_of_an_opaque_design_are_lifted(tmp_path: Path) -> None:
    assert "set" in small.machine(small.UNTIL_ZERO, tmp_path).modes


def test_a_loop_of_few_iterations_that_is_refused_says_why_it_is_no_statement_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = "reg [1:0] n;" + small.SUM.replace("i != rows - 8'd1", "n != rows[1:0]").replace("base + i", "base + n")
    few = few.replace("i <= i + 8'd1", "n <= n + 2'd1").replace("i <= 8'd0", "n <= 2'd0").replace("state == LAST) mem[cols]", "state != IDLE) mem[cols + n]")
    monkeypatch.setattr(walk, "MAX_TOTAL", 7)
    why, otherwise = small.machine(few, tmp_path).opaque["run"].split("; tried otherwise: ")
    assert "depends on acc, carried from one iteration to the next" in why
    assert "pieces of path" in otherwise


def test_the_domain_excludes_a_count_of_zero(tmp_path: Path) -> None:
    """`rows - 1` wraps around for no rows: the hardware does 256, which is not what the count says."""
    (mode,) = small.machine(small.FILL, tmp_path).modes["run"]
    none = {terms.sym("b", 32): terms.const(0, 32)}
    assert any(terms.substitute(d, none) is terms.FALSE for d in mode.domain)


def test_a_ping_pong_bit_is_state_and_splits_modes(tmp_path: Path) -> None:
    lift = small.machine(small.PING_PONG, tmp_path)
    assert "side" in lift.registers
    assert len(lift.modes["run"]) == 2
    assert len(lift.modes["set"]) == 1
    replays(lift, "run")


def test_pipeline_stages_behind_a_configuration_register_are_no_state(tmp_path: Path) -> None:
    lift = small.machine(small.PIPELINE, tmp_path)
    assert lift.registers == {"step"}
    replays(lift, "run")
