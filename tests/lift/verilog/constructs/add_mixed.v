// Sums of operands of different widths and signs, in contexts of other widths.
module add_mixed(
  input [3:0] a,
  input signed [5:0] b,
  input signed [3:0] c,
  output [7:0] u,
  output signed [9:0] s,
  output [4:0] carry,
  output signed [6:0] both
);
  assign u = a + b;
  assign s = c + b;
  assign carry = a + 4'd9;
  assign both = c + a;
endmodule
