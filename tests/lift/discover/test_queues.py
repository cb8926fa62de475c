"""Commands that pass a queue whose pointers no instruction leaves where they were."""

from __future__ import annotations

from pathlib import Path

from lift.unroll.extract import Lift
from tests.lift.lifted import lift_of

QUEUED = """
module Queued (
    input wire clock, input wire reset,
    input wire cmd_valid, output wire cmd_ready, input wire [2:0] cmd_op, input wire [31:0] cmd_a,
    input wire unused_ready, output wire done_valid, output wire [7:0] done_left
);
    localparam [2:0] OP_FILL = 3'd1;
    localparam [2:0] OP_MARK = 3'd2;
    reg [34:0] ring [0:7];
    reg [2:0] put, take;
    reg maybe_full;
    reg [1:0] state;
    reg [7:0] i, wrap;
    reg [15:0] mem [0:255];
    wire empty = put == take && !maybe_full;
    wire [34:0] head = ring[take];
    wire [2:0] op = head[34:32];
    wire last = i == head[15:8];
    wire enq = cmd_valid && cmd_ready;
    wire deq = !empty && (state == 2'd2 || (state == 2'd0 && op != OP_FILL));
    assign cmd_ready = !(put == take && maybe_full);
    assign done_valid = deq && op == OP_MARK;
    assign done_left = head[7:0];
    always @(posedge clock) begin
        if (enq) ring[put] <= {cmd_op, cmd_a};
        if (state == 2'd1) mem[i] <= {wrap, head[7:0]};
        if (reset) begin put <= 3'd0; take <= 3'd0; maybe_full <= 1'b0; state <= 2'd0; i <= 8'd0; wrap <= 8'd0; end
        else begin
            if (enq) put <= put + 3'd1;
            if (deq) take <= take + 3'd1;
            if (enq != deq) maybe_full <= enq;
            case (state)
                2'd0: if (!empty && op == OP_FILL) begin state <= 2'd1; i <= 8'd0; wrap <= 8'd0; end
                2'd1: begin
                    i <= i + 8'd1;
                    wrap <= wrap == head[23:16] ? 8'd0 : wrap + 8'd1;
                    if (last) state <= 2'd2;
                end
                default: state <= 2'd0;
            endcase
        end
    end
endmodule
"""


def queued(folder: Path) -> Lift:
    source = folder / "queued.v"
    source.write_text(QUEUED)
    return lift_of([source], "Queued")


def test_pointers_that_move_alike_are_equal_at_rest(tmp_path: Path) -> None:
    lift = queued(tmp_path)
    assert lift.unit.same == {"take": "put"}
    assert not lift.unit.executions["mark"].opaque


def test_the_first_execution_of_all_knows_that_the_queue_is_empty(tmp_path: Path) -> None:
    """The pointers are seen to move together before they are symbols: never is the queue taken to hold commands of before."""
    execution = queued(tmp_path).unit.executions["mark"]
    assert execution.steps < 50_000
    assert len(execution.paths) == 1
