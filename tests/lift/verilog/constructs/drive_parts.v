// Part-selects as targets of continuous assignments.
module drive_parts(input [3:0] a, input [3:0] b, output [11:0] y);
  assign y[3:0] = a & b;
  assign y[11:8] = a + b;
  assign {y[7:6], y[5:4]} = a ^ b;
endmodule
