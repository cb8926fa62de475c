// Functions that count bits.
module counts(input [7:0] a, output [3:0] ones, output one, at_most_one, output [3:0] needed);
  assign ones = $countones(a);
  assign one = $onehot(a);
  assign at_most_one = $onehot0(a);
  assign needed = $clog2(a);
endmodule
