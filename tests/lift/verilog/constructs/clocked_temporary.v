// Blocking temporaries inside a clocked block, shared counter variable.
module clocked_temporary(input clock, input reset, input [7:0] d, output reg [7:0] q, output reg [7:0] p);
  reg [7:0] t;
  integer i;
  always @(posedge clock) begin
    t = d + q;
    for (i = 0; i < 4; i = i + 1) t = t ^ (d >> i);
    if (reset) q <= 0;
    else q <= t;
  end
  always @(posedge clock) begin
    for (i = 0; i < 8; i = i + 1) p[i] <= reset ? 1'b0 : d[7 - i];
  end
endmodule
