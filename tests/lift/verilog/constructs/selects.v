// Constant part-selects and bit-selects, with ranges that do not start at 0 or ascend.
module selects(input [11:4] a, input [0:7] b, output [3:0] x, output [3:0] y, output p, output q);
  assign x = a[7:4];
  assign y = b[2:5];
  assign p = a[11];
  assign q = b[0];
endmodule
