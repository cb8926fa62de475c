// wgt * inp + acc, one dot product per output: row j of the weight tile with the input vector, added to accumulator j,
// which wraps at 32 bits. acc is added two cycles after inp and wgt are given.
module MatrixVectorUnit #(
    parameter BLOCK_IN = 16,
    parameter BLOCK_OUT = 16
) (
    input  wire                            clock,
    input  wire                            reset,
    input  wire [BLOCK_IN*8-1:0]           inp,
    input  wire [BLOCK_OUT*BLOCK_IN*8-1:0] wgt,
    input  wire [BLOCK_OUT*32-1:0]         acc,
    output wire [BLOCK_OUT*32-1:0]         result
);
    genvar j;
    generate
        for (j = 0; j < BLOCK_OUT; j = j + 1) begin : row
            wire [31:0] sum;

            DotProduct #(.BLOCK_IN(BLOCK_IN)) dot (
                .clock(clock), .reset(reset),
                .in_a(inp), .in_b(wgt[j*BLOCK_IN*8 +: BLOCK_IN*8]), .out_y(sum)
            );

            assign result[j*32 +: 32] = acc[j*32 +: 32] + sum;
        end
    endgenerate
endmodule
