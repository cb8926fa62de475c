// Multiply-accumulate: a signed 8 x 8 bit product added to a 20-bit partial sum, which wraps.
module MacUnit (
    input  wire [7:0]  in_a,
    input  wire [7:0]  in_b,
    input  wire [19:0] in_c,
    output wire [19:0] out_d
);
    wire signed [15:0] product;

    assign product = $signed(in_a) * $signed(in_b);
    assign out_d = {{4{product[15]}}, product} + in_c;
endmodule
