"""Small designs with a command port, a state machine and a memory, for tests; `machine(...)` puts one together."""

from __future__ import annotations

from pathlib import Path

from lift.unroll.extract import Lift
from tests.lift.lifted import lift_of

TEMPLATE = """
module Small (
    input wire clock, input wire reset,
    input wire cmd_valid, output wire cmd_ready,
    input wire [2:0] cmd_op, input wire [31:0] cmd_a, input wire [31:0] cmd_b
);
    localparam [2:0] OP_SET = 3'd1;
    localparam [2:0] OP_RUN = 3'd2;
    localparam [1:0] IDLE = 2'd0;
    localparam [1:0] BUSY = 2'd1;
    localparam [1:0] LAST = 2'd2;
    reg [1:0] state;
    reg [7:0] step;
    reg [7:0] i, j;
    reg [7:0] base, rows, cols;
    reg [15:0] acc;
    reg [15:0] mem [0:255];
    assign cmd_ready = (state == IDLE);
    wire fire = cmd_valid && cmd_ready;
    wire run = fire && cmd_op == OP_RUN;
    always @(posedge clock) begin
        if (reset) step <= 8'd0;
        else if (fire && cmd_op == OP_SET) step <= cmd_a[7:0];
    end
    always @(posedge clock) begin
        if (reset) begin base <= 8'd0; rows <= 8'd0; cols <= 8'd0; end
        else if (run) begin base <= cmd_a[7:0]; rows <= cmd_b[7:0]; cols <= cmd_b[15:8]; end
    end
    %s
endmodule
"""

# state, i, j: one iteration a cycle, `more` decides whether there is another; then one cycle in LAST.
LOOP = """
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; i <= 8'd0; end
        else case (state)
            IDLE: if (run) state <= BUSY;
            BUSY: begin
                if (%s) i <= i + 8'd1;
                else begin i <= 8'd0; state <= LAST; end
            end
            default: state <= IDLE;
        endcase
    end
"""

NEST = """
    wire last_col = (j == {5'd0, cols[2:0]} - 8'd1);
    wire last_row = (i == {5'd0, rows[2:0]} - 8'd1);
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; i <= 8'd0; j <= 8'd0; end
        else case (state)
            IDLE: if (run) state <= BUSY;
            BUSY: begin
                j <= last_col ? 8'd0 : j + 8'd1;
                if (last_col) i <= last_row ? 8'd0 : i + 8'd1;
                if (last_col && last_row) state <= IDLE;
            end
            default: state <= IDLE;
        endcase
    end
    always @(posedge clock) if (state == BUSY) mem[base + i * step + j] <= {i, j};
"""

# The same, columns innermost, as generators write it: what adds one to a counter takes what is beyond its limit away, and does not count to 0.
WRAP = """
    reg [2:0] many, wide;
    wire [2:0] last_j = wide - 3'd1;
    wire [2:0] last_i = many - 3'd1;
    wire [7:0] most_j = {5'd0, last_j};
    wire [7:0] most_i = {5'd0, last_i};
    always @(posedge clock) if (run) begin many <= cmd_b[2:0]; wide <= cmd_b[10:8]; end
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; i <= 8'd0; j <= 8'd0; end
        else case (state)
            IDLE: if (run) state <= BUSY;
            BUSY: begin
                if (most_j == 8'd0) j <= 8'd0;
                else if (j >= most_j) j <= 8'd1 - (most_j - j) - 8'd1;
                else j <= j + 8'd1;
                if (j == most_j) begin
                    if (most_i == 8'd0) i <= 8'd0;
                    else if (i >= most_i) i <= 8'd1 - (most_i - i) - 8'd1;
                    else i <= i + 8'd1;
                end
                if (j == most_j && i == most_i) state <= IDLE;
            end
            default: state <= IDLE;
        endcase
    end
    always @(posedge clock) if (state == BUSY) mem[base + i * step + j] <= {i, j};
"""

FILL = LOOP % "i != rows - 8'd1" + "always @(posedge clock) if (state == BUSY) mem[base + i] <= {8'd0, i + step};"

# The last word is marked.
MARKED = LOOP % "i != rows - 8'd1" + "always @(posedge clock) if (state == BUSY) mem[base + i] <= {i == rows - 8'd1, 7'd0, step};"

# What is written first is not what is written later.
FIRST_IS_OTHER = LOOP % "i != rows - 8'd1" + """
    reg [7:0] once;
    always @(posedge clock)
        if (run) once <= cmd_a[15:8];
        else if (state == BUSY) once <= 8'd7;
    always @(posedge clock) if (state == BUSY) mem[base + i] <= {8'd0, once};
"""

COPY = LOOP % "i != rows - 8'd1" + """
    always @(posedge clock) if (state == BUSY) mem[base + i] <= mem[cols + i];
"""

# After the loop, one word that the loop may have written is copied.
FILL_THEN_COPY = LOOP % "i != rows - 8'd1" + """
    always @(posedge clock) begin
        if (state == BUSY) mem[base + i] <= {8'd0, i};
        else if (state == LAST) mem[8'd255] <= mem[cols] + 16'd1;
    end
"""

SUM = LOOP % "i != rows - 8'd1" + """
    always @(posedge clock) begin
        if (run) acc <= 16'd0;
        else if (state == BUSY) acc <= acc * 16'd3 + mem[base + i];
    end
    always @(posedge clock) if (state == LAST) mem[cols] <= acc;
"""

# Follows pointers in memory until one is zero: no count follows from the command.
UNTIL_ZERO = """
    reg [7:0] left;
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; i <= 8'd0; left <= 8'd0; end
        else case (state)
            IDLE: if (run) begin state <= BUSY; left <= cmd_b[7:0]; end
            BUSY: begin
                left <= mem[left][7:0];
                i <= i + 8'd1;
                if (left == 8'd0) begin state <= IDLE; i <= 8'd0; end
            end
            default: state <= IDLE;
        endcase
    end
    always @(posedge clock) if (state == BUSY) mem[base + i] <= {8'd0, i};
"""

NEVER_READY = """
    always @(posedge clock) begin
        if (reset) state <= IDLE;
        else if (run) state <= BUSY;
    end
    always @(posedge clock) if (run) mem[cmd_a[7:0]] <= 16'd0;
"""

NEVER_QUIET = NEVER_READY + "always @(posedge clock) if (state == BUSY) mem[base] <= 16'd0;"

# A one-bit register that flips with every run decides where it writes.
PING_PONG = """
    reg side;
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; side <= 1'b0; end
        else if (run) begin state <= BUSY; side <= !side; end
        else state <= IDLE;
    end
    always @(posedge clock) if (state == BUSY) mem[{side, base[6:0]}] <= {8'd0, rows};
"""

# What is written comes through two stages behind the configuration register; they are at rest when a command comes.
PIPELINE = """
    reg [7:0] once, twice;
    always @(posedge clock) begin once <= step; twice <= once + 8'd1; end
    always @(posedge clock) if (reset) state <= IDLE; else state <= run ? BUSY : IDLE;
    always @(posedge clock) if (state == BUSY) mem[base] <= {8'd0, twice};
"""


def machine(body: str, folder: Path) -> Lift:
    """The lift of the template with `body` in it."""
    file = folder / "small.v"
    file.write_text(TEMPLATE % body)
    return lift_of([file], "Small")
