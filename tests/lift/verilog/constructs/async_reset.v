// A register with asynchronous active-low reset.
module async_reset(input clock, input rst_n, input [3:0] d, output reg [3:0] q);
  always @(posedge clock or negedge rst_n)
    if (!rst_n) q <= 4'd5;
    else q <= q ^ d;
endmodule
