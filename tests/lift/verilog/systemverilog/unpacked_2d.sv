// An unpacked array of packed arrays, indexed by values in every dimension.
module unpacked_2d(input clk, input we, input [1:0] i, input [2:0] j, input [1:0] k, input [7:0] d, output logic [7:0] x, output logic [31:0] row);
  logic [3:0][7:0] m [0:3][0:4];
  always_ff @(posedge clk) if (we) m[i][j][k] <= d;
  assign x = m[i][j][k];
  assign row = m[i][1];
endmodule
