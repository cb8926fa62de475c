"""Small pipelines, for tests, and how the values in them are written as terms."""

from __future__ import annotations

from collections.abc import Callable

from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.past import AGE_BITS
from lift.unroll.terms import Term

# Operands, then their product, then what is added up: three cycles, a valid bit beside the data, a low-active reset.
MAC_PIPELINE = """
module Pipeline (input clock, input rst_n, input valid, input signed [7:0] a, input signed [7:0] b, output reg out_valid, output reg signed [19:0] sum);
    reg v1, v2;
    reg signed [7:0] a1, b1;
    reg signed [15:0] p;
    always @(posedge clock) begin
        if (!rst_n) begin v1 <= 1'b0; v2 <= 1'b0; out_valid <= 1'b0; end
        else begin v1 <= valid; v2 <= v1; out_valid <= v2; end
        if (valid) begin a1 <= a; b1 <= b; end
        if (v1) p <= a1 * b1;
        if (!rst_n) sum <= 20'd0;
        else if (v2) sum <= sum + p;
    end
endmodule
"""

# A state machine captures a command; while it runs, a counter names the rows that leave two cycles later.
COUNTER = """
module Pipeline (input clock, input reset, input start, input [3:0] base, input [3:0] last, output reg out_valid, output reg [3:0] row, output busy);
    reg running, v1;
    reg [3:0] i, first, r1;
    assign busy = running;
    always @(posedge clock) begin
        if (reset) begin running <= 1'b0; v1 <= 1'b0; out_valid <= 1'b0; i <= 4'd0; end
        else begin
            v1 <= running;
            out_valid <= v1;
            if (!running) begin running <= start; i <= 4'd0; end
            else begin i <= i + 4'd1; if (i == last) running <= 1'b0; end
        end
        if (!running && start) first <= base;
        if (running) r1 <= first + i;
        if (v1) row <= r1;
    end
endmodule
"""

# Rows are read, added to and written back two cycles later; what was just written is taken from beside the memory.
BYPASS = """
module Pipeline (input clock, input reset, input valid, input [1:0] index, input [7:0] x, output [7:0] written);
    reg v1, v2;
    reg [1:0] index1, index2;
    reg [7:0] word, x1, sum, before;
    reg [7:0] mem [0:3];
    assign written = sum;
    wire [7:0] present = (index1 == index2) ? sum : word;
    always @(posedge clock) begin
        if (reset) begin v1 <= 1'b0; v2 <= 1'b0; end
        else begin v1 <= valid; v2 <= v1; end
        index1 <= index; index2 <= index1; x1 <= x;
        word <= mem[index];
        sum <= present + x1;
        if (v2) mem[index2] <= sum;
    end
endmodule
"""

# A synchronous memory: what was read may have been written to since.
READ = """
module Pipeline (input clock, input reset, input we, input [5:0] waddr, input [7:0] data, input [5:0] raddr, output reg [7:0] out);
    reg [7:0] mem [0:39];
    reg [7:0] word;
    always @(posedge clock) begin
        if (we) mem[waddr] <= data;
        word <= mem[raddr];
        out <= word;
    end
endmodule
"""

# Two registers that never take a value in the same cycle.
EITHER = """
module Pipeline (input clock, input which, input [7:0] x, output [7:0] out);
    reg [7:0] a, b;
    assign out = a ^ b;
    always @(posedge clock) begin if (which) a <= x; else b <= x; end
endmodule
"""
# A row of multipliers with numbered ports, and sums that stay.
ROW = """
module Lane (input clock, input valid, input [7:0] x, input [7:0] w, output reg [15:0] sum);
    reg v1;
    reg [15:0] p;
    always @(posedge clock) begin
        v1 <= valid;
        p <= x * w;
        if (v1) sum <= sum + p;
    end
endmodule
module Pipeline (input clock, input valid_0, input valid_1, input [7:0] x, input [7:0] w_0, input [7:0] w_1, output [15:0] out_0, output [15:0] out_1);
    Lane lane_0(clock, valid_0, x, w_0, out_0);
    Lane lane_1(clock, valid_1, x, w_1, out_1);
endmodule
"""
# One cycle decides what the next one does to the operands of both.
ALU = """
module Pipeline (input clock, input [2:0] op, input use_x, input [7:0] x, input [7:0] a, input [7:0] b, output reg [7:0] out);
    reg [2:0] op1;
    reg use1;
    reg [7:0] a1, b1;
    wire [7:0] c = use1 ? x : b1;
    always @(posedge clock) begin
        op1 <= op; use1 <= use_x; a1 <= a; b1 <= b;
        case (op1)
            3'd0: out <= a1 + c;
            3'd1: out <= (a1 < c) ? c : a1;
            default: out <= 8'd0;
        endcase
    end
endmodule
"""
DESIGNS = {"mac": MAC_PIPELINE, "counter": COUNTER, "bypass": BYPASS, "read": READ, "either": EITHER, "row": ROW, "alu": ALU}
Reader = Callable[[str], Netlist]


def past(name: str, width: int, age: int) -> Term:
    return terms.load(name, width, terms.const(age, AGE_BITS))


def wide(term: Term, width: int) -> Term:
    return terms.apply("sext", width, (term,))
