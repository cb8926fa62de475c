// Moves within one memory, an element a cycle; 0 copies upwards. What is read may have been written by an earlier cycle of the same instruction.
module Moves (
    input clock, input reset,
    input cmd_valid, output cmd_ready,
    input [1:0] cmd_op, input [31:0] cmd_a
);
    localparam DOWN = 2'd1, SHIFT = 2'd2, SCALE = 2'd3;
    reg [7:0] bytes [0:15];
    reg [1:0] op;
    reg busy;
    reg [3:0] source, target, count, i;
    reg [7:0] factor;
    wire [3:0] last = count - 4'd1;
    wire [3:0] step = op == DOWN ? last - i : i;
    wire [3:0] from = source + step;
    wire [3:0] to = op == SHIFT ? from + 4'd1 : target + step;
    assign cmd_ready = !busy;

    always @(posedge clock) begin
        if (reset) begin
            busy <= 1'b0;
            i <= 4'd0;
        end else if (!busy) begin
            if (cmd_valid) begin
                op <= cmd_op;
                source <= cmd_a[3:0];
                target <= cmd_a[7:4];
                count <= cmd_a[11:8];
                factor <= cmd_a[19:12];
                busy <= cmd_a[11:8] != 4'd0;
            end
        end else begin
            i <= i == last ? 4'd0 : i + 4'd1;
            if (i == last) busy <= 1'b0;
        end
    end

    always @(posedge clock) if (busy) bytes[to] <= op == SCALE ? bytes[from] * factor : bytes[from];
endmodule
