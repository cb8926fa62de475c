module top(input [3:0] a, output [7:0] y);
  reg [7:0] m [0:15];
  initial $readmemh("lost.hex", m);
  assign y = m[a];
endmodule
