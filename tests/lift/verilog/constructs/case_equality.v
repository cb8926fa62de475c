// Case equality on two-state values.
module case_equality(input [3:0] a, input [3:0] b, output y, output n);
  assign y = a === b;
  assign n = a !== b;
endmodule
