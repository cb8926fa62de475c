"""Which registers are architectural: the fixed point over all instructions."""

from __future__ import annotations

from pathlib import Path

from lift.discover.environment import Surroundings
from lift.discover.rest import rest, roles
from lift.unroll import terms
from lift.unroll.extract import Lift
from tests.lift import small


def test_a_register_becomes_state_when_another_instruction_changes_it(tmp_path: Path) -> None:
    """`run` reads `step`, which only `set` changes."""
    lift = small.machine(small.FILL, tmp_path)
    assert lift.unit.architectural >= {"step"}
    (mode,) = lift.modes["run"]
    assert "step" in {a.name for a in mode.functions["mem"].arguments}


def test_control_is_not_state(tmp_path: Path) -> None:
    lift = small.machine(small.NEST, tmp_path)
    assert not lift.unit.architectural & {"state", "i", "j"}


def test_a_counter_that_is_not_reset_by_the_instruction_is_found_although_it_could_not_hold(tmp_path: Path) -> None:
    """`count` is counter and control: it is a constant in the first round, and state after it has been seen to change."""
    body = small.PIPELINE.replace("{8'd0, twice}", "{8'd0, count}")
    lift = small.machine("reg [7:0] count; always @(posedge clock) if (reset) count <= 8'd0; else if (run) count <= count + 8'd1;" + body, tmp_path)
    assert "count" in lift.registers
    assert any("count" in m.functions for m in lift.modes["run"])


def test_an_instruction_keeps_the_registers_of_the_others(gemmini: Lift) -> None:
    """A register that is a constant when an instruction is executed, and state later, is not taken to be set to that constant."""
    for mode in gemmini.modes["config_ld"]:
        assert not {t for t in mode.functions if t.startswith("store_controller")}


def test_pipelines_behind_a_holder_follow_it_at_rest(tmp_path: Path) -> None:
    lift = small.machine(small.PIPELINE, tmp_path)
    unit = lift.unit
    inputs = Surroundings(unit.machine.netlist, unit.contract, None).idle()
    found = roles(unit.machine, unit.idle, inputs)
    assert "step" in found.holders
    assert found.holders.isdisjoint({"once", "twice", "state"})
    at_rest = rest(unit.machine, unit.idle, inputs, {"step": terms.sym("step", 8)})
    assert at_rest.active == frozenset()
    assert at_rest.value("once") is terms.sym("step", 8)
    assert at_rest.value("twice") is terms.apply("add", 8, (terms.sym("step", 8), terms.const(1, 8)))


def test_what_moves_for_ever_keeps_a_symbol_of_its_own(tmp_path: Path) -> None:
    free = "reg [7:0] ticks; always @(posedge clock) if (reset) ticks <= 8'd0; else ticks <= ticks + 8'd1;"
    lift = small.machine(free + small.PIPELINE, tmp_path)
    unit = lift.unit
    at_rest = rest(unit.machine, unit.idle, Surroundings(unit.machine.netlist, unit.contract, None).idle(), {})
    assert at_rest.value("ticks") is terms.sym("ticks", 8)
    assert "ticks" in at_rest.active
