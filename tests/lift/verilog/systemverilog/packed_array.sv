// Packed arrays of two dimensions, indexed by constants and variables.
module packed_array(input logic [31:0] a, input logic [1:0] i, input logic [7:0] d, output logic [7:0] x, output logic [31:0] y, output logic b);
  logic [3:0][7:0] v;
  assign v = a;
  assign x = v[i] + v[3][7:4];
  assign b = v[i][d[2:0]];
  always_comb begin
    y = a;
    y[i * 8 +: 8] = d;
  end
endmodule
