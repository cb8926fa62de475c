// A memory whose words start at another index, one that is not a power of two.
module memory_base(input clock, input reset, input we, input [3:0] a, input [7:0] d, output [7:0] q);
  reg [7:0] m [5:16];
  wire [4:0] i = 5 + (a > 11 ? a - 8 : a);
  integer k;
  assign q = m[i];
  always @(posedge clock)
    if (reset) for (k = 5; k < 17; k = k + 1) m[k] <= k;
    else if (we) m[i] <= d;
endmodule
