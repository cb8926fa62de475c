// c = the first two elements of a, times the weights; negative sums made 0 on request. int8 elements, int32 sums. The weights, a 2x2 tile row by
// row, are taken from a on load and stay until the next.
module Dot2 (
    input  wire        clock,
    input  wire        reset,
    input  wire        clear,
    input  wire        load,
    input  wire        relu,
    input  wire [31:0] a,
    output wire [63:0] c
);
    wire [31:0] weights;
    genvar i, j;
    generate
        for (i = 0; i < 2; i = i + 1) begin : row
            for (j = 0; j < 2; j = j + 1) begin : col
                reg [7:0] weight;
                assign weights[(i*2+j)*8 +: 8] = weight;
                always @(posedge clock) begin
                    if (reset || clear) weight <= 8'd0;
                    else if (load) weight <= a[(i*2+j)*8 +: 8];
                end
            end
        end
        for (j = 0; j < 2; j = j + 1) begin : lane
            wire signed [7:0] a0 = a[7:0];
            wire signed [7:0] a1 = a[15:8];
            wire signed [7:0] w0 = weights[j*8 +: 8];
            wire signed [7:0] w1 = weights[(2+j)*8 +: 8];
            wire signed [31:0] total = a0 * w0 + a1 * w1;
            assign c[j*32 +: 32] = (relu && total < 0) ? 32'd0 : total;
        end
    endgenerate
endmodule
