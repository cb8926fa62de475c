// Bitwise operators with operands of different widths.
module bitwise(
  input [7:0] a,
  input [3:0] b,
  input signed [3:0] c,
  output [7:0] x,
  output [7:0] y,
  output [7:0] z,
  output [9:0] n,
  output [7:0] v
);
  assign x = a & b;
  assign y = a | c;
  assign z = a ^ ~b;
  assign n = ~c;
  assign v = a ~^ b;
endmodule
