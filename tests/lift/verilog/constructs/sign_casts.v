// $signed and $unsigned.
module sign_casts(
  input [3:0] a,
  input signed [3:0] b,
  output signed [7:0] x,
  output [7:0] y,
  output z,
  output [7:0] w
);
  assign x = $signed(a);
  assign y = $unsigned(b);
  assign z = $signed(a) < b;
  assign w = $signed({1'b0, a}) * b;
endmodule
