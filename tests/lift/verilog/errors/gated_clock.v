module top(input c, input e, input a, output reg y);
 wire g = c & e;
 always @(posedge g) y <= a;
endmodule
