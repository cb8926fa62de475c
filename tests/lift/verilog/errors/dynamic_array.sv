module top(input [3:0] a, output [3:0] y);
  int words[];
  assign y = a;
endmodule
