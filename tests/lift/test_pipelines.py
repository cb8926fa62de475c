"""Units whose iterations overlap in a pipeline: lifted as if each were done at once, where that is what they come to, and not otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from act.taidl import load
from lift.crosscheck.outside import OnNetlist
from lift.crosscheck.replay import replayed
from lift.discover.bursts import single_beats
from lift.discover.commands import decoder, only
from lift.discover.contract import discover
from lift.discover.neighbours import with_memories
from lift.discover.pipelines import incomplete, without_pipeline
from lift.discover.recorders import recorded
from lift.discover.state import find
from lift.netlist.model import Netlist
from lift.options import Options
from lift.pipeline import lift as run
from lift.progress import Progress
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from lift.verilog import read

DESIGNS = Path(__file__).parent / "designs/pipeline"
DRAIN = "DRAIN: if (inflight == 0) state <= IDLE;"


@dataclass(frozen=True)
class Retimed:
    """The design as it is, with its neighbours' memories, and what was lifted of it without its pipeline; None where it was not taken out."""

    netlist: Netlist
    lift: Lift | None

    @property
    def whole(self) -> bool:
        return self.lift is not None and not incomplete(self.lift.unit)

    def agrees(self) -> bool:
        """Is every function what the design, with its pipeline, does?"""
        assert self.lift is not None
        verdicts = list(replayed(self.lift, OnNetlist(self.netlist), "the simulator"))
        return {v.status for v in verdicts} == {"tested"}


def retimed(source: Path) -> Retimed:
    def work() -> Retimed:
        plain = read([source], source.stem, assertions=True)
        netlist, contract = with_memories(single_beats(plain, discover(plain)), discover(plain))
        assert contract.command is not None
        found = without_pipeline(netlist, contract)
        if found is None:
            return Retimed(netlist, None)
        codes = decoder(netlist, contract.command) or only(contract.command)
        return Retimed(netlist, extract(find(Machine(recorded(*found)), found[1], codes)))

    return with_deep_recursion(work)


def changed(folder: Path, old: str, new: str, name: str = "Pipeline.v") -> Path:
    text = (DESIGNS / name).read_text()
    assert text.count(old) == 1, old
    (folder / name).write_text(text.replace(old, new))
    return folder / name


@pytest.mark.parametrize("name", ["Pipeline", "Gather"])
def test_functions_are_what_the_pipeline_does(name: str) -> None:
    found = retimed(DESIGNS / f"{name}.v")
    assert found.whole
    assert found.agrees()


def lifted(source: Path, folder: Path) -> tuple[str, list[str]]:
    output = folder / "lifted.taidl"
    outcome = with_deep_recursion(lambda: run(Options((source,), source.stem, output, source.stem), Progress()))
    return output.read_text(), outcome.shortcomings


def test_iterations_under_way_at_once_are_one_loop(tmp_path: Path) -> None:
    text, shortcomings = lifted(DESIGNS / "Pipeline.v", tmp_path)
    assert shortcomings == []
    multiply = load(text).instructions["multiply"]
    assert [a.slice.buffer for a in (*multiply.reads, *multiply.writes)] == ["x", "y", "z", "z"]
    assert "registers of its pipeline hold nothing that is under way when a command is taken" in text
    assert "no iteration reads a word" not in text  # what is not forwarded is read by commands that do not write it


def test_words_that_are_forwarded_are_sums_of_the_steps_before(tmp_path: Path) -> None:
    text, shortcomings = lifted(DESIGNS / "Gather.v", tmp_path)
    assert shortcomings == []
    assert "write   acc[map[n0 + u] / 16]" in text
    assert "acc is a memory behind io_acc_rd_idx, io_acc_rd_data, io_acc_wr" in text
    assert "no iteration reads a word" not in text


def test_what_is_not_forwarded_is_assumed_not_to_be_needed(tmp_path: Path) -> None:
    text, shortcomings = lifted(changed(tmp_path, "(forward ? sum4 : io_acc_rd_data_bits)", "io_acc_rd_data_bits", "Gather.v"), tmp_path)
    assert shortcomings == []
    assert "no iteration reads a word of acc that one which is begun up to 1 cycle earlier writes" in text


def hazards(source: Path) -> set[int]:
    """How many cycles after it would be read a word of z is written, where that is not forwarded."""
    netlist = read([source], source.stem, assertions=True)
    found = without_pipeline(netlist, discover(netlist))
    assert found is not None
    return {h.cycles for h in found[1].hazards if h.memory == "z"}


