// Sensitivity lists without edges are combinational.
module old_style(a, b, y);
  input [3:0] a, b;
  output [4:0] y;
  reg [4:0] y;
  always @(a or b) y = a + b;
endmodule
