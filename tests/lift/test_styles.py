"""Accelerators in the styles of different authors: found without a descriptor, and lifted to what the RTL does."""

from __future__ import annotations

from pathlib import Path

import pytest

from act.taidl import Int, load
from lift.crosscheck.outside import OnNetlist
from lift.crosscheck.replay import replayed
from lift.discover.contract import discover
from lift.options import Options
from lift.pipeline import lift as run
from lift.progress import Progress
from lift.unroll.extract import Lift
from lift.unroll.machine import with_deep_recursion
from lift.verilog import read
from tests.lift.lifted import lift_of

DESIGNS = Path(__file__).parent / "designs/styles"


@pytest.fixture(scope="module", name="copier")
def fixture_copier() -> Lift:
    return lift_of([DESIGNS / "copier.v"], "copier")


def agrees(lift: Lift) -> bool:
    verdicts = list(replayed(lift, OnNetlist(lift.unit.machine.netlist), "the simulator"))
    assert {v.status for v in verdicts} == {"tested"}, [v for v in verdicts if v.status != "tested"][:3]
    return True


def test_words_of_commands_are_told_apart_from_registers_of_the_same_name(copier: Lift) -> None:
    assert set(copier.modes) == {"fill", "spill", "scale", "op_3"}
    changed = {t for m in copier.modes["fill"] for t in m.functions}
    assert changed == {"mem", "addr", "len"}
    assert agrees(copier)


def test_the_memory_port_is_told_apart_from_a_memory_of_the_same_name(copier: Lift) -> None:
    assert copier.unit.contract.memory is not None
    assert copier.unit.contract.memory.name == "mem_port"
    assert {t for m in copier.modes["op_3"] for t in m.functions} == {"mem_port"}


def test_loops_are_found_where_states_are_plain_integers(copier: Lift) -> None:
    assert copier.opaque == {}
    assert [e.excluded for e in copier.unit.executions.values()] == [()] * 4


def test_the_last_of_all_values_in_a_case_statement_is_an_instruction_too(copier: Lift) -> None:
    assert copier.modes["op_3"]


@pytest.fixture(scope="module", name="queued")
def fixture_queued() -> Lift:
    return lift_of([DESIGNS / "queued.v"], "queued")


def test_pointers_of_a_queue_of_commands_are_equal_at_rest_from_the_first_command_on(queued: Lift) -> None:
    assert queued.unit.same == {"waiting.wp": "waiting.rp"}
    assert queued.opaque == {}
    assert agrees(queued)


def test_a_stage_that_every_command_leaves_as_reset_does_is_no_state(queued: Lift) -> None:
    assert set(queued.registers) == set()
    assert {t for modes in queued.modes.values() for m in modes for t in m.functions} == {"rows", "mem"}


def test_functions_that_nobody_lists_are_an_instruction(tmp_path: Path) -> None:
    output = tmp_path / "queued.taidl"
    outcome = with_deep_recursion(lambda: run(Options((DESIGNS / "queued.v",), "queued", output, "queued"), Progress()))
    assert outcome.shortcomings == []
    found = load(output.read_text()).instructions
    functs = {f.value.value for i in found.values() for f in i.encode if f.low == 43 and isinstance(f.value, Int)}
    assert functs == {0, 1, 2}
    assert ["copy" in i.body for i in found.values() if any(f.low == 43 and f.value == Int(2) for f in i.encode)] == [True]


def test_what_is_said_on_an_output_is_told_apart_from_the_register_that_it_is() -> None:
    lift = lift_of([DESIGNS / "echo.v"], "Echo")
    (send,) = lift.modes["send"]
    assert set(send.functions) == {"sent.resp_data", "resp_data"}
    assert "resp_data" in {a.name for m in lift.modes["add"] for a in m.functions["total"].arguments}
    assert agrees(lift)


