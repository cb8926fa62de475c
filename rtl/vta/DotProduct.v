// The dot product of two vectors of BLOCK_IN int8: MACs and an adder tree that grows by a bit a level, so that nothing is
// lost. Two stages: operands, and the last two sums. The result is there two cycles after the operands.
// BLOCK_IN is a power of two, 4 or more.
module DotProduct #(
    parameter BLOCK_IN = 16
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire [BLOCK_IN*8-1:0] in_a,
    input  wire [BLOCK_IN*8-1:0] in_b,
    output wire [31:0]           out_y
);
    localparam LEVELS = $clog2(BLOCK_IN);

    wire [BLOCK_IN*17-1:0] products;

    genvar k, l;
    generate
        for (k = 0; k < BLOCK_IN; k = k + 1) begin : lane
            MAC mac (
                .clock(clock), .reset(reset),
                .in_a(in_a[k*8 +: 8]), .in_b(in_b[k*8 +: 8]), .out_y(products[k*17 +: 17])
            );
        end

        // Level l has BLOCK_IN >> l sums of 17 + l bits.
        for (l = 1; l <= LEVELS; l = l + 1) begin : level
            wire [(BLOCK_IN>>(l-1))*(16+l)-1:0] terms;
            wire [(BLOCK_IN>>l)*(17+l)-1:0]     sums;

            if (l == 1) begin : first
                assign terms = products;
            end else begin : later
                assign terms = level[l-1].sums;
            end

            for (k = 0; k < (BLOCK_IN >> l); k = k + 1) begin : pair
                AdderPair #(.WIDTH(16 + l), .REGISTERED(l == LEVELS - 1)) adder (
                    .clock(clock), .reset(reset),
                    .in_a(terms[2*k*(16+l) +: 16+l]), .in_b(terms[(2*k+1)*(16+l) +: 16+l]),
                    .out_y(sums[k*(17+l) +: 17+l])
                );
            end
        end
    endgenerate

    wire [16+LEVELS:0] total = level[LEVELS].sums;

    assign out_y = {{(15-LEVELS){total[16+LEVELS]}}, total};
endmodule
