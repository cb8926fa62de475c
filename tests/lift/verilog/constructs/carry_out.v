// A concatenation as a target keeps the carry.
module carry_out(
  input [7:0] a,
  input [7:0] b,
  input c,
  output [7:0] s,
  output k,
  output [3:0] hi,
  output [3:0] lo
);
  assign {k, s} = a + b + c;
  assign {hi, lo} = a - b;
endmodule
