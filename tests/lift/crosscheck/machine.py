"""A small unit with a memory that is filled by a loop and told on a channel, and its lift, for tests."""

from __future__ import annotations

from pathlib import Path

from lift.discover.commands import decoder
from lift.discover.contract import discover
from lift.discover.recorders import recorded
from lift.discover.state import find
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from lift.verilog import read

UNIT = """
module Small (
    input wire clock, input wire reset,
    input wire cmd_valid, output wire cmd_ready,
    input wire [1:0] cmd_op, input wire [31:0] cmd_a, input wire [31:0] cmd_b,
    output reg tell_valid, output reg [15:0] tell_bits
);
    localparam [1:0] OP_SET = 2'd1;
    localparam [1:0] OP_FILL = 2'd2;
    localparam [1:0] OP_TELL = 2'd3;
    reg busy, waiting;
    reg [7:0] step, i, base, rows;
    reg [15:0] mem [0:255];
    assign cmd_ready = !busy && !waiting;
    wire fire = cmd_valid && cmd_ready;
    wire last = i == rows - 8'd1;
    always @(posedge clock) begin
        if (reset) step <= 8'd0;
        else if (fire && cmd_op == OP_SET) step <= cmd_a[7:0];
    end
    always @(posedge clock) begin
        if (reset) begin busy <= 1'b0; i <= 8'd0; base <= 8'd0; rows <= 8'd0; end
        else if (fire && cmd_op == OP_FILL) begin busy <= 1'b1; i <= 8'd0; base <= cmd_a[7:0]; rows <= cmd_b[7:0]; end
        else if (busy) begin
            i <= last ? 8'd0 : i + 8'd1;
            if (last) busy <= 1'b0;
        end
    end
    wire [7:0] place = base + i;  // wraps; in an index Icarus Verilog would not cut the sum
    always @(posedge clock) if (busy) mem[place] <= {step, i};
    always @(posedge clock) begin
        tell_valid <= !reset && fire && cmd_op == OP_TELL;
        tell_bits <= mem[cmd_a[7:0]];
        waiting <= !reset && fire && cmd_op == OP_TELL && mem[cmd_a[7:0]][0];  // an odd word takes a cycle more
    end
endmodule
"""


def lifted(file: Path) -> Lift:
    """The lift of module Small, what it tells recorded."""

    def work() -> Lift:
        netlist = read([file], "Small")
        contract = discover(netlist)
        assert contract.command is not None
        found = decoder(netlist, contract.command)
        assert found is not None
        return extract(find(Machine(recorded(netlist, contract)), contract, found))

    return with_deep_recursion(work)
