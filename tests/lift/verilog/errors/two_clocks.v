module top(input c, input d, input a, output reg y, output reg z);
 always @(posedge c) y <= a;
 always @(posedge d) z <= a;
endmodule
