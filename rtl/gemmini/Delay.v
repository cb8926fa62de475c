// Delays data by a fixed number of cycles (0 is a wire). Without reset: what travels here counts only beside a valid bit.
module Delay #(
    parameter WIDTH = 8,
    parameter CYCLES = 1
) (
    input  wire             clock,
    input  wire [WIDTH-1:0] in,
    output wire [WIDTH-1:0] out
);
    wire [(CYCLES+1)*WIDTH-1:0] chain;

    assign chain[0 +: WIDTH] = in;

    genvar i;
    generate
        for (i = 0; i < CYCLES; i = i + 1) begin : stage
            reg [WIDTH-1:0] value;

            always @(posedge clock)
                value <= chain[i*WIDTH +: WIDTH];

            assign chain[(i+1)*WIDTH +: WIDTH] = value;
        end
    endgenerate

    assign out = chain[CYCLES*WIDTH +: WIDTH];

    // Only used when CYCLES is above zero.
    wire unused_clock;
    assign unused_clock = clock;
endmodule
