"""A top that takes no commands itself is lifted unit by unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.cli import main
from lift.discover.contract import discover
from lift.units import candidates, whole
from lift.verilog import read

LOADER = Path(__file__).resolve().parent / "designs" / "loader.sv"
TOP = """
module Pair (input logic clock, reset, input logic [35:0] word, output logic [31:0] where, output logic busy);
    logic ready, asks, tag, done;
    logic [2:0] which;
    Loader unit (
        .clock(clock), .reset(reset), .io_cmd_valid(word[35]), .io_cmd_ready(ready), .io_cmd_bits_funct(word[34:32]), .io_cmd_bits_arg(word[31:0]),
        .io_req_valid(asks), .io_req_ready(1'b1), .io_req_bits_addr(where), .io_req_bits_tag(tag), .io_resp_valid(1'b0), .io_resp_bits_bytes(8'd0),
        .io_resp_bits_tag(1'b0), .io_completed_valid(done), .io_completed_ready(1'b1), .io_completed_bits(which)
    );
    assign busy = asks | done | ~ready;
endmodule
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "pair"
    folder.mkdir()
    (folder / "loader.sv").write_text(LOADER.read_text())
    (folder / "pair.sv").write_text(TOP)
    monkeypatch.chdir(tmp_path)
    return folder


def test_the_modules_that_take_commands_are_found(sources: Path) -> None:
    netlist = read([sources], "Pair", assertions=True)
    found = candidates(netlist)
    assert [c.netlist.top for c in found] == ["Loader"]
    assert len(found[0].netlist.assertions) == 1
    assert not whole(discover(netlist), netlist.design, lambda: found)


def test_a_module_with_commands_is_lifted_whole(sources: Path) -> None:
    netlist = read([sources], "Loader")
    assert whole(discover(netlist), netlist.design, lambda: candidates(netlist))


def test_each_unit_has_a_file(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(sources), "--top", "Pair", "-o", "out/pair.taidl", "--no-cache"]) == 3
    assert [p.name for p in Path("out").iterdir()] == ["pair.Loader.taidl"]
    said = capsys.readouterr().err
    assert "Pair is lifted in 1 units" in said
    assert "Loader: op_other is opaque: it does not come back to rest" in said


def test_a_module_without_commands_has_functions_when_they_are_asked_for(sources: Path) -> None:
    assert main([str(sources), "--top", "Queue4", "-o", "out/queue.taidl", "--no-cache"]) == 1
    assert main([str(sources), "--top", "Queue4", "-o", "out/queue.taidl", "--no-cache", "--emit-ir", "ir", "--report", "told"]) == 3
    assert not Path("out/queue.taidl").exists()
    assert {p.name for p in Path("ir/Queue4").iterdir()} >= {"transaction__io_deq_bits.raw.mlir", "transaction__io_deq_bits.lifted.mlir"}
    assert "io_deq_bits" in Path("told/report.txt").read_text()
