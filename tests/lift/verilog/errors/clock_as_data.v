module top(input c, input a, output reg y);
 always @(posedge c) y <= a & c;
endmodule
