// Parts of one register written under different conditions and in different blocks.
module register_parts(
  input clock,
  input reset,
  input [1:0] we,
  input [7:0] d,
  input [1:0] i,
  output reg [15:0] q,
  output reg [7:0] lanes
);
  genvar g;
  always @(posedge clock)
    if (reset) q <= 0;
    else begin
      if (we[0]) q[7:0] <= d;
      if (we[1]) q[15:8] <= d;
      if (&we) q[i * 4 +: 4] <= d[3:0];
    end
  generate
    for (g = 0; g < 4; g = g + 1) begin : lane
      always @(posedge clock)
        if (reset) lanes[g * 2 +: 2] <= g;
        else if (d[g]) lanes[g * 2 +: 2] <= lanes[g * 2 +: 2] + 1;
    end
  endgenerate
endmodule
