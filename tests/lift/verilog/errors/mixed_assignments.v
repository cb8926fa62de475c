module top(input c, input [3:0] a, output reg [7:0] y);
 always @(posedge c) begin y = a; y <= 3; end
endmodule
