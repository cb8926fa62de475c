// Comparisons with constants that the other side cannot have.
module compare_constants(input [2:0] a, input signed [2:0] b, output [5:0] y);
  assign y = {a == 9, a == 3, a != 20, b == -1, b == 7, a < 9};
endmodule
