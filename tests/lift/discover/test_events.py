"""Inputs that tell of events elsewhere, and what a unit is at rest while nothing happens."""

from __future__ import annotations

from pathlib import Path

from lift.assumptions import of_every_instruction
from lift.unroll.extract import Lift
from tests.lift.lifted import lift_of

COUNTING = """
module Counting (
    input wire clock, input wire reset,
    input wire cmd_valid, output wire cmd_ready, input wire [2:0] cmd_op, input wire [7:0] cmd_a,
    input wire [3:0] finished, input wire [7:0] strobes, output wire busy
);
    localparam [2:0] OP_SET = 3'd1;
    localparam [2:0] OP_START = 3'd2;
    reg [2:0] which;
    reg [7:0] step, sum;
    reg [3:0] under_way;
    reg [7:0] seen;
    wire fire = cmd_valid && cmd_ready;
    assign cmd_ready = 1'b1;
    assign busy = under_way != 4'd0;
    always @(posedge clock)
        if (reset) begin which <= 3'd0; step <= 8'd0; sum <= 8'd0; under_way <= 4'd0; seen <= 8'd0; end
        else begin
            if (fire && cmd_op == OP_SET) begin step <= cmd_a; which <= cmd_a[2:0]; end
            if (fire && cmd_op == OP_START) sum <= sum + step;
            under_way <= under_way + {3'd0, fire && cmd_op == OP_START} - finished;
            if (strobes[which]) seen <= seen + 8'd1;
        end
endmodule
"""


def counting(folder: Path) -> Lift:
    source = folder / "counting.v"
    source.write_text(COUNTING)
    return lift_of([source], "Counting")


def test_inputs_that_only_counters_follow_are_quiet(tmp_path: Path) -> None:
    lift = counting(tmp_path)
    assert lift.unit.contract.quiet == ("finished", "strobes")
    assert not lift.unit.executions["start"].opaque
    assert any("nothing happens elsewhere" in fact and "finished, strobes" in fact for fact in of_every_instruction(lift))


def test_what_is_under_way_elsewhere_is_counted(tmp_path: Path) -> None:
    assert counting(tmp_path).unit.architectural >= {"sum", "under_way"}


def test_an_input_on_which_more_than_counters_depend_is_not_quiet(tmp_path: Path) -> None:
    source = tmp_path / "enabled.v"
    source.write_text(COUNTING.replace("step <= cmd_a;", "step <= cmd_a ^ {4'd0, finished};").replace("Counting", "Enabled"))
    assert lift_of([source], "Enabled").unit.contract.quiet == ("strobes",)
