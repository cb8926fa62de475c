// Differences and negation.
module subtract(
  input [5:0] a,
  input [3:0] b,
  input signed [4:0] c,
  output [7:0] d,
  output [5:0] e,
  output signed [7:0] n,
  output [7:0] m
);
  assign d = a - b;
  assign e = b - a;
  assign n = -c;
  assign m = -b;
endmodule
