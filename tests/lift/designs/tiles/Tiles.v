// Rows of a tile, four elements apart, moved within one memory.
module Tiles (
    input clock, input reset,
    input cmd_valid, output cmd_ready,
    input [1:0] cmd_op, input [31:0] cmd_a
);
    localparam TILE = 2'd0;
    reg [7:0] bytes [0:31];
    reg busy;
    reg [4:0] source, target;
    reg [2:0] rows, i;
    reg [1:0] cols, j;
    wire [4:0] from = source + {i, j};
    wire [4:0] to = target + {i, j};
    wire last_row = i == rows - 3'd1;
    wire last_col = j == cols - 2'd1;
    assign cmd_ready = !busy;

    always @(posedge clock) begin
        if (reset) begin
            busy <= 1'b0;
            i <= 3'd0;
            j <= 2'd0;
        end else if (!busy) begin
            if (cmd_valid && cmd_op == TILE) begin
                source <= cmd_a[4:0];
                target <= cmd_a[12:8];
                rows <= cmd_a[18:16];
                cols <= cmd_a[25:24];
                busy <= cmd_a[18:16] != 3'd0 && cmd_a[25:24] != 2'd0;
            end
        end else begin
            j <= last_col ? 2'd0 : j + 2'd1;
            if (last_col) i <= last_row ? 3'd0 : i + 3'd1;
            if (last_col && last_row) busy <= 1'b0;
        end
    end

    always @(posedge clock) if (busy) bytes[to] <= bytes[from];
endmodule
