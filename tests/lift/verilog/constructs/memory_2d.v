// A memory with two dimensions.
module memory_2d(
  input clock,
  input reset,
  input we,
  input [1:0] i,
  input [2:0] j,
  input [7:0] d,
  output [7:0] q
);
  reg [7:0] m [0:3][0:7];
  integer k, l;
  assign q = m[i][j];
  always @(posedge clock)
    if (reset) begin
      for (k = 0; k < 4; k = k + 1) for (l = 0; l < 8; l = l + 1) m[k][l] <= k * 8 + l;
    end else if (we) m[i][j] <= d;
endmodule
