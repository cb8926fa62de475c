// A memory behind two levels of hierarchy with read-modify-write.
module accumulator_bank #(parameter W = 8)(
  input clock,
  input reset,
  input we,
  input [3:0] a,
  input [W-1:0] d,
  output reg [W-1:0] q
);
  reg [W-1:0] sums [0:15];
  integer i;
  always @(posedge clock)
    if (reset) begin
      for (i = 0; i < 16; i = i + 1) sums[i] <= 0;
      q <= 0;
    end else begin
      if (we) sums[a] <= sums[a] + d;
      q <= sums[a];
    end
endmodule
module accumulator(input clock, input reset, input [1:0] we, input [3:0] a, input [7:0] d, output [19:0] q);
  genvar b;
  generate
    for (b = 0; b < 2; b = b + 1) begin : bank
      accumulator_bank #(.W(10)) part(.clock(clock), .reset(reset), .we(we[b]), .a(a), .d({2'b0, d}), .q(q[b * 10 +: 10]));
    end
  endgenerate
endmodule
