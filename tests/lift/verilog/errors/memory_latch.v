module top(input c, input [3:0] a, input [7:0] d, output [7:0] y);
 reg [7:0] m[0:15];
 always @* m[a] = d;
 assign y = m[a];
endmodule
