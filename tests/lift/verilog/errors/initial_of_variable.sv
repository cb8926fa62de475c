module top(input [3:0] a, output [3:0] y);
  logic [3:0] twice = a + a;
  assign y = twice;
endmodule
