// Variable bit-selects on vectors with any range.
module bit_select(
  input [7:0] a,
  input [2:0] i,
  input [12:5] b,
  input [3:0] j,
  input [0:7] c,
  output x,
  output y,
  output z
);
  assign x = a[i];
  assign y = b[5 + (j & 7)];
  assign z = c[i];
endmodule
