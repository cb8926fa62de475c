module top(input [3:0] a, output [3:0] y);
 sub s();
  assign y = s.q;
endmodule
module sub; wire [3:0] q = 3; endmodule
