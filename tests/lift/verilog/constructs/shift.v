// Shifts by constants and variables, in wider contexts.
module shift(
  input [7:0] a,
  input signed [7:0] b,
  input [3:0] n,
  output [7:0] l,
  output [11:0] wide,
  output [7:0] r,
  output signed [7:0] ar,
  output [7:0] ar_u,
  output signed [11:0] ar_w
);
  assign l = a << n;
  assign wide = a << n;
  assign r = b >> n;
  assign ar = b >>> n;
  assign ar_u = a >>> n;
  assign ar_w = b >>> 2;
endmodule
