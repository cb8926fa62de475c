// All reduction operators.
module reduce(input [6:0] a, output [5:0] r, output n);
  assign r = {&a, |a, ^a, ~&a, ~|a, ~^a};
  assign n = !a;
endmodule
