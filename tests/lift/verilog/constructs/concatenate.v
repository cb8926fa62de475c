// Concatenations and replications.
module concatenate(input [3:0] a, input [1:0] b, output [13:0] y, output [7:0] e, output [3:0] swapped);
  assign y = {a, {3{b}}, 2'b01, b};
  assign e = {{4{a[3]}}, a};
  assign swapped = {a[1:0], a[3:2]};
endmodule
