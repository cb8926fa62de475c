// A small array becomes registers.
module small_array(
  input clock,
  input reset,
  input we,
  input [1:0] a,
  input [1:0] b,
  input [7:0] d,
  output [7:0] x,
  output [7:0] second,
  output y
);
  reg [7:0] r [0:3];
  integer i;
  assign x = r[b];
  assign second = r[2];
  assign y = r[b][d[2:0]];
  always @(posedge clock)
    if (reset) for (i = 0; i < 4; i = i + 1) r[i] <= i + 40;
    else if (we) begin
      r[a] <= d;
      r[3][a +: 2] <= d[1:0];
    end
endmodule
