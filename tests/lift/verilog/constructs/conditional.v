// Conditional operators nested, with branches of different widths and signs.
module conditional(
  input [1:0] s,
  input signed [3:0] a,
  input [5:0] b,
  input signed [5:0] c,
  output [7:0] y,
  output signed [7:0] z
);
  assign y = s[0] ? a : s[1] ? b : c;
  assign z = s ? a : c;
endmodule
