module top(input a, b, output reg y);
  always @(a) y = a & b;
endmodule
