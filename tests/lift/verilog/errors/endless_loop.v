module top(input [3:0] a, output reg [3:0] y);
 integer i;
 always @* begin y=0; for(i=0;i<4;i=i) y=y+1; end
endmodule
