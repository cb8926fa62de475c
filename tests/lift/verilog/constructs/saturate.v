// Rounding and saturation as in a datapath.
module saturate(input signed [31:0] a, input [4:0] n, output reg signed [7:0] y);
  wire signed [31:0] shifted = a >>> n;
  wire half = n == 0 ? 1'b0 : a[n - 1];
  wire signed [31:0] rounded = shifted + $signed({1'b0, half});
  always @*
    if (rounded > 127) y = 127;
    else if (rounded < -128) y = -128;
    else y = rounded[7:0];
endmodule
