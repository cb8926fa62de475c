// A memory with byte enables.
module memory_mask(
  input clock,
  input reset,
  input we,
  input [3:0] be,
  input [3:0] wa,
  input [3:0] ra,
  input [31:0] d,
  output [31:0] q
);
  reg [31:0] m [15:0];
  integer i;
  assign q = m[ra];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
    else if (we)
      for (i = 0; i < 4; i = i + 1)
        if (be[i]) m[wa][i * 8 +: 8] <= d[i * 8 +: 8];
endmodule
