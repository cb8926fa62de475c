// Sums, four lanes to a word, brought to bytes in the ways of different authors: all of a lane is compared, bits of it are tested, it has no sign, it is
// shifted, rounded, the sum of two lanes; and bounded as it is.
module Requant (
    input logic clock, reset,
    input logic cmd_valid, output logic cmd_ready,
    input logic [3:0] cmd_op, input logic [31:0] cmd_a, input logic [31:0] cmd_b
);
    localparam [3:0] COMPARED = 0, TESTED = 1, UNSIGNED = 2, SHIFTED = 3, ROUNDED = 4, SUMMED = 5, LEAST = 6, RELU = 7, COPY = 8, WIDEN = 9;
    logic [127:0] sums [0:63];
    logic [31:0] bytes [0:63];
    logic busy;
    logic [3:0] op;
    logic [5:0] from, to, count, i;
    wire [5:0] source = from + i, place = to + i, last = count - 6'd1;
    wire [127:0] word = sums[source], other = sums[place];
    wire [31:0] narrow = bytes[source];
    logic [31:0] result;
    logic [127:0] wide;
    always_comb for (int k = 0; k < 4; k++) begin
        automatic logic signed [31:0] x = word[32 * k +: 32];
        automatic logic signed [31:0] y = other[32 * k +: 32];
        automatic logic [31:0] u = word[32 * k +: 32];
        automatic logic signed [31:0] shifted = x >>> 4;
        automatic logic signed [31:0] rounded = (x + 32'sd8) >>> 4;
        automatic logic signed [32:0] sum = (x + y) >>> 3;
        automatic logic [7:0] tested = ((&x[31:7]) | (~|x[31:7])) ? x[7:0] : x[31] ? 8'h80 : 8'h7f;
        case (op)
            COMPARED: result[8 * k +: 8] = x < 0 ? 8'd0 : x > 127 ? 8'd127 : x[7:0];
            TESTED: result[8 * k +: 8] = tested;
            UNSIGNED: result[8 * k +: 8] = u > 32'd255 ? 8'hff : u[7:0];
            SHIFTED: result[8 * k +: 8] = shifted > 127 ? 8'd127 : shifted < -128 ? 8'h80 : shifted[7:0];
            ROUNDED: result[8 * k +: 8] = rounded > 127 ? 8'd127 : rounded < -128 ? 8'h80 : rounded[7:0];
            SUMMED: result[8 * k +: 8] = sum > 127 ? 8'd127 : sum < -128 ? 8'h80 : sum[7:0];
            default: result[8 * k +: 8] = narrow[8 * k +: 8];
        endcase
        case (op)
            LEAST: wide[32 * k +: 32] = x > 1000 ? 32'd1000 : x;
            RELU: wide[32 * k +: 32] = x[31] ? 32'd0 : x;
            default: wide[32 * k +: 32] = $signed(narrow[8 * k +: 8]);
        endcase
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
            if (op == LEAST || op == RELU || op == WIDEN) sums[place] <= wide;
            else bytes[place] <= result;
            i <= i == last ? 6'd0 : i + 6'd1;
            if (i == last) busy <= 1'b0;
        end
    end
endmodule
