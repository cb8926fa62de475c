module top(input clk, input rst, input we, input [19:0] wa, ra, input [31:0] d, output [31:0] q);
  reg [31:0] m [0:(1<<20)-1];
  integer i;
  always @(posedge clk) if (rst) for (i = 0; i < (1<<20); i = i + 1) m[i] <= 0; else if (we) m[wa] <= d;
  assign q = m[ra];
endmodule