def test_what_one_port_forwards_another_does_not(tmp_path: Path) -> None:
    assert hazards(DESIGNS / "Pipeline.v") == {2}  # of the command that stores words, which are read at once
    assert hazards(changed(tmp_path, "z[at2] <= sum;", "z[at2] <= sum; z[~at2] <= product;")) == {1, 2}


NOT_DELAYS = {
    "forwarded to another word": ("at3 == at2;", "at3 == at1;"),
    "forwarded too often": ("wire bypass = valid3 && valid2 && at3 == at2;", "wire bypass = valid3 && valid2;"),
    "forwarded never, but where another iteration is": ("wire bypass = valid3 && valid2 && at3 == at2;", "wire bypass = valid1 && valid2 && at3 == at2;"),
    "another sum is forwarded": ("sum3 <= sum;", "sum3 <= word_z;"),
    "words of two iterations are multiplied": ("product <= $signed(word_x) * $signed(word_y);", "product <= $signed(word_x) * $signed(y[at_y]);"),
    "a sum is written where the one after it belongs": ("z[at2] <= sum;", "z[at1] <= sum;"),
    "done before the last sum is written": ("if (issue && !valid2) inflight", "if (issue && !valid1) inflight"),
    "more is begun than is done": ("inflight <= inflight - 3'd1;", "inflight <= inflight - 3'd2;"),
    "the end depends on how much is under way": (DRAIN, "DRAIN: if (inflight == 0) begin state <= IDLE; end else if (inflight == 3'd2) state <= SAY;"),
    "it counts what it should wait for": (DRAIN, "DRAIN: begin i <= i + 7'd1; if (inflight == 0) state <= i[0] ? IDLE : SAY; end"),
    "memory is asked one cycle late": (
        "assign mem_req_valid = state == ASK || state == SAY;",
        "reg late; always @(posedge clock) late <= state == ASK; assign mem_req_valid = late;",
    ),
    "something is under way after reset": ("valid2 <= 1'b0;", "valid2 <= 1'b1;"),
}


@pytest.mark.parametrize("change", NOT_DELAYS)
def test_a_pipeline_that_is_more_than_a_delay_is_not_taken_out(tmp_path: Path, change: str) -> None:
    assert not retimed(changed(tmp_path, *NOT_DELAYS[change])).whole


DELAYS = {
    "the unit waits for single bits of the pipeline": (DRAIN, "DRAIN: if (!valid1 && !valid2) state <= IDLE;"),
    "the unit waits for as long as it takes": (DRAIN, "DRAIN: begin i <= i + 7'd1; if (i == n + 7'd3) state <= IDLE; end"),
    "a port that lacks a bit": ("output [31:0] mem_req_data,", "output [30:0] mem_req_data,"),
    "subtracted": ("+ (bypass ? sum3 : word_z)", "- (bypass ? sum3 : word_z)"),
}


@pytest.mark.parametrize("change", DELAYS)
def test_other_pipelines_are_taken_out(tmp_path: Path, change: str) -> None:
    found = retimed(changed(tmp_path, *DELAYS[change]))
    assert found.whole
    assert found.agrees()


@pytest.mark.parametrize("shifted", ["{valid[1:0], issue}", "(valid << 1) | issue", "{valid, issue}"])
def test_valids_may_be_one_shift_register(tmp_path: Path, shifted: str) -> None:
    text = (DESIGNS / "Pipeline.v").read_text()
    text = text.replace("reg valid1, valid2;", "reg [2:0] valid;\n    wire valid1 = valid[0], valid2 = valid[1], valid3 = valid[2];").replace("reg valid3;", "")
    text = text.replace("valid1 <= issue;", f"valid <= {shifted};").replace("valid2 <= valid1;", "").replace("valid3 <= valid2;", "")
    text = text.replace("valid1 <= 1'b0;", "valid <= 3'd0;").replace("valid2 <= 1'b0;", "").replace("valid3 <= 1'b0;", "")
    (tmp_path / "Pipeline.v").write_text(text.replace(DRAIN, "DRAIN: if (valid[1:0] == 0) state <= IDLE;"))
    found = retimed(tmp_path / "Pipeline.v")
    assert found.whole
    assert found.agrees()
