module top(input c, input r, input a, output reg y);
 always @(posedge c or posedge r) y <= a;
endmodule
