// Quotients and remainders, divisors never zero.
module divide(
  input [7:0] a,
  input [3:0] b,
  input signed [7:0] c,
  input signed [3:0] d,
  output [7:0] q,
  output [7:0] r,
  output signed [8:0] sq,
  output signed [8:0] sr
);
  wire signed [4:0] odd = {d, 1'b1};
  assign q = a / {b, 1'b1};
  assign r = a % {b, 1'b1};
  assign sq = c / odd;
  assign sr = c % odd;
endmodule
