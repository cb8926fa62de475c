module top(input c, input [3:0] a, input [7:0] d, output reg [7:0] y);
 reg [7:0] m[0:15];
 always @(posedge c) begin m[a] = d; y <= m[a]; end
endmodule
