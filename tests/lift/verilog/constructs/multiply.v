// Products, signed only when both operands are.
module multiply(
  input [7:0] a,
  input signed [7:0] b,
  input signed [4:0] c,
  output [15:0] uu,
  output [15:0] us,
  output signed [15:0] ss,
  output [7:0] cut
);
  assign uu = a * a;
  assign us = a * b;
  assign ss = b * c;
  assign cut = a * c;
endmodule
