module top(input [3:0] a, output [7:0] y);
 assign y = a ** a;
endmodule
