// Sums of outer products in four registers with a row and a column in their names; drained one after another.
module Sums (
    input wire clk, input wire rst,
    input wire cmd_valid, output wire cmd_ready,
    input wire [1:0] cmd_op, input wire [15:0] cmd_a, input wire [15:0] cmd_b
);
    localparam OP_LOAD = 2'd0, OP_CLEAR = 2'd1, OP_RUN = 2'd2, OP_STORE = 2'd3;
    reg signed [15:0] sum_r0c0, sum_r0c1, sum_r1c0, sum_r1c1;
    reg signed [15:0] out [0:63];
    reg [15:0] mem [0:63];
    wire [15:0] x = mem[cmd_a[5:0]];
    wire [15:0] y = mem[cmd_b[5:0]];
    assign cmd_ready = 1'b1;
    always @(posedge clk)
        if (rst || (cmd_valid && cmd_op == OP_CLEAR)) begin
            sum_r0c0 <= 16'd0; sum_r0c1 <= 16'd0;
            sum_r1c0 <= 16'd0; sum_r1c1 <= 16'd0;
        end else if (cmd_valid && cmd_op == OP_RUN) begin
            sum_r0c0 <= sum_r0c0 + $signed(x[7:0]) * $signed(y[7:0]);
            sum_r0c1 <= sum_r0c1 + $signed(x[7:0]) * $signed(y[15:8]);
            sum_r1c0 <= sum_r1c0 + $signed(x[15:8]) * $signed(y[7:0]);
            sum_r1c1 <= sum_r1c1 + $signed(x[15:8]) * $signed(y[15:8]);
        end
    always @(posedge clk)
        if (cmd_valid && cmd_op == OP_STORE) begin
            out[{cmd_a[3:0], 2'd0}] <= sum_r0c0;
            out[{cmd_a[3:0], 2'd1}] <= sum_r0c1;
            out[{cmd_a[3:0], 2'd2}] <= sum_r1c0;
            out[{cmd_a[3:0], 2'd3}] <= sum_r1c1;
        end
    always @(posedge clk) if (cmd_valid && cmd_op == OP_LOAD) mem[cmd_a[5:0]] <= cmd_b;
endmodule
