module top(input [3:0] a, output [3:0] y);
 sub s(y);
 wire [3:0] q = a;
endmodule
module sub(output [3:0] r); assign r = top.q; endmodule
