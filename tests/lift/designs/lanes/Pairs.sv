// The greatest of four bytes, two of each of two neighbouring rows, in the low half of a row; rows of pairs are found by bits put together.
module Pairs (
    input logic clock, reset,
    input logic cmd_valid, output logic cmd_ready,
    input logic [1:0] cmd_op, input logic [31:0] cmd_a, input logic [31:0] cmd_b
);
    localparam [1:0] GREATEST = 0, COPY = 1;
    logic [31:0] rows [0:63], found [0:63];
    logic busy;
    logic [1:0] op;
    logic [5:0] from, to, count, i;
    wire [5:0] upper = from + {i[4:0], 1'b0}, place = to + i, last = count - 6'd1;
    wire [31:0] x = rows[upper], y = rows[upper + 6'd1];
    function automatic logic [7:0] greater(logic signed [7:0] a, b);
        return a > b ? a : b;
    endfunction
    logic [31:0] result;
    always_comb begin
        result = 32'd0;
        for (int k = 0; k < 2; k++)
            result[8 * k +: 8] = greater(greater(x[16 * k +: 8], x[16 * k + 8 +: 8]), greater(y[16 * k +: 8], y[16 * k + 8 +: 8]));
    end
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
            if (op == GREATEST) found[place] <= result;
            else if (op == COPY) for (int k = 0; k < 4; k++) rows[place][8 * k +: 8] <= found[from + i][8 * k +: 8] + 8'd1;
            i <= i == last ? 6'd0 : i + 6'd1;
            if (i == last) busy <= 1'b0;
        end
    end
endmodule