def test_so_is_a_sum_that_is_said(tmp_path: Path) -> None:
    """Nothing else depends on it than its next value."""
    text = (DESIGNS / "echo.v").read_text().replace("total + cmd_a + resp_data", "total + cmd_a")
    text = text.replace("resp_data <= total", "resp_data <= resp_data + total")
    (tmp_path / "echo.v").write_text(text)
    lift = lift_of([tmp_path / "echo.v"], "Echo")
    (send,) = lift.modes["send"]
    assert set(send.functions) == {"sent.resp_data", "resp_data"}
    assert agrees(lift)


def test_a_register_that_only_says_has_no_other_name(tmp_path: Path) -> None:
    text = (DESIGNS / "echo.v").read_text().replace("total + cmd_a + resp_data", "total + cmd_a")
    (tmp_path / "echo.v").write_text(text)
    lift = lift_of([tmp_path / "echo.v"], "Echo")
    (send,) = lift.modes["send"]
    assert set(send.functions) == {"resp_data"}
    assert agrees(lift)


def test_ports_that_are_interfaces_are_found_and_lanes_that_a_loop_assigns_are_lifted(tmp_path: Path) -> None:
    output = tmp_path / "lanes.taidl"
    outcome = with_deep_recursion(lambda: run(Options((DESIGNS / "lanes.sv",), "lanes", output, "lanes"), Progress()))
    assert outcome.shortcomings == []
    accelerator = load(output.read_text())
    assert [i.name for i in accelerator.instructions.values()] == ["load", "store", "add", "relu"]
    assert sorted(b.element for b in accelerator.buffers.values()) == ["s8", "u8"]
    assert "maximum" in accelerator.instructions["relu"].body
    assert agrees(lift_of([DESIGNS / "lanes.sv"], "lanes"))


def test_names_without_underscores_are_those_of_channels() -> None:
    lift = lift_of([DESIGNS / "tersely.v"], "tersely")
    command, memory = lift.unit.contract.command, lift.unit.contract.memory
    assert command is not None
    assert memory is not None
    assert (command.valid, command.ready, sorted(command.words.values())) == ("ivld", "irdy", ["iarg", "icode"])
    assert (memory.request_valid, memory.request_ready, memory.address, memory.write, memory.response_data) == ("areq", "aack", "aadr", "awr", "rdat")
    assert {code: {t for m in modes for t in m.functions} for code, modes in lift.modes.items() if code != "op_other"} == {
        "op_1": {"acc"}, "op_2": {"a"}, "op_4": {"acc"},
    }  # fmt: skip
    assert agrees(lift)


def test_a_master_of_axi_moves_as_many_words_as_a_command_says(tmp_path: Path) -> None:
    output = tmp_path / "master.taidl"
    outcome = with_deep_recursion(lambda: run(Options((DESIGNS / "master.v",), "master", output, "master"), Progress()))
    assert outcome.shortcomings == []
    accelerator = load(output.read_text())
    assert [i.name for i in accelerator.instructions.values()] == ["load", "store", "add"]
    assert [r.slice.buffer for r in accelerator.instructions["load"].reads] == ["m_axi"]


def test_beats_that_are_all_at_one_address_are_no_burst() -> None:
    contract = discover(read([DESIGNS / "master.v"], "master", parameters={"BURST": 0}, assertions=True))
    assert contract.bursts == ()


def test_what_a_memory_answers_is_no_operand_that_is_held() -> None:
    lift = lift_of([DESIGNS / "scale.v"], "scale")
    command, (answer,) = lift.unit.contract.command, lift.unit.contract.answers
    assert command is not None
    assert (command.valid, command.held, list(command.words)) == ("ap_start", True, ["factor"])
    assert (answer.request.valid, answer.request.address, answer.channel.payload) == ("a_ce0", "a_address0", {"data": "a_q0"})
    (start,) = lift.modes["start"]
    assert {a.name: a.role for a in start.functions["mul_reg_61"].arguments} == {"factor": "field", "a_q0": "input"}
