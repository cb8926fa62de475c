// A memory with asynchronous and synchronous reads.
module memory(
  input clock,
  input reset,
  input we,
  input [3:0] wa,
  input [3:0] ra,
  input [7:0] d,
  output [7:0] now,
  output reg [7:0] later
);
  reg [7:0] m [0:15];
  integer i;
  assign now = m[ra];
  always @(posedge clock) begin
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= i * 3;
    else if (we) m[wa] <= d;
    later <= reset ? 8'd0 : m[ra];
  end
endmodule
