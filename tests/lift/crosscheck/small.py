"""Small modules with what readings of Verilog disagree about, and their verdicts, for tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lift.crosscheck import Given, compare_definitions
from lift.crosscheck.verdicts import Verdict
from lift.netlist.model import Netlist
from lift.verilog import read

needs_yosys = pytest.mark.skipif(shutil.which("yosys") is None, reason="yosys is not installed: no independent reading of the RTL")
needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed: nothing is simulated")

SIGNS = """
module Top (input wire clock, input wire signed [7:0] a, input wire signed [7:0] b, input wire [3:0] n, output wire less, output reg signed [15:0] sum);
    assign less = a < b;
    always @(posedge clock) sum <= sum - (a >>> n) * b;
endmodule
"""

MASKED = """
module Top (input wire clock, input wire we, input wire [1:0] mask, input wire [3:0] at, input wire [15:0] data, output wire [15:0] q);
    reg [15:0] mem [0:15];
    assign q = mem[at];
    always @(posedge clock) if (we) begin
        if (mask[0]) mem[at][7:0] <= data[7:0];
        if (mask[1]) mem[at][15:8] <= data[15:8];
    end
endmodule
"""

NESTED = """
module Top (input wire clock, input wire [7:0] x, output wire [7:0] y, output wire [7:0] z);
    Child #(.STEP(3)) first (.clock(clock), .x(x), .y(y));
    Child #(.STEP(5)) second (.clock(clock), .x(y), .y(z));
endmodule
module Child #(parameter STEP = 1, localparam TWICE = 2 * STEP) (input wire clock, input wire [7:0] x, output reg [7:0] y);
    always @(posedge clock) y <= x + TWICE;
endmodule
"""

ASYNCHRONOUS = """
module Top (input wire clock, input wire rst_n, input wire [7:0] d, output wire [7:0] q);
    reg [7:0] r;
    assign q = r + 8'd1;
    always @(posedge clock or negedge rst_n) if (!rst_n) r <= 8'd7; else r <= d;
endmodule
"""

# Three words at an address of two bits: nothing says what word 3 is.
BEYOND = """
module Top (input wire clock, input wire [1:0] at, input wire [7:0] d, output wire [7:0] q);
    reg [7:0] words [0:2];
    assign q = words[at];
    always @(posedge clock) words[at] <= d;
endmodule
"""

UNDEFINED = """
module Top (input wire [1:0] s, input wire [7:0] a, output reg [7:0] y);
    always @* case (s)
        2'd0: y = a;
        2'd1: y = ~a;
        default: y = 8'bx;
    endcase
endmodule
"""

PACKED = """
module Top (input wire clock, input wire [1:0] s, input wire [7:0] a, b, output wire [7:0] y, output wire top);
    wire [3:0][7:0] table_ = {{a}, {b}, {a & b}, {a ^ b}};
    assign y = table_[s];
    assign top = table_[2'd3 - s][7];
endmodule
"""

# yosys knows no functions that return by a statement.
FUNCTION = """
module Top (input logic clock, input logic [7:0] a, output logic [7:0] y);
    function automatic logic [7:0] mixed(input logic [7:0] x);
        return x ^ 8'h5;
    endfunction
    always_ff @(posedge clock) y <= mixed(a);
endmodule
"""

CONSTANTS = """
module Top (input wire clock, output wire [15:0] y, output reg [7:0] r, output wire bit_, output wire [7:0] z);
    assign y = 16'h00ff;
    assign bit_ = 1'b1;
    always @(posedge clock) r <= 8'd5;
    Child c (.clock(clock), .x(8'd9), .on(1'b1), .off(1'b0), .y(z));
endmodule
module Child (input wire clock, input wire [7:0] x, input wire on, input wire off, output wire [7:0] y);
    assign y = 8'd3;
endmodule
"""

PRODUCT = """
module Top (input wire [31:0] a, input wire [31:0] b, input wire [31:0] c, output wire [31:0] y);
    assign y = (a + b) * c;
endmodule
"""


def design(text: str, folder: Path) -> Netlist:
    """Module Top of `text`."""
    file = folder / "top.sv"
    file.write_text(text)
    return read([file], "Top")


def compared(netlist: Netlist, given: Given | None = None) -> list[Verdict]:
    return list(compare_definitions(netlist, given or Given()))


def verdicts(text: str, folder: Path, rlimit: int | None = None) -> list[Verdict]:
    """What the cross-check says of module Top in `text`."""
    return compared(design(text, folder), None if rlimit is None else Given(rlimit=rlimit))


def statuses(found: list[Verdict]) -> dict[str, str]:
    """Target -> status."""
    return {v.target: v.status for v in found}
