// Rows of four bytes of which some are always the same: zeros above or below, a one at the end or between; and bytes put into wider lanes.
module Rows (
    input logic clock, reset,
    input logic cmd_valid, output logic cmd_ready,
    input logic [2:0] cmd_op, input logic [31:0] cmd_a, input logic [31:0] cmd_b
);
    localparam [2:0] ABOVE = 0, BELOW = 1, LAST = 2, BOTH = 3, BETWEEN = 4, SUM = 5, WIDE = 6, COPY = 7;
    logic [31:0] rows [0:63], results [0:63];
    logic [63:0] wide [0:63];
    logic busy;
    logic [2:0] op;
    logic [5:0] from, to, count, i;
    wire [5:0] source = from + i, place = to + i, last = count - 6'd1;
    wire [31:0] x = rows[source], y = rows[place];
    logic [31:0] sums;
    always_comb for (int k = 0; k < 4; k++) sums[8 * k +: 8] = x[8 * k +: 8] + y[8 * k +: 8];
    assign cmd_ready = !busy;
    always_ff @(posedge clock) begin
        if (reset) begin
            busy <= 1'b0;
            i <= 6'd0;
        end else if (!busy) begin
            if (cmd_valid) begin
                op <= cmd_op;
                from <= cmd_a[5:0];
                to <= cmd_b[5:0];
                count <= cmd_b[21:16];
                busy <= cmd_b[21:16] != 6'd0;
            end
        end else begin
            case (op)
                ABOVE: results[place] <= {16'd0, x[15:0]};
                BELOW: results[place] <= {x[23:0], 8'd0};
                LAST: results[place] <= {8'd1, x[23:0]};
                BOTH: results[place] <= {8'd1, x[15:0], 8'd3};
                BETWEEN: results[place] <= {x[31:24], 8'd1, x[15:0]};
                SUM: results[place] <= {16'd0, sums[31:16]};
                WIDE: wide[place] <= {8'd0, x[31:24], 8'd0, x[23:16], 8'd0, x[15:8], 8'd0, x[7:0]};
                COPY: rows[place] <= sums;
            endcase
            i <= i == last ? 6'd0 : i + 6'd1;
            if (i == last) busy <= 1'b0;
        end
    end
endmodule
