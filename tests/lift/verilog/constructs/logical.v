// Logical operators on vectors.
module logical(input [3:0] a, input [3:0] b, output x, output y, output z);
  assign x = a && b;
  assign y = a || !b;
  assign z = !(a && b) || (a == b);
endmodule
