// Comparisons, signed only when both operands are.
module compare(
  input [3:0] a,
  input signed [3:0] b,
  input signed [5:0] c,
  output [3:0] u,
  output [3:0] s,
  output [3:0] m,
  output [1:0] e
);
  assign u = {a < 4'd7, a <= 4'd7, a > 4'd7, a >= 4'd7};
  assign s = {b < c, b <= c, b > c, b >= c};
  assign m = {a < c, b <= a, c > a, a >= b};
  assign e = {b == c, b != a};
endmodule
