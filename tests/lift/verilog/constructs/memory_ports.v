// Two write ports of one memory, the later wins, and single bits of words.
module memory_ports(
  input clock,
  input reset,
  input [1:0] we,
  input [3:0] a,
  input [3:0] b,
  input [7:0] d,
  input [2:0] k,
  output [7:0] x,
  output y
);
  reg [7:0] m [0:15];
  integer i;
  assign x = m[a];
  assign y = m[b][k];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= ~i;
    else begin
      if (we[0]) m[a] <= d;
      if (we[1]) m[b] <= ~d;
      if (&we) m[b][k] <= d[0];
    end
endmodule
