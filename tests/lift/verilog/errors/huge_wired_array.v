module top(input [19:0] wa, ra, input [31:0] d, output [31:0] q);
  reg [31:0] m [0:(1<<20)-1];
  always @* m[wa] = d;
  assign q = m[ra];
endmodule
