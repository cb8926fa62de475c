// A register with synchronous reset and enable.
module counter(input clock, input reset, input en, input [3:0] d, output reg [7:0] q);
  always @(posedge clock)
    if (reset) q <= 8'd3;
    else if (en) q <= q + d;
endmodule
