// c = a * b for 2x2 tiles, row by row: int8 elements, int32 sums.
module Dot2 (
    input  wire [31:0]  a,
    input  wire [31:0]  b,
    output wire [127:0] c
);
    genvar i, j;
    generate
        for (i = 0; i < 2; i = i + 1) begin : row
            for (j = 0; j < 2; j = j + 1) begin : col
                wire signed [7:0] a0 = a[(i*2)*8 +: 8];
                wire signed [7:0] a1 = a[(i*2+1)*8 +: 8];
                wire signed [7:0] b0 = b[j*8 +: 8];
                wire signed [7:0] b1 = b[(2+j)*8 +: 8];
                wire signed [31:0] total = a0 * b0 + a1 * b1;
                assign c[(i*2+j)*32 +: 32] = total;
            end
        end
    endgenerate
endmodule
