// An unsigned operand makes an arithmetic shift logical.
module shift_context(
  input signed [7:0] a,
  input [7:0] u,
  input [2:0] n,
  output [7:0] y,
  output signed [7:0] z,
  output [7:0] k
);
  assign y = (a >>> n) + u;
  assign z = (a >>> n) + 8'sd1;
  assign k = $signed(u) >>> n;
endmodule
